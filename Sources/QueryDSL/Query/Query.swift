import SQLCore

/// A SELECT and the way to read its rows: a `Query { }`, or the `query` of a query over one table.
public struct Query<Row>: Fetchable {
  @usableFromInline package var statement: SelectStatement
  @usableFromInline package let decoding: RowDecoding<Row>

  @inlinable
  init(statement: SelectStatement, decoding: RowDecoding<Row>) {
    self.statement = statement
    self.decoding = decoding
  }

  /// The query itself.
  @inlinable
  public var query: Query<Row> { self }

  /// The SQL of the query, with its values. Throws `QueryError` if the query cannot be written as
  /// SQL.
  public var sql: SQL {
    get throws { try statement.rendered() }
  }
}

/// The way to read the rows of a query.
@usableFromInline
package struct RowDecoding<Row>: Sendable {
  /// Reads all rows of a statement. The last argument is the greatest possible number of rows.
  @usableFromInline let all: @Sendable (ConnectionCore, StatementPointer, Int) throws -> [Row]
  /// Reads the statement's current row, from the reader's column on.
  @usableFromInline let one: @Sendable (inout RowReader) throws -> Row
  /// The names and types of the columns, for displaying a result.
  @usableFromInline package let columns: @Sendable () throws -> [ResultColumn]
  /// Whether `map` makes the rows, so that the columns of the result are not those of `Row`.
  @usableFromInline let isMapped: Bool

  @inlinable
  init(
    all: @escaping @Sendable (ConnectionCore, StatementPointer, Int) throws -> [Row],
    one: @escaping @Sendable (inout RowReader) throws -> Row,
    columns: @escaping @Sendable () throws -> [ResultColumn], isMapped: Bool = false
  ) {
    self.all = all
    self.one = one
    self.columns = columns
    self.isMapped = isMapped
  }
}

/// A column of a typed result.
@usableFromInline
package struct ResultColumn: Sendable {
  /// The name of the column or alias; nil for an expression, whose name SQLite makes from its text.
  package let name: String?
  package let type: any ColumnValue.Type
  package let form: StoredForm
  /// Whether it may be NULL: its type is an optional, or an outer join may find no row of its
  /// table.
  package let isOptional: Bool

  @usableFromInline
  init(name: String?, type: any ColumnValue.Type, form: StoredForm, isOptional: Bool = false) {
    self.name = name
    self.type = type
    self.form = form
    self.isOptional = isOptional || type.isOptional
  }
}

/// The current row of a statement, which is read from left to right.
@usableFromInline
package struct RowReader {
  @usableFromInline let core: ConnectionCore
  @usableFromInline let statement: StatementPointer
  @usableFromInline var position = 0
}

@available(*, unavailable, message: "a row is read on the thread that runs its statement")
extension RowReader: Sendable {}
