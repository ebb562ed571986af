import SQLCore

// Each call is an access of its own, and each statement a snapshot of its own. From asynchronous
// code, what is short runs where it is called while a reader is idle, except on the main actor; a
// fetch without a limit always runs on a thread of the database.

extension Database {
  /// All rows of a query; throws as `Connection.fetch` does.
  public func fetch<Query: Fetchable>(_ query: Query) throws -> [Query.Row] {
    try reading { try $0.lend().fetch(query) }
  }

  /// All rows of a query; throws as `Connection.fetch` does.
  nonisolated(nonsending)
    public func fetch<Query: Fetchable>(_ query: Query) async throws -> [Query.Row]
  {
    try await reading(hops: query.request.statement.limit == nil) { try $0.lend().fetch(query) }
  }

  /// The first row of a query, or nil.
  public func first<Query: Fetchable>(_ query: Query) throws -> Query.Row? {
    try reading { try $0.lend().first(query) }
  }

  /// The first row of a query, or nil.
  nonisolated(nonsending)
    public func first<Query: Fetchable>(_ query: Query) async throws -> Query.Row?
  {
    try await reading(hops: false) { try $0.lend().first(query) }
  }

  /// How many rows a query gives.
  public func count(_ query: some Fetchable) throws -> Int {
    try reading { try $0.lend().count(query) }
  }

  /// How many rows a query gives.
  nonisolated(nonsending)
    public func count(_ query: some Fetchable) async throws -> Int
  {
    try await reading(hops: false) { try $0.lend().count(query) }
  }

  /// Whether a query gives any row.
  public func exists(_ query: some Fetchable) throws -> Bool {
    try reading { try $0.lend().exists(query) }
  }

  /// Whether a query gives any row.
  nonisolated(nonsending)
    public func exists(_ query: some Fetchable) async throws -> Bool
  {
    try await reading(hops: false) { try $0.lend().exists(query) }
  }

  /// The model with that key, or nil: one index seek.
  public func find<M: Model>(_ model: M.Type, _ id: M.ID) throws -> M? {
    try reading { try $0.lend().find(model, id) }
  }

  /// The model with that key, or nil: one index seek.
  nonisolated(nonsending)
    public func find<M: Model>(_ model: M.Type, _ id: M.ID) async throws -> M?
  {
    try await reading(hops: false) { try $0.lend().find(model, id) }
  }

  /// Rows of a raw statement as models; throws as `Connection.fetch` does.
  public func fetch<M: Model>(_ model: M.Type, _ sql: SQL) throws -> [M] {
    try reading { try $0.lend().fetch(model, sql) }
  }

  /// Rows of a raw statement as models; throws as `Connection.fetch` does.
  nonisolated(nonsending)
    public func fetch<M: Model>(_ model: M.Type, _ sql: SQL) async throws -> [M]
  {
    try await reading(hops: true) { try $0.lend().fetch(model, sql) }
  }
}
