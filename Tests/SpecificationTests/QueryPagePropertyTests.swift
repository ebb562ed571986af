import QueryDSL
import SQLCore
import SchemaMigration
import TestRun
import Testing

@testable import QueryFixtures

/// For random rows and orders of a join, the pages together are the whole ordered result.
@Suite("Pages of random joins in random orders")
struct QueryPagePropertyTests {
  @Test(
    "the pages together contain each row once, in the order",
    arguments: 0..<TestSize.count(small: 20, full: 100))
  func pages(_ round: Int) throws {
    let seed = TestSeed.draw()
    let comment: Comment = "seed \(seed), round \(round)"
    var random = SeededGenerator(seed: seed &+ UInt64(round))
    let db = try Specification.database(models: [Album.self, Track.self])
    try db.insert((1...4).map { Album(id: $0, name: ["a", "B"][$0 % 2]) })
    try db.insert(
      (0..<Int.random(in: 0...15, using: &random)).map { id in
        Track(
          id: id, title: ["", "a", "A", "ä"].randomElement(using: &random) ?? "",
          genre: Bool.random(using: &random) ? nil : "g",
          rating: Bool.random(using: &random) ? nil : Int.random(in: 0...2, using: &random),
          plays: Int.random(in: 0...2, using: &random), price: 0.5,
          isLive: Bool.random(using: &random),
          albumID: Bool.random(using: &random) ? nil : Int.random(in: 1...5, using: &random))
      })
    var query = base(&random)
    for _ in 0..<Int.random(in: 0...3, using: &random) { query = ordered(query, &random) }
    if Bool.random(using: &random) {
      query = query.where { (track: OptionalColumns<Track>) in track.$plays != 1 }
    }
    let whole = try db.fetch(query.page())
    #expect(whole.count == (try db.count(query)), comment)
    let size = Int.random(in: 1...6, using: &random)
    var rows: [String] = []
    var cursor: PageCursor<(Int?, Int?)>?
    while rows.count <= whole.count {
      let page = try db.fetch(query.limit(size).page(after: cursor))
      guard let last = page.last else { break }
      rows += page.map { "\($0.row)" }
      cursor = try PageCursor(last.cursor.description)
    }
    #expect(rows == whole.map { "\($0.row)" }, comment)
    rows = []
    cursor = nil
    while rows.count <= whole.count {
      let page = try db.fetch(query.limit(size).page(before: cursor))
      guard let last = page.last else { break }
      rows += page.map { "\($0.row)" }
      cursor = last.cursor
    }
    #expect(rows == whole.reversed().map { "\($0.row)" }, comment)
  }

  /// A join whose tables are optional, so that all kinds of joins have the same parameters.
  private func base(_ random: inout SeededGenerator) -> Query<(Int?, Int?)> {
    let (kind, isTrackFirst) = (Int.random(in: 0...4, using: &random), Bool.random(using: &random))
    return Query { (track: OptionalColumns<Track>, album: OptionalColumns<Album>) in
      if isTrackFirst { From(track) } else { From(album) }
      if isTrackFirst {
        join(album, kind, on: track.$albumID == album.$id)
      } else {
        join(track, kind, on: album.$id == track.$albumID)
      }
      Select(track.$id, album.$id)
    }
  }

  private func join<M: TableModel>(
    _ table: OptionalColumns<M>, _ kind: Int, on condition: SQLPredicate
  ) -> QueryClause {
    switch kind {
    case 0: Join(table, on: condition)
    case 1: LeftJoin(table, on: condition)
    case 2: RightJoin(table, on: condition)
    case 3: FullJoin(table, on: condition)
    default: CrossJoin(table)
    }
  }

  private func ordered(
    _ query: Query<(Int?, Int?)>, _ random: inout SeededGenerator
  ) -> Query<(Int?, Int?)> {
    let direction: SortDirection = Bool.random(using: &random) ? .ascending : .descending
    let nulls: NullOrder? = [nil, .first, .last].randomElement(using: &random) ?? nil
    typealias Tracks = OptionalColumns<Track>
    return switch Int.random(in: 0...6, using: &random) {
    case 0: query.order(by: { (t: Tracks) in t.$title }, direction, nulls: nulls)
    case 1: query.order(by: { (t: Tracks) in t.$rating }, direction, nulls: nulls)
    case 2: query.order(by: { (t: Tracks) in t.$plays }, direction, nulls: nulls)
    case 3: query.order(by: { (t: Tracks) in t.$genre.length() }, direction, nulls: nulls)
    case 4:
      query.order(by: { (a: OptionalColumns<Album>) in a.$name }, direction, nulls: nulls)
    case 5:
      query.order(
        by: { (t: Tracks, a: OptionalColumns<Album>) in t.$plays + a.$id }, direction, nulls: nulls)
    default: query.order(by: { (t: Tracks) in t.$id }, direction, nulls: nulls)
    }
  }
}
