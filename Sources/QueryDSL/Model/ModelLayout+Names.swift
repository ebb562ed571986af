import SQLCore

extension ModelLayout {
  /// What finds the columns of a model by their key paths, as the columns of a query hold it.
  ///
  /// It is trivial, so that no query counts references to a layout. `@unchecked Sendable`: the
  /// memory behind it is written before anybody else sees it, only read then, and never freed.
  @usableFromInline
  struct Names: @unchecked Sendable, BitwiseCopyable {
    /// An instance of the model whose columns hold their own index.
    @usableFromInline let instance: UnsafeRawPointer
    private let slots: ColumnSlots

    init(instance: UnsafeRawPointer, slots: ColumnSlots) {
      self.instance = instance
      self.slots = slots
    }

    /// The index of the column that a key path names; nil where it names none.
    ///
    /// Compiled where the key path is written, it is a load from memory.
    @inlinable
    @inline(__always)
    func index<M: Model, Value>(of path: KeyPath<M, ColumnReference<Value>>) -> Int? {
      instance.assumingMemoryBound(to: M.self).pointee[keyPath: path].index
    }

    @usableFromInline
    func form(at index: Int) -> StoredForm {
      slots.slots[index].form
    }
  }
}
