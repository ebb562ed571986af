import Foundation
import SQLCore
import Synchronization
import TestRun
import Testing

import MigrationSamples
@testable import QueryDSL

@Suite("Migration: ended half-way, the old schema or the new one, whole", .blocking)
struct InterruptedMigrationTests {
  static let kinds = Migrations.all.keys.sorted()

  private func expectWhole(
    _ path: String, _ schemas: [[String]], _ file: LargeFile, _ label: String
  ) throws -> Int {
    let db = try Database(path: path)
    let found = try file.expectWhole(db, schemas, label)
    try db.close()
    return found
  }

  @Test("killed with -9 at random moments of every kind of step")
  func killed() throws {
    let kills = TestSize.count(small: 4, full: Self.kinds.count, long: 200)
    let seed = TestSeed.draw()
    var random = SeededGenerator(seed: seed)
    let file = try LargeFile(rows: TestSize.count(small: 20_000, full: 100_000))
    // The few of a small run are other kinds each time.
    let first = Int.random(in: 0..<Self.kinds.count, using: &random)
    var outcomes: [String: [Int]] = [:]
    var migrated: [String: (schema: [String], lines: Int)] = [:]
    for kill in 0..<kills {
      let kind = Self.kinds[(first + kill) % Self.kinds.count]
      if migrated[kind] == nil {
        // Once to its end, to know the schema to come and how many statements there are.
        let path = try file.copy(kind)
        let lines = try MigrationChild(path, kind).runToEnd()
        let db = try Database(path: path)
        migrated[kind] = (try LargeFile.schema(of: db), lines)
        try db.close()
      }
      let whole = try #require(migrated[kind])
      try #require(whole.lines > 0 && whole.schema != file.schema, "\(kind)")
      let path = try file.copy("killed")
      // The first one waits where it is killed, so that on every machine one has the old schema.
      let waits = kill == 0
      let child = try MigrationChild(path, kind, waits: waits)
      let last = Int.random(in: 1...whole.lines, using: &random)
      for statement in 1...last {
        _ = child.line()
        if waits, statement < last { child.proceed() }
      }
      if !waits {
        // Somewhere in the statement that it has just begun, or in the commit after the last.
        usleep(UInt32.random(in: 0...(last == whole.lines ? 60_000 : 20_000), using: &random))
      }
      child.kill()
      let label = "seed \(seed) kill \(kill): \(kind) in statement \(last)"
      let found = try expectWhole(path, [file.schema, whole.schema], file, label)
      outcomes[kind, default: [0, 0]][found] += 1
      // What was not done is done by the next one.
      _ = try MigrationChild(path, kind).runToEnd()
      _ = try expectWhole(path, [whole.schema], file, label)
    }
    #expect(outcomes.values.contains { $0[0] > 0 }, "seed \(seed): \(outcomes)")
    if TestSize.current == .long {
      print("seed \(seed), \(kills) kills, old and new schema by kind:")
      for (kind, counts) in outcomes.sorted(by: { $0.key < $1.key }) {
        print("  \(kind) \(counts)")
      }
    }
  }

  /// Which statement of a connection fails, and how many there were.
  private final class Failing: Sendable {
    struct Stop: Error {}
    private let state = Mutex((number: -1, begun: 0, isArmed: false, hasFailed: false))

    /// The statement of that number fails; none does for nil.
    func fail(at number: Int?) {
      state.withLock { $0 = (number ?? -1, 0, false, false) }
    }

    var count: Int { state.withLock { $0.begun } }
    var hasFailed: Bool { state.withLock { $0.hasFailed } }

    func begins() {
      state.withLock { state in
        if state.begun == state.number { state.isArmed = true }
        state.begun += 1
      }
    }

    func goesOn() throws {
      let stops = state.withLock { state in
        defer { state.isArmed = false }
        if state.isArmed { state.hasFailed = true }
        return state.isArmed
      }
      if stops { throw Stop() }
    }
  }

  @Test("an error in the midst of each statement of the run: nothing is done", arguments: kinds)
  func errors(_ kind: String) throws {
    // In full, rows that take more than one statement to copy, where a rebuild copies them.
    let rows = TestSize.count(small: 100, full: kind == "type" ? 25_000 : 500)
    let file = try LargeFile(rows: rows)
    let migration = try #require(Migrations.all[kind])
    let failing = Failing()
    var failures = 0
    var statement = 0
    var hasStatement = true
    while hasStatement {
      let label = "\(kind) \(statement)"
      let db = try Database(path: file.copy(kind))
      try db.onTrace(.statement) { _ in failing.begins() }
      try db.onProgress(every: 1) { try failing.goesOn() }
      failing.fail(at: statement)
      do {
        try db.migrate(migration.models, migration.options)
        // Our COMMIT is not ended in its midst, and the last one was behind the end.
        try #require(!failing.hasFailed, "\(label)")
        hasStatement = failing.count > statement
        failing.fail(at: nil)
        #expect(try LargeFile.schema(of: db) != file.schema)
      } catch {
        try #require(failing.hasFailed, "\(label): \(error)")
        failures += 1
        failing.fail(at: nil)
        #expect(try file.expectWhole(db, [file.schema], label) == 0)
      }
      failing.fail(at: nil)
      let settings = try db.writeWithoutTransaction { connection in
        try ["PRAGMA foreign_keys", "PRAGMA legacy_alter_table"].map { try connection.row($0)?[0] }
      }
      #expect(settings == [1, 0], "\(label)")
      try db.close()
      statement += 1
    }
    // All but COMMIT and the one behind the last; where BEGIN is to fail, what comes behind it does.
    #expect(failures == statement - 2 && failures > 5, "\(kind): \(failures) of \(statement)")
  }

  @Test("a COMMIT that fails: nothing is done", arguments: kinds)
  func commit(_ kind: String) throws {
    struct Veto: Error {}
    let file = try LargeFile(rows: 500)
    let migration = try #require(Migrations.all[kind])
    let db = try Database(path: file.copy(kind))
    let veto = try db.onCommit { throw Veto() }
    #expect(throws: (any Error).self) { try db.migrate(migration.models, migration.options) }
    #expect(try file.expectWhole(db, [file.schema], kind) == 0)
    try db.remove(veto)
    try db.migrate(migration.models, migration.options)
    #expect(try file.expectWhole(db, [file.schema, LargeFile.schema(of: db)], kind) == 1)
  }

  @Test("several processes that open and migrate at once: one does, the others find it done")
  func severalProcesses() throws {
    let file = try LargeFile(rows: TestSize.count(small: 5_000, full: 100_000))
    for kind in ["type", "steps"] {
      let path = try file.copy("both")
      let children = try (0..<3).map { _ in try MigrationChild(path, kind) }
      let migrating = try children.filter { try $0.runToEnd() > 0 }.count
      #expect(migrating == 1, "\(kind)")
      let db = try Database(path: path)
      #expect(try file.expectWhole(db, [file.schema, LargeFile.schema(of: db)], kind) == 1)
      if kind == "steps" {
        #expect(try db.row("SELECT name FROM Item WHERE id = 1")?[0] == "name 1!old")
      }
      try db.close()
    }
  }
}
