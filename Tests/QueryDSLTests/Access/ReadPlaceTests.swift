import QueryDSL
import SchemaMigration
import Synchronization
import Testing

@testable import QueryFixtures
@testable import SQLCore

@Suite("The place in the source that each read reports")
struct ReadPlaceTests {
  private let db: Database
  private let places = Places()

  init() throws {
    db = try Specification.database(models: [Album.self])
    try db.insert(Album(id: 1, name: "A"))
    try db.onTrace(.statement) { [weak db = db, places = places] _ in
      places.add(db?.access.pool.readers(since: .now) ?? [])
    }
  }

  /// Expects that every statement of a closure reports the place at which the closure begins.
  private func expectPlace(line: UInt = #line, of read: () async throws -> Void) async throws {
    places.removeAll()
    try await read()
    let place = "QueryDSLTests/ReadPlaceTests.swift:\(line)"
    #expect(!places.all.isEmpty && places.all.allSatisfy { $0 == place }, "\(places.all)")
  }

  @Test("a read of a query reports its caller, on this thread")
  func sync() async throws {
    try await expectPlace { _ = try onThread { try db.read { try $0.fetch(Album.all) } } }
    try await expectPlace { _ = try onThread { try db.fetch(Album.all) } }
    try await expectPlace { _ = try onThread { try db.first(Album.all) } }
    try await expectPlace { _ = try onThread { try db.count(Album.all) } }
    try await expectPlace { _ = try onThread { try db.exists(Album.all) } }
    try await expectPlace { _ = try onThread { try db.find(Album.self, 1) } }
    try await expectPlace { _ = try onThread { try db.find(Album.self, [1, 2]) } }
    try await expectPlace { _ = try onThread { try db.table(Album.all) } }
    try await expectPlace { _ = try onThread { try db.explain(Album.all) } }
    try await expectPlace { _ = try onThread { try db.fetch(Album.self, "SELECT * FROM Album") } }
  }

  @Test("a read of a query reports its caller, from asynchronous code")
  func async() async throws {
    try await expectPlace { _ = try await db.fetch(Album.all) }
    try await expectPlace { _ = try await db.fetch(Album.all.limit(1)) }
    try await expectPlace { _ = try await db.first(Album.all) }
    try await expectPlace { _ = try await db.count(Album.all) }
    try await expectPlace { _ = try await db.exists(Album.all) }
    try await expectPlace { _ = try await db.find(Album.self, 1) }
    try await expectPlace { _ = try await db.find(Album.self, [1, 2]) }
    try await expectPlace { _ = try await db.table(Album.all) }
    try await expectPlace { _ = try await db.explain(Album.all) }
    try await expectPlace { _ = try await db.fetch(Album.self, "SELECT * FROM Album") }
  }

  @Test("a read of plain structs reports its caller")
  func plainStructs() async throws {
    struct Plain: Codable {
      let id: Int
      let name: String
    }
    let find = { (id: Int) -> Plain? in try db.find(id: id, from: "Album") }
    let line: UInt = #line - 1
    try await expectPlace(line: line) {
      let album = try find(1)
      #expect(album?.name == "A")
    }
    try await expectPlace { let _: [Plain] = try await db.fetch(from: "Album") }
    try await expectPlace { let _: Plain? = try await db.find(id: 1, from: "Album") }
    try await expectPlace { _ = try await db.table(named: "Album") }
  }

  /// Runs a closure that is not asynchronous, so that the synchronous methods are called.
  private func onThread<Result>(_ body: () throws -> Result) rethrows -> Result { try body() }
}

/// The places of the reads that ran while statements began.
private final class Places: Sendable {
  private let places = Mutex<[String]>([])

  var all: [String] { places.withLock { $0 } }

  func add(_ readers: [PinnedWAL.Reader]) {
    places.withLock { $0 += readers.map { "\($0.fileID ?? ""):\($0.line ?? 0)" } }
  }

  func removeAll() { places.withLock { $0 = [] } }
}
