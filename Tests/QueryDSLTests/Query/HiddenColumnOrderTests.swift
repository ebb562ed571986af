import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

private struct Line: ResultRow {
  @Column var id: Int
  @Column var plays: Int
}

/// SQLite takes a bare name in ORDER BY for the alias of a selected expression, if there is one.
@Suite("ORDER BY a column beside an alias of the same name")
struct HiddenColumnOrderTests {
  let music: Music

  init() throws { music = try Music() }

  // The plays of the tracks 1 to 5 are 100, 20, 0, 50, 7.
  private static let byPlays = [3, 5, 2, 4, 1]

  @Test("order(by:) means the column")
  func column() throws {
    let query = Track.select { ($0.$id, ($0.$plays * -1).as("PLAYS")) }.order(by: \.$plays)
    let rows = try music.db.fetch(query)
    #expect(rows.map(\.0) == Self.byPlays)
    let first = try music.db.fetch(query.limit(1))
    #expect(first.map(\.0) == [3])
    let text = try query.sql.text
    #expect(text.hasSuffix(#"FROM "Track" ORDER BY "Track"."plays""#))
  }

  @Test("so do OrderBy in a query, and an expression with the column")
  func clauses() throws {
    let query = Query { (track: Columns<Track>) in
      From(track)
      OrderBy(track.$plays)
      Select(track.$id, (track.$plays * -1).as("plays"), into: Line.self)
    }
    let lines = try music.db.fetch(query)
    #expect(lines.map(\.id) == Self.byPlays)
    let sums = Track.select { ($0.$id, ($0.$plays * -1).as("plays")) }.order { $0.$plays + 1 }
    let rows = try music.db.fetch(sums)
    #expect(rows.map(\.0) == Self.byPlays)
  }

  @Test("the name of the alias means the alias")
  func alias() throws {
    let query = Track.select { ($0.$id, ($0.$plays * -1).as("plays")) }.order(byColumn: "plays")
    let rows = try music.db.fetch(query)
    #expect(rows.map(\.0) == Self.byPlays.reversed())
  }

  @Test("without such an alias, the column has no table's name")
  func plain() throws {
    let text = try Track.select { ($0.$id, ($0.$plays * -1).as("fewest")) }.order(by: \.$plays)
      .sql.text
    #expect(text.hasSuffix(#"ORDER BY "plays""#))
  }
}
