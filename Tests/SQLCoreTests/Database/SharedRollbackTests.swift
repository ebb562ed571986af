import CSQLite
import TestRun
import Testing

@testable import SQLCore

/// The effect on the other members when one of them, or the commit, undoes the whole transaction.
@Suite("Shared commits that are rolled back", .blocking)
struct SharedRollbackTests: SharedCommitSuite {
  let group: SharedCommits

  init() throws {
    group = try SharedCommits()
  }

  /// The ways in which SQLite rolls back the whole transaction from inside a member.
  enum Rollback: CaseIterable {
    case orRollback, raise, interrupt

    func run(_ connection: Connection, in db: Database) throws {
      switch self {
      case .orRollback: try connection.execute("INSERT OR ROLLBACK INTO note (n) VALUES (1)")
      case .raise: try connection.execute("INSERT INTO note (n) VALUES (999)")
      case .interrupt:
        let hook = SQLHook { db.interrupt() }
        try hook.configuration().prepareConnection?(connection)
        try connection.execute(
          "INSERT INTO note (n) SELECT 1000 + total FROM (\(unsafe: SQLHook.rows.text))")
      }
    }
  }

  @Test(
    "after a whole rollback the finished members fail with its cause and do not run again",
    arguments: Rollback.allCases)
  func wholeRollback(rollback: Rollback) async throws {
    let runs = Shared(0)
    let counted: Member = { connection in
      runs.change { $0 += 1 }
      try Self.insert(2)(connection)
    }
    let outcome = await run([
      Self.insert(1), counted, { [db] in try rollback.run($0, in: db) }, Self.insert(4),
    ])
    #expect(outcome.isUndone(0))
    #expect(outcome.isUndone(1))
    let cause = (outcome.errors[0] as? SharedTransactionRolledBack)?.cause as? DatabaseError
    #expect(cause != nil)
    #expect(cause?.code == outcome.database(2)?.code)
    switch rollback {
    case .orRollback, .raise: #expect(outcome.database(2)?.code.primary == .constraint)
    case .interrupt: #expect(outcome.database(2)?.isInterruption == true)
    }
    // Members that had not begun stand in line for the next commit.
    #expect(outcome.errors[3] == nil)
    #expect(runs.current == 1)
    try await expectRows([4])
  }

  @Test(
    "a member that catches a whole rollback and returns fails, and its last write is undone",
    arguments: [Rollback.orRollback, .raise])
  func caughtRollback(rollback: Rollback) async throws {
    let outcome = await run([
      Self.insert(1),
      { [db] connection in
        try? rollback.run(connection, in: db)
        try? Self.insert(5)(connection)
      },
      Self.insert(3),
    ])
    #expect(outcome.isUndone(0))
    #expect(outcome.database(1)?.code == .abort)
    #expect(outcome.errors[2] == nil)
    try await expectRows([3])
  }

  @Test(
    "after a whole rollback, writes of plain data run again and are acknowledged",
    arguments: Rollback.allCases)
  func replay(rollback: Rollback) async throws {
    let holding = Holding(writerWithoutTransactionOf: db)
    let inserts = (0..<3).map { number in
      Task.immediate { [db] in try await db.writeData { try Self.insert(number)($0) } }
    }
    let failing = Task.immediate { [db] in
      try await db.write { try rollback.run($0, in: db) }
    }
    let last = Task.immediate { [db] in try await db.writeData { try Self.insert(3)($0) } }
    holding.end()
    for task in inserts { try await task.value }
    await #expect(throws: DatabaseError.self) { try await failing.value }
    try await last.value
    try await expectRows([0, 1, 2, 3])
  }

  @Test("a commit that is vetoed acknowledges no write")
  func veto() async throws {
    try await db.writeWithoutTransaction { connection in
      _ = sqlite3_commit_hook(connection.core.handle, { _ in 1 }, nil)
    }
    let outcome = await run([Self.insert(1), Self.insert(2)])
    #expect(outcome.isUndone(0))
    #expect(outcome.isUndone(1))
    let alone = await run([Self.insert(3)])
    #expect(alone.database(0)?.code.primary == .constraint)
    try await db.writeWithoutTransaction { _ = sqlite3_commit_hook($0.core.handle, nil, nil) }
    try await expectRows([])
    let after = await run([Self.insert(4)])
    #expect(after.errors[0] == nil)
    try await expectRows([4])
  }

  @Test("a full database fails the member that fills it, and acknowledges what was committed")
  func full() async throws {
    try await db.writeWithoutTransaction { connection in
      let pages = try connection.value(Int.self, "PRAGMA page_count") ?? 0
      _ = try connection.rows("PRAGMA max_page_count = \(unsafe: String(pages + 20))")
    }
    let text = String(repeating: "x", count: 3_000)
    let outcome = await run(
      (0..<100).map { number in
        { try $0.execute("INSERT INTO note VALUES (\(number), \(text))") }
      })
    let acknowledged = outcome.errors.indices.filter { outcome.errors[$0] == nil }
    #expect(acknowledged.count < 100)
    #expect(outcome.errors.contains { ($0 as? DatabaseError)?.code.primary == .full })
    try await expectRows(acknowledged)
  }
}
