import TestRun
import Testing

@testable import SQLCore

/// A cache of tables, filled by the hook, beside a list that is filled likewise.
private final class CacheObserver: StatementObserver {
  var recent = RecentTables()
  /// The noted tables, the last one at the end, with their values.
  var expected: [(table: String, value: Int)] = []
  var lookups = 0
  var hits = 0
  var mistakes = 0
  /// Whether tables are noted again even if they are known.
  var notesAlways = false

  deinit { recent.removeAll() }

  func rowWillChange(_ event: borrowing PreUpdateEvent) -> Bool {
    let table = String(cString: event.table)
    let found = recent.value(of: event)
    lookups += 1
    if found != nil { hits += 1 }
    if found != expected.last(where: { $0.table == table })?.value { mistakes += 1 }
    if found == nil || notesAlways {
      recent.note(lookups, of: event)
      expected.append((table, lookups))
      if expected.count > 4 { expected.removeFirst() }
    }
    return true
  }

  func statementWillRun(_ statement: StatementPointer, on core: ConnectionCore) {}
  func statementDidRun(_ statement: StatementPointer, failed: Bool, on core: ConnectionCore) {}
  func sharedWriteDidEnd(on core: ConnectionCore) {}
  func commitHookDidFire() {}
  func rollbackHookDidFire() {}
}

@Suite("The tables whose rows changed last", .needs(.preUpdateHook))
struct RecentTablesTests {
  private func connection(with observer: CacheObserver) throws -> Connection {
    let connection = try Connection()
    for number in 0..<7 { try connection.execute("CREATE TABLE t\(unsafe: "\(number)") (x)") }
    try connection.core.setObserver(observer)
    return connection
  }

  @Test("the last four tables are known, in any order of changes")
  func likeAList() throws {
    let seed = TestSeed.draw()
    var random = SeededGenerator(seed: seed)
    let observer = CacheObserver()
    let connection = try connection(with: observer)
    try InvariantChecks.whileOn {
      for _ in 0..<500 {
        let number = Int.random(in: 0..<7, using: &random)
        try connection.execute("INSERT INTO t\(unsafe: "\(number)") VALUES (1)")
      }
    }
    #expect(observer.lookups == 500 && observer.hits > 0 && observer.mistakes == 0, "seed \(seed)")
    try connection.core.setObserver(nil)
  }

  #if DEBUG
    @Test("a table that is noted twice is found")
    func damaged() throws {
      let observer = CacheObserver()
      let connection = try connection(with: observer)
      try connection.execute("INSERT INTO t0 VALUES (1); INSERT INTO t1 VALUES (1)")
      try observer.recent.checkInvariants()
      observer.notesAlways = true
      try InvariantChecks.$areSuspended.withValue(true) {
        try connection.execute("INSERT INTO t0 VALUES (1)")
      }
      #expect(throws: BrokenInvariant.self) { try observer.recent.checkInvariants() }
      try connection.core.setObserver(nil)
    }
  #endif
}
