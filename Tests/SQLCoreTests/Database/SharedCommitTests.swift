import TestRun
import Testing

@testable import SQLCore

/// Writes that wait at the same time share a transaction: effects of each write on itself.
@Suite("Shared commits", .blocking)
struct SharedCommitTests: SharedCommitSuite {
  let group: SharedCommits

  init() throws {
    group = try SharedCommits()
  }

  @Test("writes that stand in line together are committed together")
  func oneCommit() async throws {
    let outcome = await run((0..<100).map(Self.insert))
    #expect(outcome.errors.allSatisfy { $0 == nil })
    #expect(outcome.commits == 1)
    try await expectRows(Array(0..<100))
  }

  @Test("the members of a shared commit run in the order in which they came")
  func runningOrder() async throws {
    let ran = Shared<[Int]>([])
    let outcome = await run((0..<100).map { number in { _ in ran.change { $0.append(number) } } })
    #expect(outcome.errors.allSatisfy { $0 == nil })
    #expect(ran.current == Array(0..<100))
  }

  @Test("the members are answered after the commit, in the order in which they came")
  func answers() async throws {
    let answers = Shared<[Int]>([])
    // However slow the machine is, they share one transaction.
    let core = try ConnectionCore(
      location: .memory,
      configuration: .with { $0.maximumSharedTransactionAge = .seconds(3_600) }, isReader: false)
    try core.lend().execute("CREATE TABLE note (n)")
    let pool = ConnectionPool(writer: core, maximumReaders: 0)
    let waiters = (0..<20).map { number in
      Waiter(
        sharedWrite: RecordedWrite(
          run: { try $0.lend().execute("INSERT INTO note VALUES (\(number))") },
          finish: { isDone in
            #expect(isDone)
            #expect(!core.isInTransaction)
            answers.change { $0.append(number) }
          }))
    }
    _ = try pool.takeIdle(.writer)
    for waiter in waiters {
      _ = waiter.begin { _ in }
      try pool.take(.writer, for: waiter)
    }
    let first = try #require(pool.takeSharedWrite())
    #expect(first.join())
    for answer in SharedTransaction.run(first: first, on: core, pool: pool) { answer() }
    #expect(answers.current == Array(0..<20))
    #expect(try core.lend().value(Int.self, "SELECT count(*) FROM note") == 20)
    pool.giveBack(core, to: .writer)
  }

  @Test("an error undoes only its own member")
  func error() async throws {
    struct Failure: Error {}
    let outcome = await run([
      Self.insert(1),
      { connection in
        try Self.insert(2)(connection)
        throw Failure()
      },
      Self.insert(3),
      { connection in
        try Self.insert(4)(connection)
        try Self.insert(1)(connection)
      },
      { connection in
        try Self.insert(5)(connection)
        try connection.requestRollback()
      },
      Self.insert(6),
    ])
    #expect(outcome.errors.map { $0 == nil } == [true, false, true, false, true, true])
    #expect(outcome.errors[1] is Failure)
    #expect(outcome.database(3)?.constraint?.kind == .primaryKey)
    #expect(outcome.commits == 1)
    try await expectRows([1, 3, 6])
  }

  @Test("a deferred foreign key fails only the member that violates it")
  func deferredForeignKey() async throws {
    let outcome = await run([
      Self.insert(1),
      { connection in
        try Self.insert(2)(connection)
        try connection.execute("INSERT INTO line VALUES (77)")
      },
      { connection in
        // A violation that is fixed before the member ends does not count.
        try connection.execute("INSERT INTO line VALUES (3)")
        try Self.insert(3)(connection)
      },
    ])
    #expect(outcome.errors[0] == nil)
    #expect(outcome.database(1)?.constraint?.kind == .foreignKey)
    #expect(outcome.errors[2] == nil)
    try await expectRows([1, 3])
    #expect(try await db.row("SELECT count(*) FROM line")?[0] == 1)
  }

  @Test("a PRAGMA that holds until the commit affects only its own member")
  func pragma() async throws {
    try await db.execute("CREATE TABLE strict (note INTEGER REFERENCES note (n))")
    let failed = Shared(false)
    let outcome = await run([
      { connection in
        try connection.execute("PRAGMA defer_foreign_keys = ON")
        try connection.execute("INSERT INTO strict VALUES (1)")
        try Self.insert(1)(connection)
      },
      { connection in
        // Checked at once, not at the end.
        #expect(throws: DatabaseError.self) {
          try connection.execute("INSERT INTO strict VALUES (2)")
        }
        failed.change { $0 = true }
        try Self.insert(3)(connection)
      },
    ])
    #expect(outcome.errors.allSatisfy { $0 == nil })
    #expect(failed.current)
    try await expectRows([1, 3])
  }

  @Test(
    "raw BEGIN, COMMIT and ROLLBACK are refused in a member, and the other members commit",
    arguments: ["COMMIT", "ROLLBACK", "END", "BEGIN", "COMMIT; BEGIN"])
  func rawControl(text: String) async throws {
    let outcome = await run([
      Self.insert(1),
      { connection in
        try Self.insert(2)(connection)
        try connection.execute("\(unsafe: text)")
      },
      Self.insert(3),
    ])
    #expect(outcome.errors[0] == nil)
    #expect(outcome.database(1)?.code == .misuse)
    #expect(outcome.errors[2] == nil)
    #expect(outcome.commits == 1)
    try await expectRows([1, 3])
  }

  @Test("cancelling ends only its own member: waiting, running, or inside a writing statement")
  func cancelled() async throws {
    let outcome = await run([Self.insert(1), Self.insert(2), Self.insert(3)]) { $0[1].cancel() }
    #expect(outcome.errors[0] == nil)
    #expect(outcome.errors[1] is CancellationError)
    #expect(outcome.errors[2] == nil)
    let task = Shared<Task<Void, any Error>?>(nil)
    let hook = SQLHook { task.current?.cancel() }
    let later = await run([
      Self.insert(11),
      { connection in
        try hook.configuration().prepareConnection?(connection)
        try Self.insert(12)(connection)
        // Interrupting a writing statement would undo the other members, so it runs to its end.
        try connection.execute(
          "INSERT INTO note (n) SELECT 100 + 0 * total FROM (\(unsafe: SQLHook.rows.text))")
        try Self.insert(13)(connection)
        Issue.record("a statement ran")
      },
      Self.insert(14),
    ]) { tasks in task.change { $0 = tasks[1] } }
    #expect(later.errors[0] == nil)
    #expect(later.errors[1] is CancellationError)
    #expect(later.errors[2] == nil)
    #expect(later.commits == 1)
    let reading = await run([
      Self.insert(21),
      { connection in
        try Self.insert(22)(connection)
        _ = try connection.rows(SQLHook.rows)
        Issue.record("the statement ran to its end")
      },
      Self.insert(23),
    ]) { tasks in task.change { $0 = tasks[1] } }
    #expect(reading.errors[0] == nil)
    #expect(reading.errors[1] is CancellationError)
    #expect(reading.errors[2] == nil)
    try await expectRows([1, 3, 11, 14, 21, 23])
  }

  @Test("a write with `alone: true` or a deadline commits by itself and keeps its place in line")
  func alone() async throws {
    let holding = Holding(writerWithoutTransactionOf: db)
    commits.change { $0 = 0 }
    let ran = Shared<[Int]>([])
    func member(_ number: Int) -> Member {
      { connection in
        ran.change { $0.append(number) }
        try Self.insert(number)(connection)
      }
    }
    let tasks = (0..<6).map { number in
      let member = member(number)
      return Task.immediate { [db] in
        switch number {
        case 2: try await db.write(alone: true) { try member($0) }
        case 4: try await db.write(deadline: .seconds(3_600)) { try member($0) }
        default: try await db.write { try member($0) }
        }
      }
    }
    holding.end()
    for task in tasks { try await task.value }
    #expect(ran.current == Array(0..<6))
    // Writes 0 and 1 share a commit; 2, 3, 4 and 5 have one each.
    #expect(commits.current == 5)
    try await expectRows(Array(0..<6))
  }

  @Test("an awaited write is visible to the awaiting task, and to no reader before its commit")
  func readYourWrites() async throws {
    let db = db
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<200 {
        group.addTask {
          try await db.write { connection in
            try Self.insert(number)(connection)
            // Not committed yet, although earlier members may be done.
            let isSeen = try onAnotherThread {
              try db.row("SELECT 1 FROM note WHERE n = \(number)") != nil
            }
            #expect(!isSeen)
          }
          let found = try await db.fetch((Int).self, "SELECT n FROM note WHERE n = \(number)")
          #expect(found == [number])
        }
      }
      try await group.waitForAll()
    }
    try await expectRows(Array(0..<200))
  }

  @Test("a lease ends with its member, and its connection throws in the next one")
  func leases() async throws {
    let kept = Shared<[KeptConnection]>([])
    let outcome = await run([
      { connection in kept.change { $0.append(KeptConnection(connection)) } },
      { _ in
        let error = #expect(throws: DatabaseError.self) {
          try kept.current[0].connection.execute("SELECT 1")
        }
        #expect(error?.code == .misuse)
      },
    ])
    #expect(outcome.errors.allSatisfy { $0 == nil })
    #expect(outcome.commits == 1)
  }
}

/// `@unchecked Sendable`: both members run on the writer's thread.
private struct KeptConnection: @unchecked Sendable {
  let connection: Connection

  init(_ connection: Connection) {
    self.connection = connection
  }
}

/// A write that reports when it is answered.
private final class RecordedWrite: SharedWrite {
  let canRunAgain = false
  private let body: @Sendable (ConnectionCore) throws -> Void
  private let answered: @Sendable (Bool) -> Void

  init(
    run: @escaping @Sendable (ConnectionCore) throws -> Void,
    finish: @escaping @Sendable (Bool) -> Void
  ) {
    body = run
    answered = finish
  }

  func answer(to continuation: UnsafeContinuation<Void, any Error>) {}
  func run(on core: ConnectionCore) throws { try body(core) }
  func finish(throwing error: (any Error)?) { answered(error == nil) }
}
