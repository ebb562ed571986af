import SQLCore

/// A prepared query with its arguments.
///
/// `fetch`, `first`, `count` and `exists` find the statement by a number, bind the arguments and
/// render nothing. Everything else that takes a query, such as `union` and `observe`, runs the
/// closure again with the arguments.
@usableFromInline
struct PreparedCall<Row: Sendable>: Fetchable {
  @usableFromInline let body: PreparedBody<Row>
  @usableFromInline let arguments: [_PreparedArgument]

  @inlinable
  init(body: PreparedBody<Row>, arguments: [_PreparedArgument]) {
    self.body = body
    self.arguments = arguments
  }

  /// The SELECT that the closure makes of the arguments.
  @usableFromInline var query: Query<Row> { body.build(arguments) }

  /// The SQL, with the arguments as its values. Throws if an argument cannot be stored.
  @usableFromInline var sql: SQL {
    get throws { try body.rows.sql(arguments) }
  }

  @inlinable
  func _rows(on connection: Connection) throws -> [Row] {
    let core = try connection.use()
    let statement = try body.rows.lend(arguments, on: core)
    defer { core.giveBack(statement) }
    return try body.decoding.all(core, statement, body.maximumRowCount)
  }

  /// Returns the first row, or nil. The statement ends after that row.
  @usableFromInline
  func _first(on connection: Connection) throws -> Row? {
    let core = try connection.use()
    let statement = try body.rows.lend(arguments, on: core)
    defer { core.giveBack(statement) }
    return try body.decoding.first(of: statement, on: core)
  }

  @usableFromInline
  func _count(on connection: Connection) throws -> Int {
    try body.count.integer(arguments, on: try connection.use())
  }

  @usableFromInline
  func _exists(on connection: Connection) throws -> Bool {
    try body.exists.integer(arguments, on: try connection.use()) != 0
  }

  @usableFromInline var _isLimited: Bool { body.isLimited }
}
