import SQLCore

/// What `fetch`, `first`, `count` and `observe` take: something that gives rows of one type.
public protocol Fetchable<Row>: Sendable {
  /// What a row is read as: a model, a value, or a tuple.
  associatedtype Row: Sendable
  /// The query, with the way to read its rows.
  var request: Request<Row> { get }
}

/// A SELECT and the way to read its rows.
///
/// `Query { }` makes one; so does each query over one table, as its `request`.
public struct Request<Row>: Fetchable {
  @usableFromInline package var statement: SelectStatement
  @usableFromInline package let decoding: RowDecoding<Row>

  @inlinable
  init(statement: SelectStatement, decoding: RowDecoding<Row>) {
    self.statement = statement
    self.decoding = decoding
  }

  /// Itself.
  @inlinable
  public var request: Request<Row> { self }

  /// The SQL that the query becomes, with its values; throws `QueryError` where it cannot be SQL.
  public var sql: SQL {
    get throws { try statement.rendered() }
  }
}

extension Fetchable {
  /// The SQL that the query becomes, with its values; throws `QueryError` where it cannot be SQL.
  public var sql: SQL {
    get throws { try request.statement.rendered() }
  }
}

/// How the rows of a query are read.
@usableFromInline
package struct RowDecoding<Row>: Sendable {
  /// Reads all rows of a statement, of which there are at most so many.
  @usableFromInline let all: @Sendable (ConnectionCore, StatementPointer, Int) throws -> [Row]
  /// Reads the row at which a statement stands, from its first column on.
  @usableFromInline let one: @Sendable (inout RowReader) throws -> Row
  /// The types and names of the columns, for those who look at a result.
  @usableFromInline package let columns: @Sendable () throws -> [ResultColumn]

  @inlinable
  init(
    all: @escaping @Sendable (ConnectionCore, StatementPointer, Int) throws -> [Row],
    one: @escaping @Sendable (inout RowReader) throws -> Row,
    columns: @escaping @Sendable () throws -> [ResultColumn]
  ) {
    self.all = all
    self.one = one
    self.columns = columns
  }
}

/// A column of a typed result.
@usableFromInline
package struct ResultColumn: Sendable {
  /// The name of the column or the alias; nil for an expression, which SQLite names by its text.
  package let name: String?
  package let type: any ColumnValue.Type
  package let form: StoredForm
  /// Whether it may be NULL: its type is an optional, or its table one that a left join may miss.
  package let isOptional: Bool

  @usableFromInline
  init(name: String?, type: any ColumnValue.Type, form: StoredForm, isOptional: Bool = false) {
    self.name = name
    self.type = type
    self.form = form
    self.isOptional = isOptional || type.isOptional
  }
}

/// The row at which a statement stands, read from left to right.
public struct RowReader {
  @usableFromInline let core: ConnectionCore
  @usableFromInline let statement: StatementPointer
  @usableFromInline var position = 0
}

@available(*, unavailable, message: "a row is read where its statement stands")
extension RowReader: Sendable {}
