import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

/// `isIn` of an optional, and JSON arrays, give the selected expressions of a subquery other names.
@Suite("Subqueries ordered by the name of a result column")
struct NamedSubqueryOrderTests {
  let music: Music

  init() throws { music = try Music() }

  @Test("isIn of an optional accepts a union with an order and a limit")
  func optional() throws {
    let rock = Track.where { $0.$genre == "rock" }.select(\.$albumID)
    let live = Track.where { $0.$isLive.isTrue }.select(\.$albumID)
    let albums = rock.union(live).order(byColumn: "albumID", .descending).limit(1)
    let greatest = try music.db.fetch(albums)
    #expect(greatest == [1])
    let found = try music.db.fetch(Track.where { $0.$albumID.isIn(albums) }.order(by: \.$id))
    #expect(found.map(\.id) == [1, 2])
  }

  @Test("so does isIn of a query that is ordered by an alias")
  func alias() throws {
    let best = Track.select { ($0.$rating + 0).as("best") }
      .order(byColumn: "best", .descending).limit(1)
    let found = try music.db.fetch(Track.where { $0.$rating.isIn(best) })
    #expect(found.map(\.id) == [1])
  }

  @Test("a JSON array of a union has the order of the union")
  func json() throws {
    let titles = Track.where { $0.$id < 3 }.select(\.$title)
      .union(Track.where { $0.$id == 4 }.select(\.$title)).order(byColumn: "title", .descending)
    let query = Album.where { $0.$id == 1 }.select { _ in titles.jsonGroupArray() }
    let array = try music.db.first(query)
    #expect(array?.value == ["Delta 100%", "Beta", "Alpha"])
  }
}
