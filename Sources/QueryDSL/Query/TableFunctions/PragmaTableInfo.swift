import SQLCore

/// A column of a table in the database: a row of `pragmaTableInfo`.
public struct PragmaTableInfo: ResultRow, Equatable {
  /// Its position in the table, from 0. SQL: `"cid"`
  @Column public var position: Int
  /// Its name.
  @Column public var name: String
  /// Its declared type, or an empty text.
  @Column public var type: String
  /// Whether it is declared NOT NULL. SQL: `"notnull"`
  @Column public var isNotNull: Bool
  /// The SQL of its default. SQL: `"dflt_value"`
  @Column public var defaultValue: String?
  /// Its position in the primary key, from 1; 0 if it does not belong to it. SQL: `"pk"`
  @Column public var keyPosition: Int

  /// The names of SQLite's columns.
  public static var schema: Schema<PragmaTableInfo> {
    Named(\.$position, "cid")
    Named(\.$isNotNull, "notnull")
    Named(\.$defaultValue, "dflt_value")
    Named(\.$keyPosition, "pk")
  }
}

/// Returns a table with a row for each column of a table in the database, except hidden and
/// generated ones; it has no rows if the table does not exist.
///
/// ```swift
/// let names = try db.fetch(pragmaTableInfo("Post").all.select(\.$name))
/// // SELECT "name" FROM "pragma_table_info"(?)
/// ```
/// - SeeAlso: <https://www.sqlite.org/pragma.html#pragma_table_info>
public func pragmaTableInfo(_ table: String) -> TableFunctionCall<PragmaTableInfo> {
  pragmaTableInfo(SQLExpression(table))
}

/// Returns a table with a row for each column of a table whose name depends on the tables before
/// it. SQL: `"pragma_table_info"("Log"."table")`
public func pragmaTableInfo(
  _ table: SQLExpression<String>
) -> TableFunctionCall<PragmaTableInfo> {
  TableFunctionCall(name: "pragma_table_info", arguments: [table.node])
}
