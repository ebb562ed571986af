import SQLCore

extension ModelLayout {
  /// Finds the columns of a model by their key paths. The columns of a query contain it.
  ///
  /// It is trivial, so that queries do not count references to a layout. `@unchecked Sendable`: its
  /// memory is written before other threads can see it, only read afterwards, and never freed.
  @usableFromInline
  struct Names: @unchecked Sendable, BitwiseCopyable {
    /// An instance of the model whose columns hold their own index.
    @usableFromInline let instance: UnsafeRawPointer
    private let slots: ColumnSlots

    init(instance: UnsafeRawPointer, slots: ColumnSlots) {
      self.instance = instance
      self.slots = slots
    }

    /// Returns the names of a group's columns, whose memory is in that of the model.
    ///
    /// - Parameter offset: the offset of the group in the type that the instance is of.
    func inGroup(at offset: Int) -> Names {
      Names(instance: instance + offset, slots: slots)
    }

    /// Returns the index of the column that a key path names; nil if it names none.
    ///
    /// If the compiler sees the key path's literal, this becomes a load from memory.
    @inlinable
    @inline(__always)
    func index<M: ResultRow, Value>(of path: KeyPath<M, ColumnReference<Value>>) -> Int? {
      instance.assumingMemoryBound(to: M.self).pointee[keyPath: path].index
    }

    /// Returns the index of the column that a closure names by `$0.$title`; nil if it names none.
    /// A property without the dollar sign is not read, since the instance has no values.
    @inlinable
    @inline(__always)
    func index<M: ResultRow, Column: ColumnWithDollarSign>(
      ofMember path: KeyPath<M, Column>
    ) -> Int? {
      guard Column._isColumn else { return nil }
      return instance.assumingMemoryBound(to: M.self).pointee[keyPath: path]._index
    }

    @usableFromInline
    func form(at index: Int) -> StoredForm {
      slots.slots[index].form
    }
  }

  /// Returns the index of the column that a key path names; nil if it names none.
  @inlinable
  package func index<M: ResultRow, Value>(of path: KeyPath<M, ColumnReference<Value>>) -> Int? {
    names.index(of: path)
  }

  package func index<M: ResultRow>(ofColumn path: PartialKeyPath<M>) -> Int? {
    let reference = names.instance.assumingMemoryBound(to: M.self).pointee[keyPath: path]
    return (reference as? any AnyColumnReference)?.index
  }
}
