import SQLCore

extension ModelLayout {
  /// A value that finds the columns of a model by their key paths. Each `Columns` in a query
  /// contains one.
  ///
  /// The type is bitwise copyable, so that queries do not count references to a layout.
  /// `@unchecked Sendable`: its memory is written before other threads can see it, only read
  /// afterwards, and never freed.
  @usableFromInline
  struct Names: @unchecked Sendable, BitwiseCopyable {
    /// An instance of the model in which each column holds its index instead of a value.
    @usableFromInline let instance: UnsafeRawPointer
    private let slots: ColumnSlots

    init(instance: UnsafeRawPointer, slots: ColumnSlots) {
      self.instance = instance
      self.slots = slots
    }

    /// Returns the value that finds the columns of a group. The memory of a group lies inside the
    /// memory of the model.
    ///
    /// - Parameter offset: The offset of the group in the memory of the instance.
    func inGroup(at offset: Int) -> Names {
      Names(instance: instance + offset, slots: slots)
    }

    /// Returns the index of the column that a key path names; nil if it names no column.
    ///
    /// If the argument is a key path literal, the compiler replaces the call by a load from memory.
    @inlinable
    @inline(__always)
    func index<M: ResultRow, Value>(of path: KeyPath<M, ColumnReference<Value>>) -> Int? {
      instance.assumingMemoryBound(to: M.self).pointee[keyPath: path].index
    }

    /// Returns the index of the column that a closure names by `$0.$title`; nil if the key path
    /// names no column. For `$0.title`, returns nil without reading the property, because the
    /// instance holds no values.
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

  /// Returns the index of the column that a key path names; nil if it names no column.
  @inlinable
  package func index<M: ResultRow, Value>(of path: KeyPath<M, ColumnReference<Value>>) -> Int? {
    names.index(of: path)
  }

  package func index<M: ResultRow>(ofColumn path: PartialKeyPath<M>) -> Int? {
    let reference = names.instance.assumingMemoryBound(to: M.self).pointee[keyPath: path]
    return (reference as? any AnyColumnReference)?.index
  }
}

/// The elements of a `schema` that affect the layout of its model or row type, such as `Named` and
/// `Stored`. They affect all SQL for the type.
struct LayoutLines {
  private(set) var forms: [Int: StoredForm] = [:]
  private(set) var names: [Int: String] = [:]
  /// The prefixes of groups, by the index of each group's first column.
  private var prefixes: [Int: String] = [:]
  private(set) var generated: Set<Int> = []
  private(set) var isWithoutRowID = false
  private(set) var cacheLimits: CacheLimits?
  private(set) var resultLimits: CacheLimits?
  /// All elements of the schema, as `[SchemaElement<M>]`. They are kept, because evaluating a
  /// schema is expensive: it creates key paths, and is the slowest part of opening a database for
  /// the first time.
  private(set) var elements: Any = ()

  /// - Parameter index: A function that returns the index of the column that a key path names. Its
  ///   second argument is the name of the schema's element, such as "Named", which its error
  ///   messages contain.
  init<M: ResultRow>(
    of model: M.Type, index: (PartialKeyPath<M>, String) throws -> Int
  ) throws {
    let elements = M.schema.elements
    self.elements = elements
    for element in elements {
      switch element.kind {
      case .stored(let path, let form): forms[try index(path, "Stored")] = form
      case .named(let path, let name): names[try index(path, "Named")] = name
      case .prefixed(let path, let prefix): prefixes[try index(path, "Prefixed")] = prefix
      case .generated(let path, _, _): generated.insert(try index(path, "Generated"))
      case .rowID(let isLeftOut): isWithoutRowID = isLeftOut
      case .cached(let limits): cacheLimits = limits
      case .cachedResults(let limits): resultLimits = limits
      case .index, .foreignKey, .check, .default, .defaultSQL, .collated, .trigger, .fullText,
        .vectorIndex, .existingFullText, .owned, .renamed, .renamedTable, .dropped,
        .droppedAttribute, .converted:
        break
      }
    }
  }
  /// Returns the name of a column, according to the naming rule of its model. The name of a column
  /// in a group begins with the group's prefix.
  func name(of field: ModelFields.ColumnField, by naming: ColumnNaming) -> String {
    guard let (start, property, column) = field.group else { return naming.name(of: field.name) }
    // The naming rule does not apply to a name that the group declares.
    let isNamed = column.name != column.property && !column.property.contains(".$")
    return (prefixes[start] ?? naming.name(of: property) + "_")
      + (isNamed ? column.name : naming.name(of: column.name))
  }
}

/// A test of whether a model declares the name of its table. If not, the table has the name of the
/// type.
///
/// The name itself does not show this, because a model may declare exactly the name of its type. So
/// the default implementation of `tableName` records that it was called.
final class TableNaming: Sendable {
  /// The object in which the default implementation of `tableName` records that it was called.
  @TaskLocal static var asked: TableNaming?

  let isDefault = Lock(false)

  /// Returns whether a model's table has the default name.
  static func isDefault(of model: any TableModel.Type) -> Bool {
    let naming = TableNaming()
    $asked.withValue(naming) { _ = model.tableName }
    return naming.isDefault.withLock { $0 }
  }
}

extension String {
  /// Creates the unqualified name of a type, such as `Post`, faster than `String(describing:)`.
  ///
  /// `String(describing:)` gives the same name. But it first tests whether the metatype conforms to
  /// protocols such as `CustomStringConvertible`, which no metatype does. For each type that is new
  /// to the process, the runtime searches all conformances of the program at each test. These tests
  /// were half of the cost of opening a database with models for the first time.
  init(nameOf type: Any.Type) {
    self = _typeName(type, qualified: false)
  }
}
