import ApusRemote
import FileEngine
import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@Suite("Migrations of a database that an engine keeps elsewhere")
struct RemoteMigrationTests {
  struct Owner: Model {
    static let tableName = "Owner"
    @PrimaryKey var id: Int
    @Column var name: String
  }

  struct UniqueOwner: Model {
    static let tableName = "Owner"
    @PrimaryKey var id: Int
    @Column var name: String
    @Column var nick: String
    static var schema: Schema<UniqueOwner> {
      Default(\.$nick, "")
      Check("named") { $0.$name != "" }
    }
  }

  struct Pet: Model {
    @PrimaryKey var id: Int
    @Column var owner: Int
    static var schema: Schema<Pet> {
      ForeignKey(\.$owner, references: \Owner.$id, onDelete: .cascade)
    }
  }

  let db: Database
  let engine: FileEngine

  init() throws {
    let name = FileManager.default.temporaryDirectory.appending(path: "migration-\(UUID())")
    engine = FileEngine(path: name.path())
    db = try Database(engine: engine, models: [Owner.self, Pet.self])
    try db.insert(Owner(id: 1, name: "Ada"))
    try db.insert(Pet(id: 7, owner: 1))
  }

  @Test("a rebuild of a table keeps the rows that refer to it")
  func rebuild() throws {
    let plan = try db.migrate([UniqueOwner.self, Pet.self])
    #expect(plan.steps.map(\.action) == [.rebuildTable])
    #expect(try db.count(Pet.all) == 1)
    // Foreign keys are enforced again.
    #expect(throws: DatabaseError.self) { try db.insert(Pet(id: 8, owner: 2)) }
    try db.run(UniqueOwner.delete())
    #expect(try db.count(Pet.all) == 0)
  }

  enum Name: String, ColumnValue { case ada }

  struct NamedOwner: Model {
    static let tableName = "Owner"
    @PrimaryKey var id: Int
    @Column var name: Name
  }

  @Test("a step that needs functions in Swift is refused before it is sent")
  func functions() throws {
    let before = engine.sent.withLock { $0.count }
    let error = #expect(throws: MigrationError.self) {
      try db.migrate([NamedOwner.self, Pet.self], MigrationOptions(checksValues: true))
    }
    let reason = try #require(error?.plan.refusals.first?.reason)
    #expect(reason.contains("functions in Swift do not exist in the test engine"))
    #expect(engine.sent.withLock { $0[before...].allSatisfy { !$0.contains("apus_reads") } })
    #expect(try db.find(Owner.self, 1)?.name == "Ada")
  }
}
