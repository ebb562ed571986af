import TestRun
import Testing

@testable import SQLCore

/// Databases with one connection: in memory, and a file without readers.
@Suite("The order of accesses, one at a time and together", .blocking)
struct SerialAccessTests {
  private func serial() throws -> [Database] {
    let databases = [
      try Database.inMemory(),
      try Database.temporary(configuration: .with { $0.maximumReaders = 0 }),
    ]
    for db in databases { try db.execute("CREATE TABLE note (n INTEGER)") }
    return databases
  }

  @Test("reads and writes take turns on one connection, from any thread")
  func oneConnection() throws {
    for db in try serial() {
      let cores = try (0..<8).map { number in
        Running {
          let written = try db.write { connection in
            try connection.execute("INSERT INTO note VALUES (\(number))")
            return ObjectIdentifier(connection.core)
          }
          let read = try db.read { ObjectIdentifier($0.core) }
          return [written, read]
        }
      }.flatMap { try $0.value() }
      #expect(Set(cores).count == 1)
      #expect(try db.row("SELECT count(*) FROM note")?[0] == 8)
    }
  }

  @Test("threads and tasks, readers and writers, are served in the order in which they asked")
  func order() async throws {
    for db in try serial() {
      let order = Shared<[Int]>([])
      let holding = Holding(writerOf: db)
      var running: [Running<Void>] = []
      var tasks: [Task<Void, any Error>] = []
      for number in 0..<40 {
        let note: @Sendable (Connection) -> Void = { _ in order.change { $0.append(number) } }
        switch number % 4 {
        case 0: tasks.append(Task.immediate { try await db.write { note($0) } })
        case 1: tasks.append(Task.immediate { try await db.read { note($0) } })
        case 2: running.append(Running { try db.write { note($0) } })
        default: running.append(Running { try db.read { note($0) } })
        }
        // Each thread stands in line before the next one asks.
        while db.access.pool.waitingCount(.writer) <= number { await Task.yield() }
      }
      holding.end()
      for task in tasks { try await task.value }
      for thread in running { try thread.value() }
      #expect(order.current == Array(0..<40))
    }
  }

  @Test("the first reader to ask for a connection is served first")
  func orderOfReaders() async throws {
    let db = try Database.temporary(configuration: .with { $0.maximumReaders = 1 })
    let order = Shared<[Int]>([])
    let holding = Holding(readerOf: db)
    var running: [Running<Void>] = []
    var tasks: [Task<Void, any Error>] = []
    for number in 0..<30 {
      if number % 2 == 0 {
        tasks.append(
          Task.immediate { try await db.read { _ in order.change { $0.append(number) } } })
      } else {
        running.append(Running { try db.read { _ in order.change { $0.append(number) } } })
      }
      while db.access.pool.waitingCount(.reader) <= number { await Task.yield() }
    }
    holding.end()
    for task in tasks { try await task.value }
    for thread in running { try thread.value() }
    #expect(order.current == Array(0..<30))
  }

  @Test("synchronous and asynchronous accesses see each other's writes")
  func syncAndAsync() async throws {
    for db in try serial() {
      try await db.write { try $0.execute("INSERT INTO note VALUES (1)") }
      try onAnotherThread { try db.write { try $0.execute("INSERT INTO note VALUES (2)") } }
      #expect(try await db.read { try $0.value(Int.self, "SELECT sum(n) FROM note") } == 3)
      #expect(
        try onAnotherThread { try db.read { try $0.value(Int.self, "SELECT sum(n) FROM note") } }
          == 3)
    }
  }

  @Test("in WAL mode several readers read while one writer writes")
  func together() throws {
    let db = try Database.temporary(configuration: .with { $0.maximumReaders = 3 })
    try db.execute("CREATE TABLE note (n INTEGER)")
    #expect(try db.writeWithoutTransaction { try $0.row("PRAGMA journal_mode")?[0] } == "wal")
    // All four must be inside their closures at the same time, or this waits for ever.
    let stop = Stop()
    let writing = Running {
      try db.write { connection in
        try connection.execute("INSERT INTO note VALUES (1)")
        stop.stop()
      }
    }
    let reading = (0..<3).map { _ in
      Running {
        try db.read { connection in
          stop.stop()
          return try connection.value(Int.self, "SELECT count(*) FROM note")
        }
      }
    }
    for _ in 0..<4 { stop.wait() }
    for _ in 0..<4 { stop.goOn() }
    try writing.value()
    for reader in reading { #expect(try reader.value().map { $0 <= 1 } == true) }
  }

  @Test("a statement kept past its closure throws misuse")
  func kept() throws {
    for db in try serial() + [try Database.temporary()] {
      try db.execute("CREATE TABLE IF NOT EXISTS note (n); INSERT INTO note VALUES (1)")
      var statement: Statement?
      try db.read { statement = try $0.prepare("SELECT n FROM note") }
      let kept = try #require(statement)
      for use: () throws -> Void in [
        { _ = try kept.step() }, { try kept.run() }, { try kept.reset() }, { _ = try kept.row() },
        { try kept.bind(1, at: 1) }, { try kept.clearBindings() }, { _ = try kept.columnNames },
        { _ = try kept.runCount }, { _ = try kept.get(Int.self, at: 0) },
      ] {
        let error = #expect(throws: DatabaseError.self) { try use() }
        #expect(error?.code == .misuse)
      }
      // Also in a later access on the same connection.
      try db.read { _ in _ = #expect(throws: DatabaseError.self) { try kept.step() } }
    }
  }

  @Test("a copied row outlives its connection")
  func keptRow() throws {
    let db = try Database.inMemory()
    let row = try #require(try db.read { try $0.row("SELECT 7 AS seven, 'text'") })
    try db.close()
    #expect(row[0] == 7)
    #expect(row[1] == "text")
  }
}
