import ApusHistory
import QueryDSL
import SQLCore
import SchemaMigration
import TestRun
import Testing

/// The receiver has the first version of the models, which lacks some columns.
@Suite("Waiting changes of rows that the receiving database deletes")
struct EndedWaitingTests {
  typealias Job = Versions.Second.Job

  private let new: Database
  private let old: Database

  /// Two jobs are in both databases, and for each of them a color waits in the old one.
  init() throws {
    new = try .temporary(models: Versions.models[1])
    old = try .temporary(models: Versions.models[0])
    for id in 1...2 { try new.insert(Job(id: id, title: "job \(id)")) }
    try send(from: new, to: old)
    // The columns of the insertions also wait.
    try new.execute("UPDATE Job SET color = 'red'")
    try send(from: new, to: old)
    let found = try old.log.status().waiting.count
    #expect(found == 4)
  }

  @discardableResult
  private func send(
    from source: Database, to target: Database, relaying: Bool = false
  ) throws -> LogApplication {
    let position = try target.log.appliedPosition(of: source.log.identity, relaying: relaying)
    return try target.log.apply(
      source.log.batch(after: position, relaying: relaying), resolving: .newer)
  }

  private func waiting(_ db: Database) throws -> Int { try db.log.status().waiting.count }

  private func reopened(_ version: Int) throws -> Database {
    try Database(path: try #require(old.path), models: Versions.models[version])
  }

  @Test("the next batch ends the wait, without a conflict")
  func batch() throws {
    try old.execute("DELETE FROM Job WHERE id = 2")
    try new.execute("UPDATE Job SET title = 'first' WHERE id = 1")
    let report = try send(from: new, to: old)
    #expect(report.waiting.count == 2 && report.conflicts.isEmpty)
    let found = try waiting(old)
    #expect(found == 2)
    let later = try reopened(1)
    let found2 = try later.fetch(Job.all).map { [$0.title, $0.color] }
    #expect(found2 == [["first", "red"]])
    let found3 = try waiting(later)
    #expect(found3 == 0)
    try send(from: later, to: new)
    let found4 = try new.fetch(Job.all)
    let expected4 = try later.fetch(Job.all)
    #expect(found4 == expected4)
  }

  @Test("an opening ends the wait, before and after the migration", arguments: 0...1)
  func opening(_ version: Int) throws {
    try old.execute("DELETE FROM Job")
    let found = try waiting(reopened(version))
    #expect(found == 0)
  }

  @Test("a purge ends the wait, and deletes the entries that it held")
  func purge() throws {
    try old.execute("DELETE FROM Job")
    let found = try old.log.purge(keeping: .init(count: 0))
    #expect(found > 0)
    let found2 = try waiting(old)
    #expect(found2 == 0)
    let found3 = try old.fetch(Int.self, "SELECT count(*) FROM apus_log_waiting")
    #expect(found3 == [0])
  }

  @Test("a row that was replaced, or deleted and restored, has its waiting changes")
  func presentRows() throws {
    let history = try History(of: [Versions.First.Job.self], inLogOf: old)
    try old.execute("INSERT OR REPLACE INTO Job VALUES (1, 'replaced')")
    try old.execute("DELETE FROM Job WHERE id = 2")
    try history.undo()
    try send(from: new, to: old)
    let found = try waiting(old)
    #expect(found == 4)
    let later = try reopened(1)
    let found2 = try later.fetch(Job.order { $0.$id }).map(\.color)
    #expect(found2 == ["red", "red"])
  }

  @Test("a hub sends the change on, and its own deletion")
  func relayed() throws {
    let other = try Database.temporary(models: Versions.models[1])
    try old.execute("DELETE FROM Job WHERE id = 2")
    try new.execute("UPDATE Job SET size = 3 WHERE id = 1")
    try send(from: new, to: old)
    let found = try waiting(old)
    #expect(found == 2)
    try send(from: old, to: other, relaying: true)
    let found2 = try other.fetch(Job.all).map(\.color)
    #expect(found2 == ["red"])
    let sent = try other.log.entries().flatMap(\.changes).filter { $0.new("color") == "red" }
    #expect(sent.map(\.keyValues) == [[1], [2]])
  }

  @Test("a change that arrives before its row waits on")
  func rowToArrive() throws {
    let (a, b) = (
      try Database.temporary(models: Versions.models[1]),
      try Database.temporary(models: Versions.models[1])
    )
    try a.insert(Job(id: 9, title: "nine"))
    try send(from: a, to: b)
    try b.execute("UPDATE Job SET color = 'blue'")
    try send(from: b, to: old)
    try old.execute("DELETE FROM Job WHERE id = 2")
    try send(from: a, to: old)
    let later = try reopened(1)
    #expect(
      try later.fetch(Job.order { $0.$id }).map { [$0.title, $0.color] }
        == [["job 1", "red"], ["nine", "blue"]])
  }
}
