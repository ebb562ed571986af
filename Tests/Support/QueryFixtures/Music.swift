import QueryDSL
import SQLCore
import SchemaMigration
import Testing

// The data of the query tests: five tracks, three albums.

struct Album: Model, Equatable {
  @PrimaryKey var id: Int
  @Column var name: String
}

struct Track: Model, Equatable {
  @PrimaryKey var id: Int
  @Column var title: String
  @Column var genre: String?
  @Column var rating: Int?
  @Column var plays: Int
  @Column var price: Double
  @Column var isLive: Bool
  @Column var albumID: Int?

  static var schema: Schema<Track> {
    Index(\.$genre)
    Index(\.$plays)
  }
}

struct Music {
  let db: Database

  static let albums = [
    Album(id: 1, name: "One"), Album(id: 2, name: "Two"), Album(id: 4, name: "Four"),
  ]

  static let tracks = [
    track(1, "Alpha", "rock", 5, 100, 1.5, false, 1),
    track(2, "Beta", "jazz", nil, 20, 0.5, true, 1),
    track(3, "gamma", nil, 3, 0, 2.0, false, 2),
    track(4, "Delta 100%", "rock", 1, 50, 0.0, true, nil),
    track(5, "Epsilon_", nil, nil, 7, -1.25, false, 3),
  ]

  private static func track(
    _ id: Int, _ title: String, _ genre: String?, _ rating: Int?, _ plays: Int, _ price: Double,
    _ isLive: Bool, _ albumID: Int?
  ) -> Track {
    Track(
      id: id, title: title, genre: genre, rating: rating, plays: plays, price: price,
      isLive: isLive, albumID: albumID)
  }

  init() throws {
    db = try Specification.database(models: [Album.self, Track.self])
    try db.insert(Self.albums)
    try db.insert(Self.tracks)
  }

  /// Expects the SQL after FROM and the table, and the keys of the rows, in any order.
  func expect(
    _ query: TableQuery<Track, Track>, _ sql: String, _ ids: [Int],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let start = """
      SELECT "id", "title", "genre", "rating", "plays", "price", "isLive", "albumID" FROM "Track"
      """
    let text = try query.sql.text
    #expect(text.hasPrefix(start), sourceLocation: sourceLocation)
    #expect(
      text.dropFirst(start.count) == sql[...].drop { $0 == "\n" }, sourceLocation: sourceLocation)
    #expect(try db.fetch(query).map(\.id).sorted() == ids, sourceLocation: sourceLocation)
    #expect(try db.count(query) == ids.count, sourceLocation: sourceLocation)
    #expect(try db.exists(query) == !ids.isEmpty, sourceLocation: sourceLocation)
  }

  /// Expects the condition after WHERE, and the keys of the rows for which it holds.
  func expect(
    where condition: String, _ ids: [Int], sourceLocation: SourceLocation = #_sourceLocation,
    @PredicateBuilder _ predicates: (Columns<Track>) -> PredicateLines
  ) throws {
    try expect(
      Track.where(predicates), " WHERE " + condition, ids, sourceLocation: sourceLocation)
  }

  /// Returns the lines of EXPLAIN QUERY PLAN.
  func plan(of query: some Fetchable) throws -> [String] {
    let sql = try query.sql
    return try db.read { connection in
      // EXPLAIN does not notice a changed schema; a statement that runs does.
      _ = try connection.row("SELECT 1 FROM sqlite_schema")
      return try connection.rows("EXPLAIN QUERY PLAN \(sql)").map { try $0.get(named: "detail") }
    }
  }
}
