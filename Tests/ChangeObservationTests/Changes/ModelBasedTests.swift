import QueryDSL
import SchemaMigration
import TestRun
import Testing

@testable import ChangeObservation
@testable import SQLCore

/// A row that differs, with its values by column, as the reference and the stream describe it.
struct Difference: Hashable, CustomStringConvertible {
  let key: RowKey
  let old: [String: DatabaseValue]?
  let new: [String: DatabaseValue]?
  var description: String { "\(key): \(old ?? [:]) → \(new ?? [:])" }
}

/// All rows of a table, and its definitions in the schema.
struct TableContents {
  var rows: [RowKey: [String: DatabaseValue]] = [:]
  var definitions: [String] = []

  init(_ table: String, on connection: Connection) throws {
    definitions = try connection.fetch(
      String.self, "SELECT coalesce(sql, name) FROM sqlite_schema WHERE tbl_name = \(table)")
    let columns = try connection.columns(ofTable: table).filter { $0.generation != .virtual }
    guard !columns.isEmpty else { return }
    let keys = columns.filter { $0.primaryKeyPosition > 0 }
      .sorted { $0.primaryKeyPosition < $1.primaryKeyPosition }
    let hasRowID =
      try connection.row("SELECT 1 FROM pragma_table_list(\(table)) WHERE wr") == nil
    let names = columns.map { Identifier($0.name).quoted }.joined(separator: ", ")
    for row in try connection.rows(
      "SELECT \(unsafe: hasRowID ? "rowid" : "0"), \(unsafe: names) FROM \(identifier: table)")
    {
      let rowID = try row.get(Int64.self, at: 0)
      var values = Dictionary(
        uniqueKeysWithValues: zip(columns.map(\.name), row.values.dropFirst()))
      let keyValues = keys.map { values.removeValue(forKey: $0.name) ?? .null }
      let key: RowKey =
        keys.count == 1 && keys[0].declaredType == "INTEGER"
        ? .rowID(rowID)
        : keyValues.contains(.null)
          ? .incomplete(keyValues, rowID: rowID) : .values(keyValues)
      rows[key] = values
    }
  }

  func differences(to new: TableContents) -> Set<Difference> {
    Set(
      Set(rows.keys).union(new.rows.keys).compactMap { key in
        rows[key] == new.rows[key]
          ? nil : Difference(key: key, old: rows[key], new: new.rows[key])
      })
  }
}

extension NettedTable {
  var differences: [Difference] {
    rows.map { row in
      let change = change(row, at: Array(names.columns.indices))
      return Difference(
        key: change.key,
        old: change.old.map { Dictionary(uniqueKeysWithValues: zip(names.columns, $0)) },
        new: change.new.map { Dictionary(uniqueKeysWithValues: zip(names.columns, $0)) })
    }
  }
}

@Suite("Changes compared with whole tables before and after", .needs(.preUpdateHook))
struct ModelBasedTests {
  private func contents(_ connection: Connection) throws -> [TableContents] {
    try RandomWrites.tables.map { try TableContents($0, on: connection) }
  }

  @Test("no change is missed or invented, and keys and values are exact")
  func exact() throws {
    try InvariantChecks.whileOn { try compareWithTables() }
  }

  private func compareWithTables() throws {
    let transactions = TestSize.count(small: 200, full: 3_000, long: 25_000)
    let seed = TestSeed.draw()
    let db = try Database.temporary(configuration: .relaxed)
    try db.execute(RandomWrites.schema)
    let queue = CommitQueue(maximumRows: .max)
    let tracker = try #require(ChangeTracker.of(db))
    let watchesAll = seed % 2 == 0
    let interests = RandomWrites.tables.map {
      (QualifiedTableName($0), Subscription.Interest(columns: nil))
    }
    _ = tracker.add(
      Subscription(
        tables: watchesAll ? nil : Dictionary(uniqueKeysWithValues: interests), queue: queue))
    var writes = RandomWrites(seed: seed)
    var commits = 0
    var schemaChanges = 0
    try db.writeWithoutTransaction { connection in
      var before = try contents(connection)
      for unit in 0..<transactions {
        try writes.unit(on: connection)
        let place = "seed \(seed), unit \(unit), \(writes.tried)"
        let triedSchemaChange = writes.takeTriedSchemaChange()
        let after = try contents(connection)
        let reported = queue.take()
        try #require(reported.everything.isEmpty && reported.dropped == nil, "\(place)")
        try #require(reported.commits.count <= 1, "\(place)")
        let tables = reported.commits.first?.writes.first?.tables ?? [:]
        commits += reported.commits.count
        for (index, name) in RandomWrites.tables.enumerated() {
          let rows = tables[QualifiedTableName(name)]
          let didChangeSchema = before[index].definitions != after[index].definitions
          if rows?.events.isEmpty == false {
            try #require(triedSchemaChange, "\(place), \(name): \(rows?.events ?? [])")
            schemaChanges += 1
          }
          guard !didChangeSchema else {
            try #require(rows?.events.contains(.schemaChanged) == true, "\(place), \(name)")
            continue
          }
          // If a table was altered and then altered back, its rows may go unreported.
          if rows?.events.contains(.tableChanged) == true { continue }
          // The same holds if it is another table with the same definition.
          if rows?.events.contains(.schemaChanged) == true, writes.replacedTables { continue }
          let expected = before[index].differences(to: after[index])
          let differences = rows?.differences ?? []
          try #require(
            Set(differences) == expected && differences.count == expected.count,
            "\(place), \(name): reported \(differences), expected \(expected)")
        }
        before = after
      }
    }
    #expect(commits > transactions / 5, "seed \(seed): most units were to commit something")
    // A small run is too short for this.
    guard TestSize.current != .small else { return }
    #expect(schemaChanges > transactions / 200, "seed \(seed): too few changes of the schema")
  }
}
