import SQLCore

/// Declares that rows of the table are kept in memory after they are read.
///
/// ```swift
/// static var schema: Schema<Post> { Cached(rows: 50_000, bytes: 32 << 20) }
///
/// let post = try await db.find(Post.self, id)       // reads the row
/// let again = try await db.find(Post.self, id)      // copies it from memory; no SQL
/// ```
///
/// `db.find` returns the row from memory if the cache has it. It never returns an outdated row. A
/// commit by this `Database` removes the changed rows from the cache. Any other commit, such as a
/// commit by another process, removes all rows. `find` inside `read { }` and `write { }` does not
/// use the cache, so a write sees its own changes.
///
/// The cache belongs to a `Database`, and the declaration changes nothing in the file. A database
/// in memory or without readers caches nothing. A table is not cached if its declared key is not
/// its primary key.
///
/// - Parameters:
///   - rows: The maximum number of rows. If more rows are read, the cache removes roughly the least
///     recently read rows.
///   - bytes: The approximate maximum number of bytes that the rows take.
public func Cached<M: Model>(rows: Int = 10_000, bytes: Int = 16 << 20) -> SchemaElement<M> {
  SchemaElement(kind: .cached(CacheLimits(rows: max(0, rows), bytes: max(0, bytes))))
}

/// Declares that query results are kept in memory. This applies to the queries whose first table is
/// the table of this schema.
///
/// ```swift
/// static var schema: Schema<Post> { CachedResults(rows: 10_000, bytes: 16 << 20) }
///
/// let front = Post.where { $0.$isPinned.isTrue }.order(by: \.$createdAt, .descending).limit(20)
/// let posts = try await db.fetch(front)             // runs the query
/// let again = try await db.fetch(front)             // copies the rows from memory; no SQL
/// ```
///
/// `db.fetch`, `first`, `count` and `exists` return the result from memory if the same query ran
/// before with the same values, and no later commit could have changed the result. A commit by this
/// `Database` removes the results of queries that read a changed table. Any other commit, such as a
/// commit by another process, removes all results. `read { }` and `write { }` do not use the cache,
/// so a write sees its own changes.
///
/// The first table of the query must have this declaration; the query may join any other tables. A
/// result is not cached in these cases:
/// - The query reads an attached database, or a virtual table whose rows are stored, such as a
///   full-text index.
/// - The query calls a function of dates or of decimals, `random()`, a rare function such as
///   `soundex`, or a function that a program registered.
/// - The query uses `map`.
/// - The result is larger than the cache.
///
/// The cache belongs to a `Database`, and the declaration changes nothing in the file. A database
/// in memory or without readers caches nothing.
///
/// - Parameters:
///   - rows: The maximum number of rows in all results together. A result without rows counts as
///     one row. If there are more rows, roughly the least recently read results are removed.
///   - bytes: The approximate maximum number of bytes that the results take.
public func CachedResults<M: ResultRow>(
  rows: Int = 10_000, bytes: Int = 16 << 20
) -> SchemaElement<M> {
  SchemaElement(kind: .cachedResults(CacheLimits(rows: max(0, rows), bytes: max(0, bytes))))
}

extension Database {
  /// Returns the statistics of a model's cached results since the database was opened. All counts
  /// are zero if the model's schema does not declare `CachedResults()`.
  ///
  /// Throws `ModelError` if the type cannot be a table. Runs no SQL.
  public func resultCacheStatistics<M: ResultRow>(of model: M.Type) throws -> CacheStatistics {
    guard let model = try M.layout.resultCaching, let cache = _cache else {
      return CacheStatistics()
    }
    return cache.statistics(of: model)
  }

  /// Returns the statistics of a model's cached rows since the database was opened. All counts are
  /// zero if the model is not cached.
  ///
  /// Throws `ModelError` if the type cannot be a table. Runs no SQL.
  public func cacheStatistics<M: Model>(of model: M.Type) throws -> CacheStatistics {
    guard let caching = try M.layout.caching, let cache = _cache else { return CacheStatistics() }
    return cache.statistics(of: caching.model)
  }
}
