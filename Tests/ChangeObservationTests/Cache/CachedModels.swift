import QueryDSL
import SQLCore

// The tables of `RandomWrites`, as cached models.

struct Item: Model, Equatable {
  @PrimaryKey var id: Int
  @Column var title: String
  @Column var stars: Int

  static var schema: Schema<Item> {
    Cached(rows: 8)
    CachedResults(rows: 60)
  }
}

struct Link: Model, Equatable {
  struct ID: Hashable, Sendable {
    var item: Int
    var name: String
  }
  @PrimaryKey var item: Int
  @PrimaryKey var name: String
  @Column var weight: Double
  var id: ID { ID(item: item, name: name) }

  static var schema: Schema<Link> {
    Cached()
    CachedResults()
  }
}

struct Word: Model, Equatable {
  @PrimaryKey var name: String
  @Column var count: Int
  var id: String { name }

  static var schema: Schema<Word> {
    Cached()
    CachedResults(rows: 40, bytes: 4_000)
  }
}

struct Loose: Model, Equatable {
  @PrimaryKey var name: String
  @Column var item: Int?
  var id: String { name }

  static var schema: Schema<Loose> { Cached() }
}

/// A model that fills a cache of a few rows.
struct Page: Model, Equatable {
  @PrimaryKey var id: Int
  @Column var text: String

  static var schema: Schema<Page> { Cached(rows: 100, bytes: 100_000) }
}

extension Database {
  /// The counts of a model's cache since the last call of `before`.
  func counts<M: Model>(
    of model: M.Type, _ body: () throws -> Void
  ) throws -> (hits: Int, misses: Int, invalidations: Int) {
    let before = try cacheStatistics(of: model)
    try body()
    let after = try cacheStatistics(of: model)
    return (
      after.hits - before.hits, after.misses - before.misses,
      after.invalidations - before.invalidations
    )
  }
}
