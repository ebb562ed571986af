/// The size of a connection's statement cache, and its hits and misses.
/// - SeeAlso: <https://www.sqlite.org/cintro.html>
public struct StatementCacheStatistics: Hashable, Sendable {
  /// The number of cached statements.
  public let count: Int
  /// The memory that the cached statements occupy, in bytes, as SQLite reports it.
  public let byteCount: Int
  /// How often a requested statement was in the cache.
  public let hits: Int
  /// How often a requested statement had to be prepared.
  public let misses: Int
  /// The fraction of requests that were hits, from 0 to 1; 0 before the first request.
  public var hitRate: Double {
    let total = Double(hits) + Double(misses)
    return total > 0 ? Double(hits) / total : 0
  }
}
