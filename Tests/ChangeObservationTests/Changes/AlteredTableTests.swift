import SQLCore
import TestRun
import Testing

@testable import ChangeObservation

/// Transactions that first change the schema, also in savepoints that roll back, and then write
/// rows. At each row the tracker must know the table as it is then.
@Suite("Row changes after schema changes", .needs(.preUpdateHook))
struct AlteredTableTests {
  private static let tables = ["Spare", "Other"]

  /// The watched tables: all of them, or some beside others whose rows do not matter.
  private static let watched = [nil, ["Spare"], ["Other"], ["Spare", "Other"]]

  private struct Writer {
    var random: SeededGenerator
    private(set) var tried: [String] = []

    mutating func number(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &random) }
    mutating func chance(_ percent: Int) -> Bool { number(1...100) <= percent }
    mutating func pick<T>(_ items: [T]) -> T { items[number(0...(items.count - 1))] }

    mutating func begin() { tried = [] }

    /// Runs a statement and ignores its failure.
    mutating func run(_ text: String, on connection: Connection) {
      do {
        try connection.execute(SQL(unsafe: text))
        tried.append(text)
      } catch {
        tried.append("\(text) -- failed")
      }
    }

    mutating func schemaChange() -> String {
      let (table, column) = (pick(AlteredTableTests.tables), pick(["p", "q"]))
      return pick([
        "CREATE TABLE \(table) (id INTEGER PRIMARY KEY, text TEXT)",
        "CREATE TABLE \(table) (text TEXT, name TEXT PRIMARY KEY, p INTEGER) WITHOUT ROWID",
        "CREATE TABLE \(table) (p REAL, name TEXT, text TEXT, PRIMARY KEY (name, p))",
        "DROP TABLE \(table)", "DROP TABLE \(table)",
        "ALTER TABLE \(table) ADD COLUMN \(column) INTEGER DEFAULT 7",
        "ALTER TABLE \(table) ADD COLUMN \(column) TEXT",
        "ALTER TABLE \(table) DROP COLUMN \(column)", "ALTER TABLE \(table) DROP COLUMN text",
        "ALTER TABLE \(table) RENAME COLUMN \(column) TO text",
        "ALTER TABLE Spare RENAME TO Other", "ALTER TABLE Other RENAME TO Spare",
        "CREATE INDEX of_\(table) ON \(table) (text)", "DROP INDEX of_\(table)",
      ])
    }

    mutating func rowChange() -> String {
      let table = pick(AlteredTableTests.tables)
      let name = pick(["'a'", "'b'", "'c'"])
      return pick([
        "INSERT INTO \(table) (text) VALUES (\(name))",
        "INSERT INTO \(table) (text, name, p) VALUES (\(name), \(pick(["'a'", "'b'"])), 1)",
        "INSERT OR REPLACE INTO \(table) DEFAULT VALUES", "UPDATE \(table) SET text = \(name)",
        "UPDATE \(table) SET p = \(number(1...3))", "UPDATE \(table) SET q = \(name)",
        "UPDATE \(table) SET name = name || 'x'", "DELETE FROM \(table) WHERE text = \(name)",
      ])
    }

    /// Changes the schema. Rows are written only in savepoints that roll back.
    mutating func changeSchema(on connection: Connection) {
      for _ in 0..<number(1...3) {
        let hasSavepoint = chance(50)
        let rollsBack = hasSavepoint && chance(70)
        if hasSavepoint { run("SAVEPOINT s", on: connection) }
        for _ in 0..<number(1...3) {
          run(chance(rollsBack ? 50 : 100) ? schemaChange() : rowChange(), on: connection)
        }
        if rollsBack { run("ROLLBACK TO s", on: connection) }
        if hasSavepoint { run("RELEASE s", on: connection) }
      }
    }
  }

  private func contents(_ connection: Connection) throws -> [TableContents] {
    try Self.tables.map { try TableContents($0, on: connection) }
  }

  @Test(
    "a table whose name reuses the memory of another table's name is reported",
    arguments: [["spare"], ["spare", "first", "second"]])
  func reusedMemory(watched: [String]) throws {
    let db = try Database.temporary(configuration: .relaxed)
    let tracker = try #require(ChangeTracker.of(db))
    let queue = CommitQueue(maximumRows: .max)
    let interests = watched.map { (QualifiedTableName($0), Subscription.Interest(columns: nil)) }
    _ = tracker.add(
      Subscription(tables: Dictionary(uniqueKeysWithValues: interests), queue: queue))
    // SQLite frees the name with the table, and the next of the same length often takes its place.
    let columns = ["text", "p INT, text", "text, p INT, q INT"]
    try db.writeWithoutTransaction { connection in
      for round in 0..<300 {
        let others = ["other", "first", "second"].shuffled()
        for other in others {
          try connection.execute(
            "CREATE TABLE \(unsafe: other) (\(unsafe: columns.randomElement() ?? "text"))")
          try connection.execute("INSERT INTO \(unsafe: other) (text) VALUES ('other')")
        }
        for other in others.shuffled().prefix(2) {
          try connection.execute("UPDATE \(unsafe: other) SET text = 'another'")
        }
        _ = queue.take()
        if round % 2 == 0 {
          try connection.execute("ALTER TABLE other RENAME TO spare")
        } else {
          try connection.execute("DROP TABLE other")
          try connection.execute("CREATE TABLE spare (\(unsafe: columns[round % 3]))")
        }
        try connection.execute("INSERT INTO spare (text) VALUES ('reported')")
        let reported = queue.take().commits.flatMap(\.writes).compactMap {
          $0.tables[QualifiedTableName("spare")]?.differences.first
        }
        try #require(
          reported.map { $0.new?["text"] } == ["reported"], "round \(round): \(reported)")
        try connection.execute("DROP TABLE spare; DROP TABLE first; DROP TABLE second")
      }
    }
  }

  @Test("changed rows are reported exactly, with the columns that the table has then")
  func exact() throws {
    let transactions = TestSize.count(small: 200, full: 750, long: 25_000)
    let seed = TestSeed.draw()
    var writer = Writer(random: SeededGenerator(seed: seed))
    let db = try Database.temporary(configuration: .relaxed)
    let tracker = try #require(ChangeTracker.of(db))
    var rowCount = 0
    for round in 0..<(transactions / 50) {
      let queue = CommitQueue(maximumRows: .max)
      let watched = writer.pick(Self.watched)
      let interests = watched?.map {
        (QualifiedTableName($0), Subscription.Interest(columns: nil))
      }
      let id = tracker.add(
        Subscription(tables: interests.map { Dictionary(uniqueKeysWithValues: $0) }, queue: queue))
      defer { tracker.remove(id) }
      try db.writeWithoutTransaction { connection in
        for unit in 0..<50 {
          writer.begin()
          let before = try contents(connection)
          writer.run("BEGIN", on: connection)
          if writer.chance(80) { writer.changeSchema(on: connection) }
          // From here on every row must be reported.
          let start = try contents(connection)
          for _ in 0..<writer.number(0...5) { writer.run(writer.rowChange(), on: connection) }
          let commits = writer.chance(85)
          writer.run(commits ? "COMMIT" : "ROLLBACK", on: connection)
          let after = try contents(connection)
          let reported = queue.take()
          let place = "seed \(seed), round \(round), unit \(unit), \(writer.tried)"
          try #require(reported.everything.isEmpty && reported.dropped == nil, "\(place)")
          guard commits else {
            try #require(reported.commits.isEmpty, "\(place)")
            continue
          }
          let tables = reported.commits.first?.writes.first?.tables ?? [:]
          for (index, name) in Self.tables.enumerated() {
            guard watched?.contains(name) ?? true else { continue }
            let rows = tables[QualifiedTableName(name)]
            let place = "\(place), \(name)"
            try #require(rows?.events.isSubset(of: [.schemaChanged]) ?? true, "\(place)")
            if before[index].definitions != after[index].definitions {
              try #require(rows?.events == [.schemaChanged], "\(place)")
            }
            let expected = start[index].differences(to: after[index])
            let differences = rows?.differences ?? []
            rowCount += expected.count
            try #require(
              Set(differences) == expected && differences.count == expected.count,
              "\(place): reported \(differences), expected \(expected)")
          }
        }
      }
    }
    // The test shows little unless rows are often written. They come in bursts.
    #expect(rowCount > transactions / 20, "seed \(seed): too few rows were written")
  }
}
