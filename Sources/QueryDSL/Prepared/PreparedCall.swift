import SQLCore

/// A prepared query with its arguments.
///
/// `fetch`, `first`, `count` and `exists` find the statement by a number, bind the arguments and
/// render nothing. Everything else that takes a query, such as `union` and `observe`, runs the
/// closure again with the arguments.
@usableFromInline
struct PreparedCall<Row: Sendable, each Parameter: QueryParameter>: Fetchable {
  @usableFromInline let body: PreparedBody<Row>
  @usableFromInline let arguments: (repeat (each Parameter).Argument)

  @inlinable
  init(body: PreparedBody<Row>, arguments: repeat (each Parameter).Argument) {
    self.body = body
    self.arguments = (repeat each arguments)
  }

  /// The arguments without their types.
  @usableFromInline var list: [_PreparedArgument] {
    var list: [_PreparedArgument] = []
    repeat list.append((each Parameter)._wrapped(each arguments))
    return list
  }

  /// The SELECT that the closure makes of the arguments.
  @usableFromInline var query: Query<Row> { body.build(list) }

  /// The SQL, with the arguments as its values. Throws if an argument cannot be stored.
  @usableFromInline var sql: SQL {
    get throws { try body.rows.sql(list) }
  }

  /// Lends a statement with its values bound.
  @inlinable
  func lend(_ form: PreparedForm, on core: ConnectionCore) throws -> StatementPointer {
    var binder = try _ArgumentBinder(of: form, on: core)
    do {
      repeat try (each Parameter)._bind(each arguments, to: &binder)
      return try binder.finish { list }
    } catch {
      binder.abandon()
      throw error
    }
  }

  @inlinable
  func _rows(on connection: Connection) throws -> [Row] {
    let core = try connection.use()
    let statement = try lend(body.rows, on: core)
    defer { core.giveBack(statement) }
    return try body.decoding.all(core, statement, body.maximumRowCount)
  }

  /// Returns the first row, or nil. The statement ends after that row.
  @usableFromInline
  func _first(on connection: Connection) throws -> Row? {
    let core = try connection.use()
    let statement = try lend(body.rows, on: core)
    defer { core.giveBack(statement) }
    return try body.decoding.first(of: statement, on: core)
  }

  @usableFromInline
  func _count(on connection: Connection) throws -> Int {
    try integer(body.count, on: connection)
  }

  @usableFromInline
  func _exists(on connection: Connection) throws -> Bool {
    try integer(body.exists, on: connection) != 0
  }

  /// Runs a statement and returns the only number of its result.
  private func integer(_ form: PreparedForm, on connection: Connection) throws -> Int {
    let core = try connection.use()
    let statement = try lend(form, on: core)
    defer { core.giveBack(statement) }
    guard try core.step(statement) else { return 0 }
    return try StatementRow(statement: statement).get(Int.self, at: 0)
  }

  @usableFromInline var _isLimited: Bool { body.isLimited }
}
