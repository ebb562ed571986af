import SQLCore

// Each call is a separate access and reads the newest snapshot. In asynchronous code, a short
// access runs on the calling thread if a reader is idle, except on the main actor. A fetch without
// a limit always runs on a thread of the database.

extension DatabaseReader {
  /// Returns all rows of a query. Throws the errors of `Connection.fetch`.
  public func fetch<Q: Fetchable>(
    _ query: Q, fileID: StaticString = #fileID, line: UInt = #line
  ) throws -> [Q.Row] {
    try cachedRead(query, .rows, fileID, line) { try $0.fetch(query) }
  }

  /// Returns all rows of a query. Throws the errors of `Connection.fetch`.
  public func fetch<Q: Fetchable>(
    _ query: Q, fileID: StaticString = #fileID, line: UInt = #line
  ) async throws -> [Q.Row] {
    try await cachedRead(query, .rows, on: query.execution, fileID, line) { try $0.fetch(query) }
  }

  /// Returns the first row of a query, or nil. Throws the errors of `Connection.fetch`.
  public func first<Q: Fetchable>(
    _ query: Q, fileID: StaticString = #fileID, line: UInt = #line
  ) throws -> Q.Row? {
    try cachedRead(query, .first, fileID, line) { try $0.first(query) }
  }

  /// Returns the first row of a query, or nil. Throws the errors of `Connection.fetch`.
  public func first<Q: Fetchable>(
    _ query: Q, fileID: StaticString = #fileID, line: UInt = #line
  ) async throws -> Q.Row? {
    try await cachedRead(query, .first, on: .caller, fileID, line) { try $0.first(query) }
  }

  /// Returns the number of rows of a query. The call runs one statement, `SELECT count(*)`, unless
  /// the result is cached.
  public func count(
    _ query: some Fetchable, fileID: StaticString = #fileID, line: UInt = #line
  ) throws -> Int {
    try cachedRead(query, .count, fileID, line) { try $0.count(query) }
  }

  /// Returns the number of rows of a query. The call runs one statement, `SELECT count(*)`, unless
  /// the result is cached.
  public func count(
    _ query: some Fetchable, fileID: StaticString = #fileID, line: UInt = #line
  ) async throws -> Int {
    try await cachedRead(query, .count, on: .caller, fileID, line) { try $0.count(query) }
  }

  /// Returns whether a query has any row. The call runs one statement, `SELECT EXISTS (…)`, unless
  /// the result is cached.
  public func exists(
    _ query: some Fetchable, fileID: StaticString = #fileID, line: UInt = #line
  ) throws -> Bool {
    try cachedRead(query, .exists, fileID, line) { try $0.exists(query) }
  }

  /// Returns whether a query has any row. The call runs one statement, `SELECT EXISTS (…)`, unless
  /// the result is cached.
  public func exists(
    _ query: some Fetchable, fileID: StaticString = #fileID, line: UInt = #line
  ) async throws -> Bool {
    try await cachedRead(query, .exists, on: .caller, fileID, line) { try $0.exists(query) }
  }

  /// Returns the model with the key `id`, or nil. The call takes one index seek. If the schema has
  /// `Cached()` and the row is in the cache, no SQL runs.
  @inlinable
  public func find<M: Model>(
    _ model: M.Type, _ id: M.ID, fileID: StaticString = #fileID, line: UInt = #line
  ) throws -> M? {
    let cached = _cached(model, id)
    if cached != nil { return cached }
    if let caching = try M.caching, let cache = _cache {
      switch try withUnsafePointer(to: id, { try caching.lookUp($0, in: cache) }) {
      case .hit(let value): return unsafeDowncast(value, to: CachedRow<M>.self).model
      case .miss(let miss):
        return try _readOnce(fileID, line) { try $0.find(model, id, after: miss) }
      case .none: break
      }
    }
    return try _readOnce(fileID, line) { try $0.find(model, id) }
  }

  /// Returns the model with the key `id`, or nil. The call takes one index seek. If the schema has
  /// `Cached()` and the row is in the cache, no SQL runs.
  ///
  /// A cached row is returned on the calling thread, even on the main actor.
  @inlinable
  public func find<M: Model>(
    _ model: M.Type, _ id: M.ID, fileID: StaticString = #fileID, line: UInt = #line
  ) async throws -> M? {
    let cached = _cached(model, id)
    if cached != nil {
      try Task.checkCancellation()
      if let cache = _cache, cache.isTimeToYield { await Task.yield() }
      return cached
    }
    if let caching = try M.caching, let cache = _cache {
      switch try withUnsafePointer(to: id, { try caching.lookUp($0, in: cache) }) {
      case .hit(let value):
        try Task.checkCancellation()
        if cache.isTimeToYield { await Task.yield() }
        return unsafeDowncast(value, to: CachedRow<M>.self).model
      case .miss(let miss):
        return try await _readOnce(on: .caller, fileID, line) {
          try $0.find(model, id, after: miss)
        }
      case .none: break
      }
    }
    return try await _readOnce(on: .caller, fileID, line) { try $0.find(model, id) }
  }

  /// Returns the models with these keys, in the order of the keys. The result has nil for a key
  /// that does not exist.
  ///
  /// All models are read in one snapshot.
  public func find<M: Model>(
    _ model: M.Type, _ ids: some Sequence<M.ID>, fileID: StaticString = #fileID,
    line: UInt = #line
  ) throws -> [M?] {
    try read(fileID: fileID, line: line) { try $0.find(model, ids) }
  }

  /// Returns the models with these keys, in the order of the keys. The result has nil for a key
  /// that does not exist.
  ///
  /// All models are read in one snapshot.
  public func find<M: Model>(
    _ model: M.Type, _ ids: some Sequence<M.ID>, fileID: StaticString = #fileID,
    line: UInt = #line
  ) async throws -> [M?] {
    let ids = Array(ids)
    return try await read(on: .background, fileID: fileID, line: line) { try $0.find(model, ids) }
  }
}

extension Fetchable {
  /// Where asynchronous code runs the query. A query with a limit runs on the calling thread. A
  /// query without a limit may take long, so it runs in the background.
  var execution: ReadExecution { _isLimited ? .caller : .background }
}
