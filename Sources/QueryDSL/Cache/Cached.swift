import SQLCore

/// Declares that rows of the table are kept in memory after they were read.
///
/// ```swift
/// static var schema: Schema<Post> { Cached(rows: 50_000, bytes: 32 << 20) }
///
/// let post = try await db.find(Post.self, id)       // reads the row
/// let again = try await db.find(Post.self, id)      // copies it from memory; no SQL
/// ```
///
/// `db.find` returns the row from memory if the cache has it. It never returns an outdated row: a
/// commit of this database removes the rows that it touched, and any other commit, also of another
/// process, removes all rows. `find` inside `read { }` and `write { }` does not use the cache, so a
/// write sees its own changes.
///
/// The cache belongs to a `Database`. The line changes nothing in the file. A database in memory or
/// without readers caches nothing. Neither is a table cached whose declared key is not its primary
/// key.
///
/// - Parameters:
///   - rows: The maximum number of rows. If more are read, the cache removes rows that have not
///     been read for the longest time, approximately.
///   - bytes: The maximum number of bytes that the rows take, roughly.
public func Cached<M: Model>(rows: Int = 10_000, bytes: Int = 16 << 20) -> SchemaElement<M> {
  SchemaElement(kind: .cached(CacheLimits(rows: max(0, rows), bytes: max(0, bytes))))
}

/// Declares that the results of queries that begin with the table are kept in memory.
///
/// ```swift
/// static var schema: Schema<Post> { CachedResults(rows: 10_000, bytes: 16 << 20) }
///
/// let front = Post.where { $0.$isPinned.isTrue }.order(by: \.$createdAt, .descending).limit(20)
/// let posts = try await db.fetch(front)             // runs the query
/// let again = try await db.fetch(front)             // copies the rows from memory; no SQL
/// ```
///
/// `db.fetch`, `first`, `count` and `exists` return the result from memory if the same query was
/// run before with the same values, and no later commit could have changed it. A commit of this
/// database removes the results of queries that read a table in which it changed any row. Any other
/// commit, also of another process, removes all results. `read { }` and `write { }` do not use the
/// cache, so a write sees its own changes.
///
/// The first table of the query must have this line; the query may join any other tables. The
/// result is not cached in four cases: the query reads a virtual table, such as a full-text index,
/// or an attached database; it calls a function for dates or a function that a program registered;
/// it has `map`; or its result is larger than the cache.
///
/// The cache belongs to a `Database`. The line changes nothing in the file. A database in memory, or
/// without readers, caches nothing.
///
/// - Parameters:
///   - rows: The maximum number of rows of all results; one without rows counts as one. If there are more,
///     the results that were not read for the longest time are removed, roughly.
///   - bytes: The maximum number of bytes that the results take, roughly.
public func CachedResults<M: ResultRow>(
  rows: Int = 10_000, bytes: Int = 16 << 20
) -> SchemaElement<M> {
  SchemaElement(kind: .cachedResults(CacheLimits(rows: max(0, rows), bytes: max(0, bytes))))
}

extension Database {
  /// Returns the counts of the cache of results of queries that begin with a model's table, since
  /// the database was opened; all are zero if the model has no line `CachedResults()`.
  ///
  /// Throws `ModelError` if the type cannot be a table. Runs no SQL.
  public func resultCacheStatistics<M: ResultRow>(of model: M.Type) throws -> CacheStatistics {
    guard let model = try M.layout.resultCaching, let cache = _cache else {
      return CacheStatistics()
    }
    return cache.statistics(of: model)
  }

  /// Returns the counts of a model's cache, since the database was opened; all are zero if the model
  /// is not cached.
  ///
  /// Throws `ModelError` if the type cannot be a table. Runs no SQL.
  public func cacheStatistics<M: Model>(of model: M.Type) throws -> CacheStatistics {
    guard let caching = try M.layout.caching, let cache = _cache else { return CacheStatistics() }
    return cache.statistics(of: caching.model)
  }
}
