import Apus
import Logging
import ServiceLifecycleTestKit
import Synchronization
import Testing

@testable import ApusServiceLifecycle

@Suite struct DatabaseServiceTests {
  struct Item: Model {
    @PrimaryKey var id: Int64?
    @Column var name: String
  }

  /// Writes until it is shut down, and once more while it ends.
  private struct Writer: Service {
    let db: Database
    let began: AsyncStream<Void>.Continuation
    let writes = Count()

    func run() async throws {
      try await withGracefulShutdownHandler {
        while !Task.isShuttingDownGracefully {
          try await write()
          began.yield()
          await Task.yield()
        }
        try await write()
      } onGracefulShutdown: {
      }
    }

    private func write() async throws {
      try await db.write { try $0.insert(Item(name: "item")) }
      writes.add()
    }
  }

  private final class Count: Sendable {
    private let value = Atomic(0)
    func add() { value.add(1, ordering: .relaxed) }
    var current: Int { value.load(ordering: .relaxed) }
  }

  private static func isClosed(_ db: Database) -> Bool {
    do {
      _ = try db.count(Item.all)
      return false
    } catch {
      return "\(error)".contains("the database is closed")
    }
  }

  @Test func `A database closes after the services that use it, and keeps all their writes`()
    async throws
  {
    let db = try Database.temporary(models: [Item.self])
    let path = try #require(db.path)
    let (begins, began) = AsyncStream.makeStream(of: Void.self)
    let writer = Writer(db: db, began: began)
    let group = ServiceGroup(
      services: [DatabaseService(db), writer], logger: Logger(label: "test"))
    async let run: Void = group.run()
    for await _ in begins { break }
    #expect(!Self.isClosed(db))
    await group.triggerGracefulShutdown()
    try await run
    #expect(Self.isClosed(db))
    let again = try Database(path: path)
    #expect(try await again.count(Item.all) == writer.writes.current)
  }

  @Test func `Closing waits for an access that ends in time`() async throws {
    let db = try Database.temporary(models: [Item.self])
    let (begins, began) = AsyncStream.makeStream(of: Void.self)
    let releases = Count()
    try await testGracefulShutdown { trigger in
      async let run: Void = DatabaseService(db).run()
      let read = Task {
        try await db.read(on: .background) { connection in
          began.yield()
          while releases.current == 0 {}
          return try connection.count(Item.all)
        }
      }
      for await _ in begins { break }
      trigger.triggerGracefulShutdown()
      #expect(!Self.isClosed(db))
      releases.add()
      #expect(try await read.value == 0)
      try await run
    }
    #expect(Self.isClosed(db))
  }

  @Test func `An access that does not end is interrupted after the patience`() async throws {
    let db = try Database.temporary(models: [Item.self])
    let (begins, began) = AsyncStream.makeStream(of: Void.self)
    try db.function("began") { () -> Int in
      began.yield()
      return 1
    }
    try await testGracefulShutdown { trigger in
      async let run: Void = DatabaseService(db, patience: .milliseconds(20)).run()
      let read = Task {
        try await db.read(on: .background) { connection in
          _ = try connection.rows(
            """
            WITH RECURSIVE number(x) AS (SELECT began() UNION ALL SELECT x + 1 FROM number)
            SELECT count(*) FROM number
            """)
        }
      }
      for await _ in begins { break }
      trigger.triggerGracefulShutdown()
      try await run
      let error = await #expect(throws: DatabaseError.self) { try await read.value }
      #expect(error?.code == .interrupt)
    }
    #expect(Self.isClosed(db))
  }

  @Test func `Background work is cancelled before the database closes`() async throws {
    let db = try Database.temporary(models: [Item.self])
    let (changes, change) = AsyncStream.makeStream(of: Int.self)
    let ends = Count()
    try await testGracefulShutdown { trigger in
      async let run: Void = DatabaseService(
        db,
        background: {
          for await element in db.changes(of: Item.self) { change.yield(element.rows.count) }
          // The task is cancelled, and the database still open.
          #expect(!Self.isClosed(db))
          ends.add()
        }, {}
      ).run()
      // The stream of changes may begin after the first writes.
      let writing = Task {
        while !Task.isCancelled {
          _ = try? await db.write { try $0.insert(Item(name: "a")) }
        }
      }
      for await _ in changes { break }
      writing.cancel()
      await writing.value
      trigger.triggerGracefulShutdown()
      try await run
    }
    #expect(ends.current == 1)
    #expect(Self.isClosed(db))
  }

  @Test func `An error of background work ends the service and closes the database`() async throws {
    struct Broken: Error {}
    let db = try Database.temporary(models: [Item.self])
    await #expect(throws: Broken.self) {
      try await DatabaseService(db, background: { throw Broken() }).run()
    }
    #expect(Self.isClosed(db))
  }

  @Test func `A cancelled service closes the database and throws`() async throws {
    let db = try Database.temporary(models: [Item.self])
    let task = Task { try await DatabaseService(db).run() }
    await Task.yield()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(Self.isClosed(db))
  }

  @Test func `A stream that is still held is an error`() async throws {
    let db = try Database.temporary(models: [Item.self])
    try await db.write { tx in for _ in 1...500 { try tx.insert(Item(name: "a")) } }
    var rows = db.stream(Item.all).makeAsyncIterator()
    _ = try await rows.next()
    try await testGracefulShutdown { trigger in
      var service = DatabaseService(db, patience: .zero)
      service.interruptedPatience = .milliseconds(20)
      async let run: Void = service.run()
      trigger.triggerGracefulShutdown()
      do {
        try await run
        Issue.record("it closed the database below a stream")
      } catch let error as DatabaseError {
        #expect(error.code.primary == .busy)
      }
    }
    _ = rows
  }
}
