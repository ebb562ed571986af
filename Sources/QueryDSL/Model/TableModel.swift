import SQLCore

/// A struct whose properties are the columns of a table, which need not have a key.
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
/// A `Model` is a `TableModel` with a key, by which single rows are found, updated, saved and
/// deleted, and their changes reported. Without a key, rows are read and inserted, and updated and
/// deleted by conditions; queries, joins, commands, the schema and migrations are the same.
///
/// If the table in the file has a primary key that the type does not declare, the key is kept. A
/// type may have `@PrimaryKey` properties without being a `Model`, such as a joining table whose
/// key has two columns.
public protocol TableModel: ResultRow {
  /// The name of the table. Default: the name of the type.
  static var tableName: String { get }

  /// The rule by which columns are named after properties. Default: the same names.
  static var columnNaming: ColumnNaming { get }
}

extension TableModel {
  /// The name of the type, without the names of enclosing types.
  public static var tableName: String {
    TableNaming.asked?.isDefault.withLock { $0 = true }
    return String(nameOf: Self.self)
  }

  /// The same names as the properties.
  public static var columnNaming: ColumnNaming { .asDeclared }
}
