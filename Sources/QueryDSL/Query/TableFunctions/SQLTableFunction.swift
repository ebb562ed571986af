import SQLCore

/// A table-valued function with the Swift types of its rows and arguments. The function is part of
/// SQLite or registered by the program.
///
/// ```swift
/// struct Word: ResultRow { @Column var word: String }
/// let words = SQLTableFunction<Word, String>("words")      // the row, then each argument
///
/// Query { (post: Columns<Post>, word: Columns<Word>) in
///   From(post)
///   Join(words(post.$title).as(word))
///   Select(post.$id, word.$word)
/// }
/// // SELECT "Post"."id", "words"."word" FROM "Post" JOIN "words"("Post"."title")
/// ```
/// The columns of the row are found by their names, and the function may have further columns. The
/// compiler cannot check the declaration. A missing function or column throws `DatabaseError` when
/// the query runs. A value of another type throws `ColumnValueError` when it is read. To call the
/// function without its last arguments, declare it again without them.
public struct SQLTableFunction<Row: ResultRow, each Argument: ColumnValue>: Sendable {
  private let name: String

  /// Declares the function with the given name. The name is quoted in SQL.
  public init(_ name: String) {
    self.name = name
  }

  /// Returns a call of the function. SQL: `"words"("Post"."title")`
  public func callAsFunction(
    _ arguments: repeat SQLExpression<each Argument>
  ) -> TableFunctionCall<Row> {
    TableFunctionCall(name: name, arguments: expressionNodes(repeat each arguments))
  }

  /// Returns a call of the function with Swift values as its arguments. The values are bound to
  /// parameters. SQL: `"words"(?)`
  @_disfavoredOverload
  public func callAsFunction(_ arguments: repeat each Argument) -> TableFunctionCall<Row> {
    TableFunctionCall(
      name: name, arguments: expressionNodes(repeat SQLExpression(each arguments)))
  }
}

/// A number of a series. It is a row of the table that `generateSeries` returns.
///
/// ```swift
/// let numbers = try db.fetch(generateSeries(1, through: 10).all)
/// print(numbers.map(\.value))
/// ```
public struct SeriesElement: ResultRow, Equatable {
  /// The number.
  @Column public var value: Int

  /// Makes the row of a number.
  public init(value: Int) {
    self.value = value
  }
}

/// Returns a table of integers from `start` to `end`, both included.
///
/// ```swift
/// let days = try db.fetch(generateSeries(0, through: 30, by: 10).all.select(\.$value))
/// // SELECT "value" FROM "generate_series"(?, ?, ?)          [0, 10, 20, 30]
/// ```
/// A negative step counts downwards; a step of 0 counts as 1. There are no rows if `end` is not in
/// the direction of the step. Each connection of Apus has the function.
/// - SeeAlso: <https://www.sqlite.org/series.html>
public func generateSeries(
  _ start: Int, through end: Int, by step: Int = 1
) -> TableFunctionCall<SeriesElement> {
  generateSeries(SQLExpression(start), through: SQLExpression(end), by: SQLExpression(step))
}

/// Returns a table of integers from `start` to the value of an expression, which may name columns
/// of earlier tables of the query. SQL: `"generate_series"(?, "Order"."amount", ?)`
public func generateSeries(
  _ start: Int, through end: SQLExpression<Int>, by step: Int = 1
) -> TableFunctionCall<SeriesElement> {
  generateSeries(SQLExpression(start), through: end, by: SQLExpression(step))
}

/// Returns a table of integers whose limits and step are expressions, which may name columns of
/// earlier tables of the query. SQL: `"generate_series"("Range"."first", "Range"."last", ?)`
public func generateSeries(
  _ start: SQLExpression<Int>, through end: SQLExpression<Int>,
  by step: SQLExpression<Int> = SQLExpression(1)
) -> TableFunctionCall<SeriesElement> {
  TableFunctionCall(name: "generate_series", arguments: [start.node, end.node, step.node])
}

/// The description of a column of a table in the database. It is a row of `pragmaTableInfo`.
///
/// ```swift
/// for column in try db.fetch(pragmaTableInfo("Post").all) { print(column.name, column.type) }
/// ```
public struct PragmaTableInfo: ResultRow, Equatable {
  /// The position of the column in the table, from 0. SQL: `"cid"`
  @Column public var position: Int
  /// The name of the column.
  @Column public var name: String
  /// The declared type of the column, or an empty text.
  @Column public var type: String
  /// Whether the column is declared NOT NULL. SQL: `"notnull"`
  @Column public var isNotNull: Bool
  /// The SQL of the column's default. SQL: `"dflt_value"`
  @Column public var defaultValue: String?
  /// The position of the column in the primary key, from 1; 0 if the column does not belong to the
  /// key. SQL: `"pk"`
  @Column public var keyPosition: Int

  /// Declares the names that SQLite gives to the columns of `pragma_table_info`.
  public static var schema: Schema<PragmaTableInfo> {
    Named(\.$position, "cid")
    Named(\.$isNotNull, "notnull")
    Named(\.$defaultValue, "dflt_value")
    Named(\.$keyPosition, "pk")
  }
}

/// Returns a table with a row for each column of a table in the database, except hidden and
/// generated columns. If the table does not exist, there are no rows.
///
/// ```swift
/// let names = try db.fetch(pragmaTableInfo("Post").all.select(\.$name))
/// // SELECT "name" FROM "pragma_table_info"(?)
/// ```
/// - SeeAlso: <https://www.sqlite.org/pragma.html#pragma_table_info>
public func pragmaTableInfo(_ table: String) -> TableFunctionCall<PragmaTableInfo> {
  pragmaTableInfo(SQLExpression(table))
}

/// Returns a table with a row for each column of the table that an expression names. The expression
/// may use columns of earlier tables of the query. SQL: `"pragma_table_info"("Log"."table")`
public func pragmaTableInfo(
  _ table: SQLExpression<String>
) -> TableFunctionCall<PragmaTableInfo> {
  TableFunctionCall(name: "pragma_table_info", arguments: [table.node])
}
