import QueryDSL
import SchemaMigration
import TestRun
import Testing

@testable import ChangeObservation
@testable import SQLCore

@Suite("The log of a transaction's events")
struct EventLogTests {
  /// A table whose key is the rowid, and one with a key of two columns.
  private func tables() throws -> [TrackedTable] {
    let connection = try Connection()
    try connection.execute(
      """
      CREATE TABLE number (id INTEGER PRIMARY KEY, x);
      CREATE TABLE word (name TEXT, part INT, x, PRIMARY KEY (name, part)) WITHOUT ROWID;
      """)
    return try ["number", "word"].map { name in
      try #require(
        try TrackedTable(named: QualifiedTableName(name), recording: nil, on: connection))
    }
  }

  /// Records an insertion of a row, as the hook does.
  private func insertion(
    of number: Int64, into table: Int, among tables: [TrackedTable], in values: RecordedValues
  ) throws -> RecordedRow {
    var row = RecordedRow(table: table, start: values.count)
    row.newKey = number
    if let keyCount = tables[table].names.keyCount {
      row.newKey = Int64(try #require(values.reserve(of: keyCount + 1)))
      #expect(values.fill(Int(row.newKey), with: [.text("w\(number)"), .integer(number), .null]))
    }
    row.oldKey = row.newKey
    let state = try #require(values.reserve(of: tables[table].recordedCount))
    row.new = state
    #expect(
      values.fill(
        state,
        with: Array(repeating: .text("value \(number)"), count: tables[table].recordedCount)))
    return row
  }

  @Test("random statements and savepoints leave the events that a list has")
  func likeAList() throws {
    let seed = TestSeed.draw()
    var random = SeededGenerator(seed: seed)
    let tables = try tables()
    var log = RecordedRows(maximumRows: .max)
    var numbers: [Int64] = []
    var savepoints: [(name: String, count: Int)] = []
    try InvariantChecks.whileOn {
      for step in 0..<3_000 {
        let name = ["a", "b", "c"][Int.random(in: 0..<3, using: &random)]
        let index = savepoints.lastIndex { $0.name == name }
        switch Int.random(in: 0..<40, using: &random) {
        case 0:
          log.removeAll()
          (numbers, savepoints) = ([], [])
        case 1..<4:
          _ = log.apply(.open(name))
          savepoints.append((name, numbers.count))
        case 4:
          _ = log.apply(.release(name))
          if let index { savepoints.removeSubrange(index...) }
        case 5:
          let didUndo = log.apply(.rollBack(name))
          #expect(didUndo == (index != nil))
          if let index {
            numbers.removeSubrange(savepoints[index].count...)
            savepoints.removeSubrange((index + 1)...)
          }
        default:
          let table = Int.random(in: 0..<2, using: &random)
          let row = try insertion(of: Int64(step), into: table, among: tables, in: log.values)
          log.append(row, of: tables)
          numbers.append(Int64(step))
        }
        #if DEBUG
          try log.checkInvariants(of: tables)
        #endif
        let texts = log.rows.map { log.values.value(of: $0.new, at: 0, of: 1) }
        let expected = numbers.map { DatabaseValue.text("value \($0)") }
        try #require(texts == expected, "seed \(seed), step \(step)")
      }
    }
  }

  @Test("a table of dropped rows stays noted if a savepoint with a later event is rolled back")
  func droppedBeforeSavepoint() throws {
    let tables = try tables()
    var log = RecordedRows(maximumRows: 1)
    log.append(try insertion(of: 1, into: 0, among: tables, in: log.values), of: tables)
    _ = log.apply(.open("a"))
    log.note(.tableChanged, tables[0].name)
    log.append(try insertion(of: 2, into: 0, among: tables, in: log.values), of: tables)
    #expect(log.rows.isEmpty)
    _ = log.apply(.rollBack("a"))
    #expect(log.notes.map(\.table) == [tables[0].name])
  }

  @Test("rows are netted by their keys as a dictionary nets them", arguments: [0, 1])
  func netting(table: Int) throws {
    let seed = TestSeed.draw()
    var random = SeededGenerator(seed: seed)
    let tables = try tables()
    let values = RecordedValues(encoding: .utf8)
    var netting = RowNetting(of: tables[table], in: values)
    var expected: [Int64: Int] = [:]
    for step in 0..<1_000 {
      // Rows come one by one, or several at once.
      var rows: [RecordedRow] = []
      for _ in 0..<[1, 1, 1, 5][step % 4] {
        let number = Int64.random(in: 0..<(step < 20 ? 8 : 300), using: &random)
        let row = try insertion(of: number, into: table, among: tables, in: values)
        rows.append(row)
        expected[number] = row.new
      }
      if rows.count == 1 { netting.add(rows[0]) } else { netting.add(rows[...]) }
      #if DEBUG
        if step < 20 || step % 50 == 0 { try netting.checkInvariants() }
      #endif
    }
    let rows = netting.rows
    #expect(rows.count == expected.count, "seed \(seed)")
    let numbers = rows.map { row in
      let key = netting.key(of: row).values
      guard case .integer(let number)? = key.last else { return Int64(-1) }
      return number
    }
    #expect(Set(numbers).count == rows.count, "seed \(seed)")
    for (number, row) in zip(numbers, rows) {
      #expect(expected[number] == row.new, "seed \(seed)")
    }
  }

  #if DEBUG
    @Test("an event whose state or key is not in the log's values is found")
    func damaged() throws {
      let tables = try tables()
      let changes: [(inout RecordedRow) -> Void] = [
        { $0.new += 1_000 }, { $0.new = -1 }, { $0.new = $0.start - 1 }, { $0.newKey = 1_000_000 },
      ]
      for (number, change) in changes.enumerated() {
        var log = RecordedRows(maximumRows: .max)
        log.append(try insertion(of: 1, into: 1, among: tables, in: log.values), of: tables)
        try log.checkInvariants(of: tables)
        var row = try insertion(of: 2, into: 1, among: tables, in: log.values)
        change(&row)
        InvariantChecks.$areSuspended.withValue(true) { log.append(row, of: tables) }
        #expect(throws: BrokenInvariant.self, "change \(number)") {
          try log.checkInvariants(of: tables)
        }
      }
      // The second event begins before the first one.
      var log = RecordedRows(maximumRows: .max)
      let first = try insertion(of: 1, into: 0, among: tables, in: log.values)
      log.append(try insertion(of: 2, into: 0, among: tables, in: log.values), of: tables)
      InvariantChecks.$areSuspended.withValue(true) { log.append(first, of: tables) }
      #expect(throws: BrokenInvariant.self) { try log.checkInvariants(of: tables) }
    }

    @Test("a key that changed while its row is netted is found")
    func damagedKey() throws {
      let tables = try tables()
      let values = RecordedValues(encoding: .utf8)
      var netting = RowNetting(of: tables[1], in: values)
      netting.reserve(100)
      var keys: [Int] = []
      for number in 0..<20 as Range<Int64> {
        let row = try insertion(of: number, into: 1, among: tables, in: values)
        keys.append(Int(row.newKey))
        netting.add(row)
      }
      try netting.checkInvariants()
      // Two rows now have one key.
      #expect(values.fill(keys[3], with: values.values(of: keys[7], count: 3)))
      #expect(throws: BrokenInvariant.self) { try netting.checkInvariants() }
    }
  #endif
}

extension RecordedRows {
  /// Appends a row, as the recorder does.
  fileprivate mutating func append(_ row: RecordedRow, of tables: [TrackedTable]) {
    if !append(row) { keepOnlyTables(of: row, among: tables) }
    didAppend(to: tables)
  }
}
