import SQLCore

// The verbs for what was prepared: the statement is found by bytes that are there, its values are
// bound, and nothing is built or rendered.

extension Connection {
  /// All rows of a prepared query; throws as `fetch` of a query does.
  @inlinable
  public func fetch<Row>(_ call: PreparedCall<Row>) throws -> [Row] {
    let core = try use()
    let statement = try call.body.rows.lend(call.arguments, on: core)
    defer { core.giveBack(statement) }
    return try call.body.decoding.all(core, statement, call.body.maximumRowCount)
  }

  /// The first row of a prepared query, or nil; the statement ends after it.
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

  /// How many rows a prepared query gives.
  public func count<Row>(_ call: PreparedCall<Row>) throws -> Int {
    try call.body.count.integer(call.arguments, on: try use())
  }

  /// Whether a prepared query gives any row.
  public func exists<Row>(_ call: PreparedCall<Row>) throws -> Bool {
    try call.body.exists.integer(call.arguments, on: try use()) != 0
  }

  /// Runs a prepared command and gives back the rows that it wrote.
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

  /// Runs a prepared command on all its rows, and gives back the first that it wrote.
  public func first<Row>(_ call: PreparedReturningCall<Row>) throws -> Row? {
    try fetch(call).first
  }
}

extension DatabaseReader {
  /// All rows of a prepared query.
  public func fetch<Row>(_ call: PreparedCall<Row>) throws -> [Row] {
    try readWithoutTransaction { try $0.fetch(call) }
  }

  /// All rows of a prepared query.
  nonisolated(nonsending)
    public func fetch<Row>(_ call: PreparedCall<Row>) async throws -> [Row]
  {
    try await readWithoutTransaction(on: call.body.isLimited ? .caller : .background) {
      try $0.fetch(call)
    }
  }

  /// The first row of a prepared query, or nil.
  public func first<Row>(_ call: PreparedCall<Row>) throws -> Row? {
    try readWithoutTransaction { try $0.first(call) }
  }

  /// The first row of a prepared query, or nil.
  nonisolated(nonsending)
    public func first<Row>(_ call: PreparedCall<Row>) async throws -> Row?
  {
    try await readWithoutTransaction { try $0.first(call) }
  }

  /// How many rows a prepared query gives.
  public func count<Row>(_ call: PreparedCall<Row>) throws -> Int {
    try readWithoutTransaction { try $0.count(call) }
  }

  /// How many rows a prepared query gives.
  nonisolated(nonsending)
    public func count<Row>(_ call: PreparedCall<Row>) async throws -> Int
  {
    try await readWithoutTransaction { try $0.count(call) }
  }

  /// Whether a prepared query gives any row.
  public func exists<Row>(_ call: PreparedCall<Row>) throws -> Bool {
    try readWithoutTransaction { try $0.exists(call) }
  }

  /// Whether a prepared query gives any row.
  nonisolated(nonsending)
    public func exists<Row>(_ call: PreparedCall<Row>) async throws -> Bool
  {
    try await readWithoutTransaction { try $0.exists(call) }
  }
}

extension Database {
  /// Runs a prepared command and gives back the rows that it wrote, in a transaction of its own.
  public func fetch<Row>(_ call: PreparedReturningCall<Row>) throws -> [Row] {
    try write { try $0.fetch(call) }
  }

  /// Runs a prepared command and gives back the rows that it wrote, in a transaction of its own.
  nonisolated(nonsending)
    public func fetch<Row>(_ call: PreparedReturningCall<Row>) async throws -> [Row]
  {
    try await writeData { try $0.fetch(call) }
  }

  /// Runs a prepared command on all its rows, and gives back the first that it wrote.
  public func first<Row>(_ call: PreparedReturningCall<Row>) throws -> Row? {
    try write { try $0.first(call) }
  }

  /// Runs a prepared command on all its rows, and gives back the first that it wrote.
  nonisolated(nonsending)
    public func first<Row>(_ call: PreparedReturningCall<Row>) async throws -> Row?
  {
    try await writeData { try $0.first(call) }
  }
}
