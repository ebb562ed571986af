import SQLCore

/// A struct whose properties are the columns of a table. The table need not have a key.
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
/// A `Model` is a `TableModel` with a key. By the key, single rows are found, updated, saved and
/// deleted, and their changes are reported. Without a key, rows are read and inserted, and updated
/// and deleted by conditions. Queries, joins, commands, the schema and migrations are the same.
///
/// If the table in the file has a primary key that the type does not declare, the key is kept. A
/// type may have `@PrimaryKey` properties without being a `Model`, such as a joining table with a
/// key of two columns.
public protocol TableModel: ResultRow {
  /// The name of the table. Default: the name of the type.
  static var tableName: String { get }

  /// The rule that derives column names from property names. Default: the same names.
  static var columnNaming: ColumnNaming { get }

  /// Whether the type is a view; programs do not use it directly.
  ///
  /// A dynamic cast to `any SQLView.Type` has the same answer. But for a type that is not a view,
  /// Swift looks through all conformances of the program, which took a quarter of the time of
  /// reading models.
  static var _isView: Bool { get }
}

extension TableModel {
  /// The name of the type, without the names of enclosing types.
  public static var tableName: String {
    TableNaming.asked?.isDefault.withLock { $0 = true }
    return String(nameOf: Self.self)
  }

  /// The same names as the properties.
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
/// The table has the name of the type, and its columns have the names of the properties; an
/// optional property is a column that may be NULL. The layout is read once, from the type: no
/// macro, `Codable` conformance or instance is needed. Every stored property must be a
/// `@PrimaryKey`, a `@Column` or `@Ignored`.
///
/// Its `schema` declares everything that properties cannot express, such as indexes and foreign
/// keys.
///
/// A model may be `Codable`, `Equatable` and `Hashable` by synthesis, which considers only the
/// values. Its JSON equals the JSON of the same struct without `@PrimaryKey`, `@Column` and `JSON`,
/// for every strategy of the encoder. `CodingKeys` rename the members of the JSON, not the columns;
/// `@Ignored` properties are omitted. A decoded model counts as new: `insert` inserts it, and
/// `update` writes all of its columns.
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
  /// valid for the type of its column.
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

/// The key of a model that declares none, whose name is a part of the message for it; programs do
/// not use it directly.
public struct KeyOrDollarSignIsMissing: Hashable, Sendable {}

// A model without `id` would not conform to Identifiable, and the compiler would only say that.
// With this default, it says what to declare.
extension Model {
  /// Explains how a model declares its key; no model uses it.
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
  /// properties. For a model that was never loaded, all columns.
  ///
  /// ```swift
  /// post.title = "Sports"
  /// post.changedColumns          // ["title"]: what `update` writes
  /// ```
  /// It is empty if the type cannot be a table.
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
