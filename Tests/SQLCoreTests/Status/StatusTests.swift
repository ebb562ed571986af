import Foundation
import SQLCore
import TestRun
import Testing

@Suite("Status, metadata, serialization and ATTACH")
struct StatusTests {
  private let folder: TemporaryFolder
  private let connection: Connection

  init() throws {
    folder = try TemporaryFolder()
    connection = try folder.connection()
    try connection.execute(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, name VARCHAR(9)); INSERT INTO t VALUES (1, 'a'), (2, 'b')"
    )
  }

  @Test("limits are read and set")
  func limits() throws {
    #expect(try connection.limit(.attachedDatabases) == 10)
    #expect(try connection.setLimit(.length, to: 1_000) == 1_000_000_000)
    #expect(try connection.limit(.length) == 1_000)
    let error = #expect(throws: DatabaseError.self) {
      try connection.row("SELECT zeroblob(1001)")
    }
    #expect(error?.code == .tooBig)
    try connection.setLimit(.columns, to: -5)
    #expect(try connection.limit(.columns) >= 0)
    try connection.setLimit(.functionArguments, to: .max)
    // 127 arguments, or 1,000 from SQLite 3.48 on.
    #expect(
      try connection.limit(.functionArguments)
        == (SQLiteLibrary.versionNumber < 3_048_000 ? 127 : 1_000))
  }

  @Test("counters of statements, the connection and the library are read")
  func counters() throws {
    let select = try connection.prepare("SELECT * FROM t ORDER BY name")
    #expect(try select.count(of: .runs) == 0)
    try select.run()
    #expect(try select.count(of: .runs) == 1)
    #expect(try select.count(of: .sorts) == 1)
    #expect(try select.count(of: .fullScanSteps) == 1)
    #expect(try select.count(of: .machineSteps, resetting: true) > 0)
    #expect(try select.count(of: .machineSteps) == 0)
    #expect(try select.count(of: .memory) > 0)
    #expect(try connection.count(of: .cacheMemory) > 0)
    #expect(try connection.count(of: .schemaMemory) > 0)
    #expect(try connection.count(of: .statementMemory) > 0)
    #expect(try connection.count(of: .cacheWrites, resetting: true) > 0)
    #expect(try connection.count(of: .cacheWrites) == 0)
    #expect(throws: DatabaseError.self) {
      try connection.count(of: ConnectionCounter(rawValue: -1))
    }
    #expect(LibraryCounter.memory.value.current > 0)
    #expect(SQLiteLibrary.version.hasPrefix("3."))
    #expect(SQLiteLibrary.compileOptions.contains { $0.hasPrefix("THREADSAFE") })
  }

  @Test("memory is not counted if a program stops that before anything uses SQLite")
  func uncountedMemory() async {
    await #expect(processExitsWith: .success) {
      try #require(SQLiteLibrary.stopCountingMemory())
      let db = try Database.inMemory()
      try db.execute("CREATE TABLE t (a); INSERT INTO t VALUES (zeroblob(10000))")
      try #require(try db.fetch(Int.self, "SELECT length(a) FROM t") == [10_000])
      try #require(LibraryCounter.memory.value.highest == 0)
      // Now it is in use.
      try #require(!SQLiteLibrary.stopCountingMemory())
    }
  }

  @Test("memory goes on being counted once SQLite is in use")
  func countedMemory() throws {
    #expect(!SQLiteLibrary.stopCountingMemory())
    try connection.execute("INSERT INTO t VALUES (3, 'c')")
    #expect(LibraryCounter.memory.value.current > 0)
  }

  @Test("the origins of columns are read", .needs(.columnMetadata))
  func origins() throws {
    let select = try connection.prepare("SELECT name AS other, id + 1 FROM t")
    let origin = try select.origin(ofColumn: 0)
    #expect(origin?.database == "main" && origin?.table == "t" && origin?.column == "name")
    #expect(try select.origin(ofColumn: 1) == nil)
    #expect(try select.origin(ofColumn: 99) == nil)
  }

  @Test("a call that needs a part that SQLite lacks throws, and names the option of its build")
  func missingParts() throws {
    func expect(
      _ feature: SQLiteLibrary.Feature, _ option: String, _ body: () throws -> Void
    ) {
      guard !feature.isAvailable else { return }
      let error = #expect(throws: DatabaseError.self) { try body() }
      #expect(error?.message.contains("was built without \(option)") == true)
    }
    expect(.preUpdateHook, "SQLITE_ENABLE_PREUPDATE_HOOK") { try connection.onPreUpdate { _ in } }
    expect(.columnMetadata, "SQLITE_ENABLE_COLUMN_METADATA") {
      _ = try connection.prepare("SELECT id FROM t").origin(ofColumn: 0)
    }
    expect(.sessions, "SQLITE_ENABLE_SESSION") { _ = try connection.session() }
    expect(.sessions, "SQLITE_ENABLE_SESSION") { try connection.apply(Changeset(bytes: Data())) }
    expect(.sessions, "SQLITE_ENABLE_SESSION") { _ = try Changeset(bytes: Data()).changes() }
    // The options of the build say the same as the symbols.
    #expect(
      SQLiteLibrary.Feature.preUpdateHook.isAvailable
        == SQLiteLibrary.compileOptions.contains("ENABLE_PREUPDATE_HOOK"))
  }

  @Test("expanded SQL and declared types are read")
  func metadata() throws {
    let select = try connection.prepare(
      "SELECT name AS other, id + 1, ?1, :named FROM t")
    try select.bind("it's", at: 1)
    #expect(try select.expandedSQL?.contains("'it''s'") == true)
    #expect(try select.declaredType(ofColumn: 0) == "VARCHAR(9)")
    #expect(try select.declaredType(ofColumn: 1) == nil)
    #expect(try select.isReadOnly && !select.isExplain)
    #expect(try connection.prepare("EXPLAIN DELETE FROM t").isExplain)
    #expect(try !connection.prepare("DELETE FROM t").isReadOnly)
    #expect(try connection.prepare("SELECT ?1, :a, $b").parameterNames == ["?1", ":a", "$b"])
  }

  @Test("a database in WAL mode is serialized and deserialized")
  func serialize() throws {
    let bytes = try connection.serialize()
    #expect(bytes.count % 4096 == 0 && bytes.starts(with: "SQLite format 3\0".utf8))
    let copy = try Connection()
    // Newer versions of SQLite give an empty database its first page.
    #expect(try copy.serialize().count <= 4_096)
    try copy.deserialize(bytes)
    #expect(try copy.rows("SELECT name FROM t ORDER BY id").map { $0[0] } == ["a", "b"])
    for id in 3..<2_000 { try copy.execute("INSERT INTO t VALUES (\(id), 'grows')") }
    #expect(try copy.row("PRAGMA integrity_check")?[0] == "ok")
    #expect(try copy.serialize().count > bytes.count)
    let fixed = try Connection()
    try fixed.deserialize(bytes, isReadOnly: true)
    #expect(throws: DatabaseError.self) { try fixed.execute("DELETE FROM t") }
    let broken = try Connection()
    #expect(throws: DatabaseError.self) {
      try broken.deserialize(Data(repeating: 7, count: 9_000))
      _ = try broken.rows("SELECT * FROM sqlite_schema")
    }
    for misuse in [
      { try connection.deserialize(bytes) }, { try copy.deserialize(bytes, into: "nowhere") },
      { try copy.transaction { try $0.deserialize(bytes) } },
    ] {
      let error = #expect(throws: DatabaseError.self) { try misuse() }
      #expect(error?.code == .misuse)
    }
    #expect(throws: DatabaseError.self) { try copy.serialize(database: "nowhere") }
  }

  @Test("another file is attached and detached")
  func attach() throws {
    let path = folder.file("other.sqlite")
    try connection.attach(path: path, as: "the \"other\"")
    try connection.execute("CREATE TABLE \"the \"\"other\"\"\".u (n); INSERT INTO u VALUES (5)")
    #expect(try connection.row("SELECT n FROM u JOIN t ON t.id = 1")?[0] == 5)
    let databases = try connection.databases
    #expect(databases.map(\.name).contains("the \"other\""))
    #expect(databases.last?.path?.hasSuffix("other.sqlite") == true)
    #expect(databases.first?.isReadOnly == false)
    try connection.detach("the \"other\"")
    #expect(throws: DatabaseError.self) { try connection.row("SELECT n FROM u") }
    #expect(throws: DatabaseError.self) { try connection.detach("nothing") }
    let db = try Database.temporary()
    let error = #expect(throws: DatabaseError.self) {
      try db.read { try $0.attach(path: path, as: "x") }
    }
    #expect(error?.code.primary == .readOnly)
    try db.writeWithoutTransaction { try $0.attach(path: path, as: "x") }
    #expect(try db.write { try $0.row("SELECT n FROM x.u")?[0] } == 5)
  }
}
