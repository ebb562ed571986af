import Dispatch
import Foundation
import TestRun
import Testing

@testable import SQLCore

@Suite("Readers that keep their snapshots: how they end", .blocking)
struct KeptSnapshotEndingTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func open(_ configuration: Configuration = .keeping) throws -> Database {
    let db = try Database(path: folder.file(), configuration: configuration)
    try db.makeItems(10)
    return db
  }

  @Test("a kept snapshot holds a read mark; an idle database has none, and looks for none")
  func idle() throws {
    var db = try open()
    try db.keepSnapshot()
    try db.makeItems(1)
    try db.keepSnapshot()
    #expect(try !Stranger(folder).truncatesLog())
    try db.close()
    db = try open(Configuration())
    try db.keepSnapshot()
    while db.keepsSnapshot || db.looksForUnusedSnapshots { sched_yield() }
    #expect(try Stranger(folder).truncatesLog())
    // It begins again.
    try db.keepSnapshot()
    #expect(db.looksForUnusedSnapshots)
  }

  @Test("a read now and then keeps nothing, and wakes no thread")
  func single() throws {
    let db = try open(.with { $0.keptSnapshotRound = .zero })
    for _ in 0..<20 { #expect(try db.countOnce() == 10) }
    #expect(!db.keepsSnapshot)
    #expect(!db.looksForUnusedSnapshots)
  }

  @Test("a snapshot is looked for again if its reader was granted and comes back unused")
  func unused() throws {
    let db = try open()
    try db.keepSnapshot()
    let pool = db.access.pool
    // While the reader is granted, no idle reader has a snapshot, and the rounds end.
    let grant = try #require(pool.state.withLock { $0[.reader].take() })
    pool.state.withLock { $0.rounds.end() }
    pool.giveBack(grant, to: .reader)
    #expect(db.keepsSnapshot && db.looksForUnusedSnapshots)
  }

  @Test("another connection truncates the log while reads follow each other without a pause")
  func withoutPause() throws {
    let db = try open()
    let stranger = try Stranger(folder)
    let isOver = Flag()
    let ended = DispatchSemaphore(value: 0)
    startThread {
      while !isOver.isSet { _ = try? db.countOnce() }
      ended.signal()
    }
    for _ in 0..<20 {
      // A reader that meets a header of the log's index which is being written takes the lock of
      // the writer for a moment.
      while code({ try stranger.insert() }) == .busy { sched_yield() }
      while try !stranger.truncatesLog() { sched_yield() }
      #expect(folder.size("database.sqlite-wal") == 0)
    }
    isOver.set()
    ended.wait()
    #expect(try db.countOnce() == 30)
  }

  @Test("snapshots end before this database runs a checkpoint, VACUUM, or a pragma")
  func checkpoints() throws {
    let db = try open()
    for mode in CheckpointMode.allCases {
      try db.makeItems(1)
      try db.keepSnapshot()
      let result = try db.checkpoint(mode)
      #expect(!result.isBusy && result.isComplete)
      #expect(!db.keepsSnapshot)
    }
    try db.makeItems(1)
    try db.keepSnapshot()
    let pragma: SQL = "PRAGMA wal_checkpoint(TRUNCATE)"
    #expect(try db.writeWithoutTransaction { try $0.row(pragma)?[0] } == 0)
    #expect(folder.size("database.sqlite-wal") == 0)
    try db.keepSnapshot()
    try db.vacuum()
    #expect(folder.size("database.sqlite-wal") == 0)
    #expect(try db.countOnce() == 15)
  }

  @Test("snapshots end before this database copies or restarts the log by itself")
  func bound() throws {
    var configuration = Configuration.keeping
    configuration.maximumWALBytes = 1 << 20
    configuration.maximumLogWait = .zero
    configuration.synchronous = .off
    let db = try open(configuration)
    var largest = 0
    for _ in 0..<200 {
      try db.execute("INSERT INTO item (filler) VALUES (\(Data(count: 20_000)))")
      try db.keepSnapshot()
      largest = max(largest, folder.size("database.sqlite-wal"))
    }
    #expect(largest <= 1 << 20)
  }

  @Test("a commit that copies the log copies all of it, although readers kept snapshots")
  func automaticCheckpoint() throws {
    let db = try open()
    try db.execute("INSERT INTO item (filler) VALUES (zeroblob(1000000))")
    for _ in 0..<12 {
      try db.keepSnapshot()
      try db.execute("INSERT INTO item (filler) VALUES (zeroblob(1000000))")
    }
    // Otherwise no commit could have begun the log again.
    #expect(folder.size("database.sqlite-wal") < 8_000_000)
  }

  @Test("a database closes at once, and a switch of the journal mode is denied as ever")
  func closing() throws {
    let db = try open()
    try db.keepSnapshot()
    #expect(
      code { try db.writeWithoutTransaction { try $0.execute("PRAGMA journal_mode = DELETE") } }
        == .busy)
    try db.keepSnapshot()
    try db.close()
    #expect(folder.fileNames == ["database.sqlite"])
    var released: Database? = try open()
    try released?.keepSnapshot()
    released = nil
    #expect(folder.fileNames == ["database.sqlite"])
  }

  @Test("the writer attaches and detaches files while readers keep snapshots")
  func attaching() throws {
    let db = try open()
    try db.keepSnapshot()
    try db.writeWithoutTransaction { writer in
      try writer.attach(path: folder.file("other.sqlite"), as: "other")
      try writer.execute("CREATE TABLE other.note (n)")
      try writer.detach("other")
    }
    #expect(throws: DatabaseError.self) {
      try db.read { try $0.attach(path: folder.file("other.sqlite"), as: "other") }
    }
    #expect(try db.countOnce() == 10)
  }

  @Test("snapshots are not kept with attached files, without shared memory, or under a trace")
  func unsupported() throws {
    func expectNone(_ db: Database, sourceLocation: SourceLocation = #_sourceLocation) throws {
      for _ in 0..<5 {
        #expect(try db.countOnce() >= 10, sourceLocation: sourceLocation)
        #expect(!db.keepsSnapshot, sourceLocation: sourceLocation)
      }
    }
    try Database(path: folder.file("other.sqlite")).execute("CREATE TABLE note (n)")
    let other = folder.file("other.sqlite")
    var configuration = Configuration.keeping
    configuration.prepareConnection = { try $0.attach(path: other, as: "other") }
    try expectNone(try open(configuration))
    configuration.prepareConnection = { connection in
      if connection.core.isReader { try connection.execute("PRAGMA locking_mode = EXCLUSIVE") }
    }
    try expectNone(try open(configuration))
    configuration = .keeping
    configuration.isImmutable = true
    try expectNone(try Database(path: folder.file(), configuration: configuration))
    let memory = try Database.inMemory(configuration: .keeping)
    try memory.makeItems(10)
    try expectNone(memory)
    configuration = .keeping
    configuration.maximumReaders = 0
    try expectNone(try open(configuration))

    let db = try open()
    try db.keepSnapshot()
    let statements = Shared<[String]>([])
    let listener = try db.onTrace(.statement) { event in
      let sql = event.sql ?? ""
      statements.change { $0.append(sql) }
    }
    try expectNone(db)
    #expect(statements.current.allSatisfy { $0.hasPrefix("SELECT") })
    try db.remove(listener)
    try db.keepSnapshot()
  }

  @Test("a snapshot that was used for many rounds is old, and the next read takes a new one")
  func age() throws {
    let page = UnsafeMutableRawPointer.allocate(byteCount: 136, alignment: 8)
    defer { page.deallocate() }
    page.initializeMemory(as: UInt8.self, repeating: 0, count: 136)
    page.storeBytes(of: 3_007_000, as: UInt32.self)
    page.storeBytes(of: 3_007_000, toByteOffset: 48, as: UInt32.self)
    let index = try #require(WALIndex(page: page))
    var kept = KeptSnapshot(Configuration())
    kept.use(index)
    #expect(!kept.isCurrent)
    kept.keep(try #require(index.version))
    for round in 7..<15 {
      kept.didUse(in: UInt64(round))
      #expect(kept.isCurrent)
    }
    kept.didUse(in: 15)
    #expect(!kept.isCurrent)
    kept.keep(try #require(index.version))
    #expect(kept.isCurrent)
  }

  @Test("a change of any byte of the header, or of the count of copied frames, is noticed")
  func header() throws {
    let page = UnsafeMutableRawPointer.allocate(byteCount: 136, alignment: 8)
    defer { page.deallocate() }
    page.initializeMemory(as: UInt8.self, repeating: 0, count: 136)
    #expect(WALIndex(page: page) == nil)
    page.storeBytes(of: 3_007_000, as: UInt32.self)
    page.storeBytes(of: 3_007_000, toByteOffset: 48, as: UInt32.self)
    let index = try #require(WALIndex(page: page))
    let version = try #require(index.version)
    let bytes = page.assumingMemoryBound(to: UInt8.self)
    for offset in 0..<100 {
      bytes[offset] ^= 0x80
      #expect(!index.isAt(version), "byte \(offset)")
      // While the copies differ, a commit is being made.
      #expect((index.version == nil) == (offset < 96), "byte \(offset)")
      bytes[offset] ^= 0x80
      #expect(index.isAt(version))
    }
    // The read marks and locks after it change with every reader.
    bytes[100] ^= 0x80
    #expect(index.isAt(version))
  }
}
