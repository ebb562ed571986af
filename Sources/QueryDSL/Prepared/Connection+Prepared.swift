import SQLCore

// The methods for prepared queries and commands. The statement is found by a number, its values are
// bound, and no query is built or rendered.

extension Connection {
  /// Returns all rows of a prepared query: one statement. Throws what `fetch` of a query throws.
  @inlinable
  public func fetch<Row>(_ call: PreparedCall<Row>) throws -> [Row] {
    let core = try use()
    let statement = try call.body.rows.lend(call.arguments, on: core)
    defer { core.giveBack(statement) }
    return try call.body.decoding.all(core, statement, call.body.maximumRowCount)
  }

  /// Returns the first row of a prepared query, or nil. The statement ends after that row.
  public func first<Row>(_ call: PreparedCall<Row>) throws -> Row? {
    let core = try use()
    let statement = try call.body.rows.lend(call.arguments, on: core)
    defer { core.giveBack(statement) }
    guard try core.step(statement) else { return nil }
    var reader = RowReader(core: core, statement: statement)
    do {
      return try call.body.decoding.one(&reader)
    } catch let error as ColumnValueError {
      throw error.at(table: nil, column: nil, row: 0)
    }
  }

  /// Returns the number of rows of a prepared query: one statement, `SELECT count(*)`.
  public func count<Row>(_ call: PreparedCall<Row>) throws -> Int {
    try call.body.count.integer(call.arguments, on: try use())
  }

  /// Returns whether a prepared query has any row: one statement, `SELECT EXISTS (…)`.
  public func exists<Row>(_ call: PreparedCall<Row>) throws -> Bool {
    try call.body.exists.integer(call.arguments, on: try use()) != 0
  }

  /// Runs a prepared command and returns the rows that it wrote.
  public func fetch<Row>(_ call: PreparedReturningCall<Row>) throws -> [Row] {
    let core = try use()
    let statement = try call.run.form.lend(call.run.arguments, on: core)
    defer { core.giveBack(statement) }
    do {
      return try call.decoding.allWritten(by: statement, on: core)
    } catch let error as DatabaseError {
      throw call.run.place.locate(error, core)
    }
  }

  /// Runs a prepared command on all its rows and returns the first row that it wrote.
  public func first<Row>(_ call: PreparedReturningCall<Row>) throws -> Row? {
    try fetch(call).first
  }
}

extension DatabaseReader {
  /// Returns all rows of a prepared query.
  public func fetch<Row>(_ call: PreparedCall<Row>) throws -> [Row] {
    try readWithoutTransaction { try $0.fetch(call) }
  }

  /// Returns all rows of a prepared query.
  nonisolated(nonsending)
    public func fetch<Row>(_ call: PreparedCall<Row>) async throws -> [Row]
  {
    try await readWithoutTransaction(on: call.body.isLimited ? .caller : .background) {
      try $0.fetch(call)
    }
  }

  /// Returns the first row of a prepared query, or nil.
  public func first<Row>(_ call: PreparedCall<Row>) throws -> Row? {
    try readWithoutTransaction { try $0.first(call) }
  }

  /// Returns the first row of a prepared query, or nil.
  nonisolated(nonsending)
    public func first<Row>(_ call: PreparedCall<Row>) async throws -> Row?
  {
    try await readWithoutTransaction { try $0.first(call) }
  }

  /// Returns the number of rows of a prepared query.
  public func count<Row>(_ call: PreparedCall<Row>) throws -> Int {
    try readWithoutTransaction { try $0.count(call) }
  }

  /// Returns the number of rows of a prepared query.
  nonisolated(nonsending)
    public func count<Row>(_ call: PreparedCall<Row>) async throws -> Int
  {
    try await readWithoutTransaction { try $0.count(call) }
  }

  /// Returns whether a prepared query has any row.
  public func exists<Row>(_ call: PreparedCall<Row>) throws -> Bool {
    try readWithoutTransaction { try $0.exists(call) }
  }

  /// Returns whether a prepared query has any row.
  nonisolated(nonsending)
    public func exists<Row>(_ call: PreparedCall<Row>) async throws -> Bool
  {
    try await readWithoutTransaction { try $0.exists(call) }
  }
}

extension Database {
  /// Runs a prepared command in a transaction of its own and returns the rows that it wrote.
  public func fetch<Row>(_ call: PreparedReturningCall<Row>) throws -> [Row] {
    try write { try $0.fetch(call) }
  }

  /// Runs a prepared command in a transaction of its own and returns the rows that it wrote.
  nonisolated(nonsending)
    public func fetch<Row>(_ call: PreparedReturningCall<Row>) async throws -> [Row]
  {
    try await writeData { try $0.fetch(call) }
  }

  /// Runs a prepared command on all its rows, in a transaction of its own, and returns the first
  /// row that it wrote.
  public func first<Row>(_ call: PreparedReturningCall<Row>) throws -> Row? {
    try write { try $0.first(call) }
  }

  /// Runs a prepared command on all its rows, in a transaction of its own, and returns the first
  /// row that it wrote.
  nonisolated(nonsending)
    public func first<Row>(_ call: PreparedReturningCall<Row>) async throws -> Row?
  {
    try await writeData { try $0.first(call) }
  }
}
