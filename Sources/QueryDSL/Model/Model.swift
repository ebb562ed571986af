import SQLCore

/// A struct whose properties are the columns of a table, with or without a key.
///
/// ```swift
/// struct LogLine: TableModel {
///   @Column var level: Int
///   @Column var text: String
/// }
/// try db.insert(LogLine(level: 1, text: "started"))
/// let lines = try db.fetch(LogLine.where { $0.$level > 0 })
/// try db.run(LogLine.delete().where { $0.$level == 0 })
/// ```
/// A `Model` is a `TableModel` with a key. The key is needed to find, update, save and delete
/// single rows, and to report their changes. Without a key, rows can be read, inserted, and updated
/// or deleted by conditions. Queries, joins, commands, the schema and migrations work in the same
/// way with and without a key.
///
/// If the table in the file has a primary key that the type does not declare, a migration keeps
/// that key. A type may have `@PrimaryKey` properties without being a `Model`, such as a joining
/// table with a key of two columns.
public protocol TableModel: ResultRow {
  /// The name of the table. Default: the name of the type.
  static var tableName: String { get }

  /// The rule that derives column names from property names. Default: a column has the name of its
  /// property.
  static var columnNaming: ColumnNaming { get }

  /// Whether the type is a view; programs do not use it directly.
  ///
  /// A dynamic cast to `any SQLView.Type` would give the same result. But for a type that is not a
  /// view, Swift looks through all conformances of the program, which took a quarter of the time of
  /// reading models.
  static var _isView: Bool { get }
}

extension TableModel {
  /// The name of the type, without the names of enclosing types.
  public static var tableName: String {
    TableNaming.asked?.isDefault.withLock { $0 = true }
    return String(nameOf: Self.self)
  }

  /// The default rule: a column has the name of its property.
  public static var columnNaming: ColumnNaming { .asDeclared }

  /// False; programs do not use it directly.
  public static var _isView: Bool { false }
}

/// A struct whose properties are the columns of a table.
///
/// ```swift
/// struct Author: Model {
///   @PrimaryKey var id = Unique64()
///   @Column var name: String
/// }
/// ```
///
/// The table has the name of the type, and its columns have the names of the properties. An
/// optional property is a column that may be NULL. The layout is read once, from the type, without
/// a macro, a `Codable` conformance or an instance. Every stored property must have one of the
/// wrappers `@PrimaryKey`, `@Column`, `@Embedded` and `@Ignored`.
///
/// The `schema` of the model declares everything that properties cannot express, such as indexes
/// and foreign keys.
///
/// The compiler can synthesize `Codable`, `Equatable` and `Hashable` for a model. These
/// conformances consider only the values. The JSON of a model is the same as if its properties had
/// no wrappers, whatever strategies the encoder has, for example for dates. `CodingKeys` rename the
/// members of the JSON, not the columns. `@Ignored` properties are omitted. A decoded model counts
/// as new: `insert` inserts it, and `update` writes all of its columns.
///
/// With one key column, `id` is that column. With several, `id` is a struct with properties of the
/// same names and types:
///
/// ```swift
/// struct Membership: Model {
///   struct ID: Hashable, Sendable { var person: Unique64; var group: Unique64 }
///   @PrimaryKey var person: Unique64
///   @PrimaryKey var group: Unique64
///   var id: ID { ID(person: person, group: group) }
/// }
/// ```
public protocol Model: TableModel, Identifiable where ID: Sendable {}

extension Model {
  /// Returns the values of a key in their stored forms, in the order of the key columns.
  package static func keyValues(of id: ID) throws -> [DatabaseValue] {
    let layout = try layout
    func value<Value: ColumnValue>(
      _ type: Value.Type, at memory: UnsafeRawPointer, as form: StoredForm
    ) throws -> DatabaseValue {
      try memory.assumingMemoryBound(to: Value.self).pointee.databaseValue(as: form)
    }
    return try withUnsafeBytes(of: id) { bytes in
      guard let memory = bytes.baseAddress else { return [] }
      return try layout.keySlots.slots.map { slot in
        try value(slot.type, at: memory + Int(slot.offset), as: slot.form)
      }
    }
  }

  /// Returns the key that has these stored values. Throws `ColumnValueError` if a value is not
  /// valid for the type of its column, and `ModelError` if the number of values is wrong.
  package static func id(fromKeyValues values: [DatabaseValue]) throws -> ID {
    let layout = try layout
    let slots = layout.keySlots.slots
    guard values.count == slots.count else {
      throw ModelError(Self.self, "the key has \(slots.count) columns, not \(values.count)")
    }
    func store<Value: ColumnValue>(
      _ type: Value.Type, _ value: DatabaseValue, at memory: UnsafeMutableRawPointer,
      as form: StoredForm
    ) throws {
      memory.initializeMemory(as: Value.self, to: try value.read(type, as: form))
    }
    func destroy<Value: ColumnValue>(_ type: Value.Type, at memory: UnsafeMutableRawPointer) {
      memory.assumingMemoryBound(to: Value.self).deinitialize(count: 1)
    }
    return try withUnsafeTemporaryAllocation(of: ID.self, capacity: 1) { buffer in
      guard let id = buffer.baseAddress else { throw ModelError(Self.self, "the key is empty") }
      let memory = UnsafeMutableRawPointer(id)
      var stored = 0
      do {
        for (slot, value) in zip(slots, values) {
          try store(slot.type, value, at: memory + Int(slot.offset), as: slot.form)
          stored += 1
        }
      } catch {
        for slot in slots.prefix(stored) { destroy(slot.type, at: memory + Int(slot.offset)) }
        throw (error as? ColumnValueError).map {
          $0.at(
            table: layout.tableName, column: layout.columns[layout.keyColumns[stored]].name,
            row: nil)
        } ?? error
      }
      return id.move()
    }
  }
}

/// The type of `id` in a model that declares no key; programs do not use it directly. The
/// compiler's message for the mistake contains the name of this type.
public struct KeyOrDollarSignIsMissing: Hashable, Sendable {}

// Without this default, the compiler would only say that a model without `id` does not conform to
// `Identifiable`. With the default, the compiler says what to declare.
extension Model {
  /// The `id` of a model that declares no key. This property exists only for its error message,
  /// which says how a model declares its key.
  @_disfavoredOverload
  @available(
    *, unavailable,
    message: """
      a model needs a key: write `@PrimaryKey var id = Unique64()`; with a key of another name, also \
      `var id: Int { number }`; with several keys, `struct ID: Hashable, Sendable` with a property for \
      each @PrimaryKey, and `var id: ID { … }`
      """
  )
  public var id: KeyOrDollarSignIsMissing { KeyOrDollarSignIsMissing() }
}

extension Model {
  /// The names of the columns that were changed since the model was loaded, in the order of its
  /// properties. For a model that was never loaded, these are all columns that are not generated.
  ///
  /// ```swift
  /// post.title = "Sports"
  /// post.changedColumns          // ["title"]: what `update` writes
  /// ```
  /// If the type cannot be a table, the list is empty.
  public var changedColumns: [String] {
    guard let layout = try? Self.layout else { return [] }
    return withUnsafeBytes(of: self) { memory in
      guard let model = memory.baseAddress else { return [] }
      return layout.orders.all.filter { layout.slots.isChanged(Int($0), in: model) }
        .map { layout.columns[Int($0)].name }
    }
  }

  /// Whether any column was changed since the model was loaded; true for a model that was never
  /// loaded.
  public var hasChanges: Bool {
    guard let layout = try? Self.layout else { return false }
    return withUnsafeBytes(of: self) { memory in
      guard let model = memory.baseAddress else { return false }
      return layout.orders.all.contains { layout.slots.isChanged(Int($0), in: model) }
    }
  }
}
