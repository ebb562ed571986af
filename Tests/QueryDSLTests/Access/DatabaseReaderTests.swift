import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

@Suite("Typed reads on any reader")
struct TypedReaderTests {
  private func readers() throws -> [any DatabaseReader] {
    let memory = try Database.inMemory(models: [Album.self])
    let file = try Specification.database(models: [Album.self])
    for db in [memory, file] { try db.insert([Album(id: 1, name: "A"), Album(id: 2, name: "B")]) }
    let snapshot = try file.makeSnapshot()
    try file.insert(Album(id: 3, name: "C"))
    try file.delete(Album.self, 3)
    return [memory, file, snapshot]
  }

  @Test("every reader has rows, first, find, count, exists and table, synchronously")
  func sync() throws {
    for reader in try readers() { try expectTwo(in: reader) }
  }

  private func expectTwo(in reader: some DatabaseReader) throws {
    let query = Album.all.order(by: \.$id)
    #expect(try reader.fetch(query).map(\.name) == ["A", "B"])
    #expect(try reader.first(query)?.name == "A")
    #expect(try reader.find(Album.self, 2)?.name == "B")
    #expect(try reader.find(Album.self, 3) == nil)
    #expect(try reader.count(Album.all) == 2)
    #expect(try reader.exists(Album.where { $0.$name == "B" }))
    #expect(try !reader.exists(Album.where { $0.$name == "C" }))
    #expect(try reader.fetch(Album.self, "SELECT * FROM Album").count == 2)
    #expect(try reader.table(query).rows.count == 2)
  }

  @Test("every reader has rows, first, find, count, exists and table, asynchronously")
  func async() async throws {
    let query = Album.all.order(by: \.$id)
    for reader in try readers() {
      #expect(try await reader.fetch(query).map(\.name) == ["A", "B"])
      #expect(try await reader.fetch(query.limit(1)).map(\.name) == ["A"])
      #expect(try await reader.first(query)?.name == "A")
      #expect(try await reader.find(Album.self, 2)?.name == "B")
      #expect(try await reader.count(Album.all) == 2)
      #expect(try await reader.exists(Album.where { $0.$name == "B" }))
      #expect(try await reader.fetch(Album.self, "SELECT * FROM Album").count == 2)
      #expect(try await reader.table(query).rows.count == 2)
    }
  }
}
