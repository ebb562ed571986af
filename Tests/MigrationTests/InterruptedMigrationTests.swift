import Foundation
import SQLCore
import Synchronization
import TestRun
import Testing

import MigrationSamples
@testable import QueryDSL
@testable import QueryFixtures
@testable import SchemaMigration

@Suite("Interrupted migrations, which leave the old or the new schema complete", .blocking)
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

  @Test("a migration killed at a random moment leaves the old or the new schema with all rows")
  func killed() throws {
    let kills = TestSize.count(small: 4, full: Self.kinds.count, long: 200)
    let seed = TestSeed.draw()
    var random = SeededGenerator(seed: seed)
    let file = try LargeFile(rows: TestSize.count(small: 20_000, full: 100_000))
    // The few kills of a small run cover other kinds each time.
    let first = Int.random(in: 0..<Self.kinds.count, using: &random)
    var outcomes: [String: [Int]] = [:]
    var migrated: [String: (schema: [String], lines: Int)] = [:]
    for kill in 0..<kills {
      let kind = Self.kinds[(first + kill) % Self.kinds.count]
      if migrated[kind] == nil {
        // One run to the end gives the new schema and the number of statements.
        let path = try file.copy(kind)
        let lines = try MigrationChild(path, kind).runToEnd()
        let db = try Database(path: path)
        migrated[kind] = (try LargeFile.schema(of: db), lines)
        try db.close()
      }
      let whole = try #require(migrated[kind])
      try #require(whole.lines > 0 && whole.schema != file.schema, "\(kind)")
      let path = try file.copy("killed")
      // The first child waits at each statement, so that on every machine at least one kill finds
      // the old schema.
      let waits = kill == 0
      let child = try MigrationChild(path, kind, waits: waits)
      let last = Int.random(in: 1...whole.lines, using: &random)
      for statement in 1...last {
        _ = child.line()
        if waits, statement < last { child.proceed() }
      }
      if !waits {
        // The kill comes during the statement that has just begun, or during the commit after the
        // last one.
        usleep(UInt32.random(in: 0...(last == whole.lines ? 60_000 : 20_000), using: &random))
      }
      child.kill()
      let label = "seed \(seed) kill \(kill): \(kind) in statement \(last)"
      let found = try expectWhole(path, [file.schema, whole.schema], file, label)
      outcomes[kind, default: [0, 0]][found] += 1
      // The next process completes the migration.
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

  /// Makes a chosen statement of a connection fail, and counts the statements.
  private final class Failing: Sendable {
    struct Stop: Error {}
    private let state = Mutex((number: -1, begun: 0, isArmed: false, hasFailed: false))

    /// Chooses the statement that fails; none fails if the number is nil.
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

  @Test("an error in the middle of any statement of a migration undoes all of it", arguments: kinds)
  func errors(_ kind: String) throws {
    // A full run has enough rows that a rebuild copies them with more than one statement.
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
        // Our COMMIT cannot be interrupted, and the last number is past the end.
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
    // All statements fail except COMMIT and the number past the end; a failure of BEGIN shows in
    // the next statement.
    #expect(failures == statement - 2 && failures > 5, "\(kind): \(failures) of \(statement)")
  }

  @Test("a COMMIT that fails undoes all of the migration", arguments: kinds)
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

  @Test("of several processes that migrate a file at the same time, exactly one migrates it")
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
