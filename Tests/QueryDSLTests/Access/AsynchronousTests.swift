import QueryDSL
import SQLCore
import Testing

@testable import QueryFixtures

@Suite("Operations from asynchronous code")
struct AsynchronousTests {
  struct Visit: Codable, Equatable {
    var id: Int64
    var place: String
  }

  let music: Music
  private var db: Database { music.db }

  init() throws {
    music = try Music()
  }

  @Test("explain returns the plan of an update without running it")
  func plan() async throws {
    let command = Track.update { $0.$plays += 1 }.where { $0.$id == 1 }
    let plan = try await db.explain(command)
    #expect(plan.description == "SEARCH Track USING INTEGER PRIMARY KEY (rowid=?)")
    #expect(try await db.find(Track.self, 1)?.plays == 100)
  }

  @Test("plain structs are written to a named table and read back, and the table can be printed")
  func named() async throws {
    let visits = [Visit(id: 1, place: "Bern"), Visit(id: 2, place: "Ulm")]
    try await db.write(visits, to: "visits")
    let read: [Visit] = try await db.fetch(from: "visits")
    #expect(read == visits)
    let table = try await db.table(named: "visits")
    #expect(table.columns.map(\.name) == ["id", "place"])
    #expect(table.rows == [["1", "Bern"], ["2", "Ulm"]])
  }

  @Test("prepared commands return rows, also when they are prepared on a connection")
  func prepared() async throws {
    let add = try await db.prepare { (id: SQLParameter<Int>, name: SQLParameter<String>) in
      Album.insert {
        $0.$id = id
        $0.$name = name
      }.returning()
    }
    #expect(try await db.first(add(7, "seven")) == Album(id: 7, name: "seven"))
    #expect(try await db.fetch(add(8, "eight")).map(\.id) == [8])
    try await db.write { connection in
      let rename = try connection.prepare { (id: SQLParameter<Int>, name: SQLParameter<String>) in
        Album.update { $0.$name = name }.where { $0.$id == id }
      }
      #expect(try connection.run(rename(7, "VII")) == 1)
      let remove = try connection.prepare { (id: SQLParameter<Int>) in
        Album.delete().where { $0.$id == id }.returning()
      }
      #expect(try connection.fetch(remove(8)).map(\.name) == ["eight"])
    }
    #expect(try await db.find(Album.self, 7)?.name == "VII")
  }

  @Test("first returns the first model with its included rows")
  func including() async throws {
    let query = Album.order(by: \.$id).including(Track.order(by: \.$id), by: \.$albumID)
    let first = try #require(try await db.first(query))
    #expect(first.0.id == 1 && first.1.map(\.id) == [1, 2])
  }

  @Test("an update multiplies or divides a column in place")
  func arithmetic() async throws {
    try await db.run(Track.update { $0.$plays *= 3 }.where { $0.$id == 1 })
    try await db.run(Track.update { $0.$plays /= 2 }.where { $0.$id == 2 })
    #expect(try await db.find(Track.self, 1)?.plays == 300)
    #expect(try await db.find(Track.self, 2)?.plays == 10)
  }
}
