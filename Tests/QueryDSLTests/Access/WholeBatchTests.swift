import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

private struct Part: Model, Equatable {
  @PrimaryKey var id: Int
  @Column var code: String

  static var schema: Schema<Part> { Unique(\.$code) }
}

/// A model whose generated column cannot always be read.
private struct Box: Model {
  @PrimaryKey var id: Int
  @Column var width: Int
  @Column var area: UInt8 = 0

  static var schema: Schema<Box> { Generated(\.$area, as: { $0.$width.cast(to: UInt8.self) }) }
}

private struct Folder: Model, Equatable {
  @PrimaryKey var id: Int64?
  @Column var parent: Int64?
  @Column var name: String = ""

  static var schema: Schema<Folder> {
    ForeignKey(\.$parent, references: \Folder.$id)
    Check { $0.$name != "bad" }
  }
}

private struct Node: Model, Equatable {
  @PrimaryKey var id: Int
  @Column var next: Int?
  @Column var name: String?

  static var schema: Schema<Node> {
    ForeignKey(\.$next, references: \Node.$id)
    Unique(\.$name)
  }
}

private struct Pin: Codable, Equatable {
  var id: Int64
  var name: String
}

@Suite("Calls of several statements inside a transaction")
struct WholeBatchTests {
  private let db: Database

  init() throws {
    db = try Specification.database(models: [Part.self, Box.self, Folder.self, Node.self])
  }

  private func parts(_ codes: String...) -> [Part] {
    codes.enumerated().map { Part(id: $0 + 1, code: $1) }
  }

  /// Expects that a call throws and leaves nothing, although its error is caught.
  private func expectNothing(
    sourceLocation: SourceLocation = #_sourceLocation, _ call: (Connection) throws -> Void
  ) throws {
    func attempt(_ tx: Connection) throws {
      try tx.insert(Part(id: 100, code: "before"))
      #expect(throws: (any Error).self, sourceLocation: sourceLocation) { try call(tx) }
      try tx.insert(Part(id: 101, code: "after"))
    }
    func expectOthers() throws {
      let codes = try db.fetch(Part.select(\.$code).order(by: \.$id))
      #expect(codes == ["before", "after"], sourceLocation: sourceLocation)
      try db.run(Part.delete())
    }
    try db.write { try attempt($0) }
    try expectOthers()
    try db.writeWithoutTransaction { try attempt($0) }
    try expectOthers()
  }

  @Test("an array that fails leaves nothing, even if the error is caught")
  func arrays() throws {
    let parts = parts("a", "b", "a")
    try expectNothing { try $0.insert(parts) }
    try expectNothing { try $0.save(parts) }
    try expectNothing { try $0.run(Part.insert(parts)) }
    try expectNothing { _ = try $0.fetch(Part.insert(parts).returning()) }
    try expectNothing { try $0.upsert(Part.insert(parts).onConflictUpdate(\.$id)) }
    try expectNothing { tx in
      try tx.setLimit(.parameters, to: 4)
      defer { _ = try? tx.setLimit(.parameters, to: 32_766) }
      try tx.run(
        Part.insert(\.$id, \.$code, values: [(1, "a"), (2, "b"), (3, "c"), (4, "d"), (5, "a")]))
    }
    try expectNothing { tx in
      try tx.write([Pin(id: 1, name: "a"), Pin(id: 2, name: "b")], to: "pins")
      defer { _ = try? tx.execute("DROP TABLE pins") }
      try tx.execute("CREATE UNIQUE INDEX pinned ON pins (name)")
      #expect(throws: DatabaseError.self) {
        try tx.write([Pin(id: 3, name: "c"), Pin(id: 4, name: "b")], to: "pins")
      }
      #expect(try tx.fetch(from: "pins") == [Pin(id: 1, name: "a"), Pin(id: 2, name: "b")])
      throw CancellationError()
    }
    let many = (0..<100).map { Part(id: $0, code: $0 == 70 ? "3" : "\($0)") }
    try expectNothing { try $0.insert(many) }
  }

  @Test("an array that fails in asynchronous code leaves nothing, even if the error is caught")
  func asynchronous() async throws {
    let parts = parts("a", "b", "a")
    try await db.write { tx in
      #expect(throws: DatabaseError.self) { try tx.insert(parts) }
      #expect(throws: DatabaseError.self) { try tx.save(parts) }
      try tx.insert(Part(id: 100, code: "a"))
    }
    await #expect(throws: DatabaseError.self) { try await db.insert(parts) }
    await #expect(throws: DatabaseError.self) { try await db.run(Part.insert(parts)) }
    #expect(try await db.fetch(Part.all) == [Part(id: 100, code: "a")])
    let nodes = chain(40, end: 1)
    #expect(try await db.insert(nodes) == nodes)
  }

  @Test("an array of updates that fails leaves the rows as they were")
  func updates() throws {
    try db.insert(parts("a", "b", "c"))
    try db.write { tx in
      #expect(throws: DatabaseError.self) { try tx.update(parts("x", "y", "y")) }
      #expect(throws: RecordNotFound.self) { try tx.update(parts("x", "y", "z", "gone")) }
    }
    #expect(try db.fetch(Part.order(by: \.$id)) == parts("a", "b", "c"))
  }

  @Test("a model whose generated column cannot be read is not stored")
  func generated() throws {
    try db.write { tx in
      #expect(throws: ColumnValueError.self) { try tx.insert(Box(id: 1, width: 300)) }
      #expect(throws: ColumnValueError.self) { try tx.save(Box(id: 1, width: 300)) }
      try tx.insert(Box(id: 2, width: 20))
      #expect(throws: ColumnValueError.self) { try tx.update(Box(id: 2, width: 300)) }
    }
    #expect(try db.fetch(Int.self, "SELECT width FROM Box") == [20])
  }

  @Test("a call that is the whole of its transaction, or one statement, takes no savepoint")
  func savepoints() throws {
    let statements = Lock<[String]>([])
    let listener = try db.writeWithoutTransaction { connection in
      try connection.onTrace(.statement) { event in
        statements.withLock { $0.append(event.sql ?? "") }
      }
    }
    func count() -> Int {
      statements.withLock { list in
        defer { list = [] }
        return list.count { $0.hasPrefix("SAVEPOINT") }
      }
    }
    try db.insert(parts("a", "b"))
    #expect(count() == 0)
    try db.write { tx in
      try tx.insert(Part(id: 3, code: "c"))
      try tx.run(Part.insert(Part(id: 4, code: "d")))
      try tx.insert([Part(id: 5, code: "e")])
    }
    #expect(count() == 0)
    try db.write { tx in try tx.insert([Part(id: 8, code: "h"), Part(id: 9, code: "i")]) }
    #expect(count() == 1)
    try db.writeWithoutTransaction { try $0.remove(listener) }
  }

  // MARK: Rows that refer to each other

  /// Models that each refer to the next one; the last one to `end`.
  private func chain(_ count: Int, end: Int? = nil) -> [Node] {
    (1...count).map { Node(id: $0, next: $0 == count ? end : $0 + 1) }
  }

  @Test(
    "models of one array may refer to later ones, whatever their number",
    arguments: [2, 9, 10, 31, 32, 33, 40, 64, 65, 1_000])
  func forward(count: Int) throws {
    let nodes = chain(count)
    #expect(try db.insert(nodes) == nodes)
    #expect(try db.fetch(Node.order(by: \.$id)) == nodes)
    // In a circle.
    try db.run(Node.delete())
    try db.insert(chain(count, end: 1))
    #expect(try db.count(Node.all) == count)
    try db.run(Node.delete())
    try db.write { tx in
      try tx.insert(chain(count))
      let folders = (1...count).map {
        Folder(id: Int64($0), parent: $0 == count ? nil : Int64($0 + 1))
      }
      #expect(try tx.insert(folders) == folders)
    }
    #expect(try db.count(Folder.all) == count)
  }

  @Test("models whose keys the database assigns may refer to later models that have one")
  func assignedKeys() throws {
    let folders = try db.insert([
      Folder(parent: 7, name: "a"), Folder(id: 7, parent: 9, name: "b"),
      Folder(parent: nil, name: "c"), Folder(id: 9, parent: 7, name: "d"),
    ])
    #expect(folders.map(\.name) == ["a", "b", "c", "d"])
    #expect(try db.fetch(Folder.all).sorted { $0.name < $1.name } == folders)
  }

  @Test("some columns of several rows may refer to later rows in another statement")
  func valuesOfRows() throws {
    let rows = chain(50).map { ($0.id, $0.next) }
    try db.write { tx in
      try tx.setLimit(.parameters, to: 20)
      #expect(try tx.run(Node.insert(\.$id, \.$next, values: rows)) == 50)
      try tx.run(Node.delete())
      let ids = try tx.fetch(Node.insert(\.$id, \.$next, values: rows).returning(\.$id))
      #expect(ids.sorted() == Array(1...50))
      try tx.run(Node.delete())
      let missing = #expect(throws: DatabaseError.self) {
        try tx.run(Node.insert(\.$id, \.$next, values: rows + [(60, 61)]))
      }
      #expect(missing?.message == "FOREIGN KEY constraint failed: Node.next (row 50)")
      #expect(try tx.count(Node.all) == 0)
      try tx.setLimit(.parameters, to: 32_766)
    }
  }

  @Test(
    "the error names the row that refers to none, not one that refers to a later row",
    arguments: [5, 32, 40, 100])
  func missing(count: Int) throws {
    var nodes = chain(count)
    nodes[count - 2].next = 5_000
    var error = #expect(throws: DatabaseError.self) { try db.insert(nodes) }
    #expect(error?.message == "FOREIGN KEY constraint failed: Node.next (row \(count - 2))")
    nodes = chain(count)
    nodes[1].name = "same"
    nodes[count - 2].name = "same"
    error = #expect(throws: DatabaseError.self) { try db.insert(nodes) }
    #expect(error?.constraint?.kind == .unique)
    #expect(try db.count(Node.all) == 0)
  }

  @Test("a deferred violation of the caller's stays the caller's")
  func deferred() throws {
    try db.write { tx in
      try tx.execute("PRAGMA defer_foreign_keys = ON")
      try tx.insert(Node(id: 1_000, next: 2_000))
      try tx.insert(chain(40))
      try tx.insert(Node(id: 2_000))
    }
    #expect(try db.count(Node.all) == 42)
    #expect(throws: DatabaseError.self) {
      try db.write { tx in
        try tx.execute("PRAGMA defer_foreign_keys = ON")
        try tx.insert(chain(40, end: 5_000))
      }
    }
    #expect(try db.count(Node.all) == 42)
  }
}
