import SQLCore

/// A query whose rows have one type: an argument of `fetch`, `first`, `count` and `observe`.
public protocol Fetchable<Row>: Sendable {
  /// The type as which a row is read: a model, a value, or a tuple.
  associatedtype Row: Sendable
  /// The SELECT, with the way to read its rows.
  var query: Query<Row> { get }
  /// The SQL of the query, with its values. Throws `QueryError` if the query cannot be written as
  /// SQL.
  var sql: SQL { get throws }

  // A query is rendered, but the call of a prepared query is not. These requirements are how the
  // methods of connections and readers run both.

  /// Returns all rows; programs do not use it directly, but call `fetch`.
  func _rows(on connection: Connection) throws -> [Row]
  /// Returns the first row, or nil; programs do not use it directly, but call `first`.
  func _first(on connection: Connection) throws -> Row?
  /// Returns the number of rows; programs do not use it directly, but call `count`.
  func _count(on connection: Connection) throws -> Int
  /// Returns whether there is any row; programs do not use it directly, but call `exists`.
  func _exists(on connection: Connection) throws -> Bool
  /// Whether the query has a limit, without which it may take long; programs do not use it
  /// directly.
  var _isLimited: Bool { get }
}

extension Fetchable {
  /// The SQL of the query, with its values. Throws `QueryError` if the query cannot be written as
  /// SQL.
  public var sql: SQL {
    get throws { try query.statement.rendered() }
  }
}
