import SQLCore

// Each call is an access of its own, and each statement a snapshot of its own. From asynchronous
// code, what is short runs where it is called while a reader is idle, except on the main actor; a
// fetch without a limit always runs on a thread of the database.

extension DatabaseReader {
  /// All rows of a query; throws as `Connection.fetch` does.
  public func fetch<Query: Fetchable>(_ query: Query) throws -> [Query.Row] {
    try readWithoutTransaction { try $0.fetch(query) }
  }

  /// All rows of a query; throws as `Connection.fetch` does.
  nonisolated(nonsending)
    public func fetch<Query: Fetchable>(_ query: Query) async throws -> [Query.Row]
  {
    try await readWithoutTransaction(on: query.execution) { try $0.fetch(query) }
  }

  /// The first row of a query, or nil.
  public func first<Query: Fetchable>(_ query: Query) throws -> Query.Row? {
    try readWithoutTransaction { try $0.first(query) }
  }

  /// The first row of a query, or nil.
  nonisolated(nonsending)
    public func first<Query: Fetchable>(_ query: Query) async throws -> Query.Row?
  {
    try await readWithoutTransaction { try $0.first(query) }
  }

  /// How many rows a query gives.
  public func count(_ query: some Fetchable) throws -> Int {
    try readWithoutTransaction { try $0.count(query) }
  }

  /// How many rows a query gives.
  nonisolated(nonsending)
    public func count(_ query: some Fetchable) async throws -> Int
  {
    try await readWithoutTransaction { try $0.count(query) }
  }

  /// Whether a query gives any row.
  public func exists(_ query: some Fetchable) throws -> Bool {
    try readWithoutTransaction { try $0.exists(query) }
  }

  /// Whether a query gives any row.
  nonisolated(nonsending)
    public func exists(_ query: some Fetchable) async throws -> Bool
  {
    try await readWithoutTransaction { try $0.exists(query) }
  }

  /// The model with that key, or nil: one index seek.
  @inlinable
  public func find<M: Model>(_ model: M.Type, _ id: M.ID) throws -> M? {
    try readWithoutTransaction { try $0.find(model, id) }
  }

  /// The model with that key, or nil: one index seek.
  @inlinable
  nonisolated(nonsending)
    public func find<M: Model>(_ model: M.Type, _ id: M.ID) async throws -> M?
  {
    try await readWithoutTransaction { try $0.find(model, id) }
  }
}

extension Fetchable {
  /// Where asynchronous code fetches it: what has no limit may be long.
  var execution: ReadExecution { request.statement.limit == nil ? .background : .caller }
}
