import TestRun
import Testing

@testable import SQLCore

/// The reports to commit and rollback listeners about writes that share a transaction. Each write
/// ends with exactly one of the two.
@Suite("Listeners to shared commits")
struct SharedListenerTests: SharedCommitSuite {
  let group: SharedCommits
  private let calls = Shared<[String]>([])

  struct Refusal: Error {}

  init() throws {
    group = try SharedCommits()
    try db.onCommit { [calls] in calls.change { $0.append("commit") } }
    try db.onRollback { [calls] in calls.change { $0.append("rollback") } }
  }

  /// The ways in which a write may undo itself.
  enum Undoing: CaseIterable {
    case throwing, asking, violating, violatingAtTheEnd

    func run(_ connection: Connection) throws {
      try connection.execute("INSERT INTO note (n) VALUES (77)")
      switch self {
      case .throwing: throw Refusal()
      case .asking: try connection.requestRollback()
      case .violating: try connection.execute("INSERT INTO note (n) VALUES (77)")
      case .violatingAtTheEnd: try connection.execute("INSERT INTO line VALUES (5)")
      }
    }
  }

  @Test("a write that is undone reports a rollback and no commit", arguments: Undoing.allCases)
  func undone(undoing: Undoing) async throws {
    _ = await run([{ try undoing.run($0) }])
    #expect(calls.current == ["rollback"])
    try await expectRows([])
  }

  @Test(
    "each write of a shared transaction reports how it ended", arguments: Undoing.allCases)
  func mixed(undoing: Undoing) async throws {
    _ = await run([Self.insert(1), { try undoing.run($0) }, Self.insert(2)])
    #expect(calls.current == ["rollback", "commit", "commit"])
    try await expectRows([1, 2])
  }

  @Test("a whole rollback is reported once for each write that it undid")
  func wholeRollback() async throws {
    let outcome = await run([
      Self.insert(1), { try $0.execute("INSERT INTO note (n) VALUES (999)") }, Self.insert(4),
    ])
    #expect(outcome.isUndone(0))
    #expect(calls.current == ["rollback", "rollback", "commit"])
    try await expectRows([4])
  }

  @Test("a write that runs again reports only its last outcome")
  func runsAgain() async throws {
    let holding = Holding(writerWithoutTransactionOf: db)
    let inserts = (0..<3).map { number in
      Task.immediate { [db] in try await db.writeData { try Self.insert(number)($0) } }
    }
    let failing = Task.immediate { [db] in try await db.write { try Self.insert(999)($0) } }
    holding.end()
    for task in inserts { try await task.value }
    await #expect(throws: DatabaseError.self) { try await failing.value }
    #expect(calls.current == ["rollback", "commit", "commit", "commit"])
  }

  @Test("a veto undoes every write of the transaction and reports a rollback for each")
  func veto() async throws {
    let veto = try db.onCommit { throw Refusal() }
    let outcome = await run([Self.insert(1), Self.insert(2)])
    #expect(outcome.isUndone(0) && outcome.isUndone(1))
    // The first write was about to commit. Then the whole transaction was rolled back.
    #expect(calls.current == ["commit", "rollback", "rollback"])
    try db.remove(veto)
    _ = await run([Self.insert(3)])
    #expect(calls.current.last == "commit")
    try await expectRows([3])
  }

  @Test("writes with a transaction of their own report the same way")
  func alone() async throws {
    try await db.write(alone: true) { try Self.insert(1)($0) }
    try? await db.write(alone: true) { _ -> Void in throw Refusal() }
    try? db.writeSynchronously { _ in throw Refusal() }
    #expect(calls.current == ["commit", "rollback", "rollback"])
  }
}

extension Database {
  fileprivate func writeSynchronously(_ body: (Connection) throws -> Void) throws {
    try write(body)
  }
}
