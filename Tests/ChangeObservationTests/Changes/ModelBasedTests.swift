import QueryDSL
import SQLCore
import Testing

@testable import ChangeObservation

/// A row that differs, as the reference and the stream both say it.
private struct Difference: Hashable, CustomStringConvertible {
  let key: [DatabaseValue]
  let old: [DatabaseValue]?
  let new: [DatabaseValue]?
  var description: String { "\(key): \(old ?? []) → \(new ?? [])" }
}

@Suite("Changes against whole tables, before and after")
struct ModelBasedTests {
  private static let tables: [(name: String, keys: Int, columns: String)] = [
    ("Item", 1, "id, title, stars, body"), ("Link", 2, "item, name, weight"),
    ("Word", 1, "name, count"),
  ]

  private static let schema: SQL = """
    CREATE TABLE Item (id INTEGER PRIMARY KEY, title TEXT NOT NULL UNIQUE,
      stars INTEGER NOT NULL CHECK (stars < 7), body ANY);
    CREATE TABLE Link (item INTEGER NOT NULL REFERENCES Item ON DELETE CASCADE ON UPDATE CASCADE
      DEFERRABLE INITIALLY DEFERRED, name TEXT NOT NULL, weight REAL NOT NULL,
      doubled REAL GENERATED ALWAYS AS (weight * 2) VIRTUAL, PRIMARY KEY (item, name));
    CREATE TABLE Word (name TEXT PRIMARY KEY NOT NULL, count INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE Log (id INTEGER PRIMARY KEY, text TEXT);
    CREATE TRIGGER item_stars AFTER UPDATE OF stars ON Item BEGIN
      UPDATE Word SET count = (count + 1) % 3 WHERE name = new.title;
    END;
    CREATE TRIGGER word_before BEFORE INSERT ON Word BEGIN
      INSERT INTO Log (text) VALUES (new.name);
      UPDATE Item SET body = new.name WHERE title = new.name;
    END;
    CREATE TRIGGER link_fails BEFORE UPDATE ON Link WHEN new.weight = 1.5 AND old.name = 'c' BEGIN
      SELECT RAISE(FAIL, 'no');
    END;
    """

  private func contents(_ connection: Connection) throws -> [[[DatabaseValue]: [DatabaseValue]]] {
    try Self.tables.map { table in
      var rows: [[DatabaseValue]: [DatabaseValue]] = [:]
      for row in try connection.rows(
        "SELECT \(unsafe: table.columns) FROM \(identifier: table.name)")
      {
        rows[Array(row.values.prefix(table.keys))] = Array(row.values.dropFirst(table.keys))
      }
      return rows
    }
  }

  private func difference(
    _ old: [[DatabaseValue]: [DatabaseValue]], _ new: [[DatabaseValue]: [DatabaseValue]]
  ) -> Set<Difference> {
    Set(
      Set(old.keys).union(new.keys).compactMap { key in
        old[key] == new[key] ? nil : Difference(key: key, old: old[key], new: new[key])
      })
  }

  @Test("B19 G11 nothing missed, nothing spurious, keys and values exact", arguments: [3_000])
  func exact(transactions: Int) throws {
    let seed = UInt64.random(in: .min ... .max)
    let db = try Database.temporary(configuration: .relaxed)
    try db.execute(Self.schema)
    let told = Lock<[CommittedChanges]>([])
    let interests = Self.tables.map { ($0.name.lowercased(), Subscription.Interest(columns: nil)) }
    let tracker = try #require(ChangeTracker.of(db))
    _ = tracker.add(
      Subscription(tables: Dictionary(uniqueKeysWithValues: interests)) { changes in
        told.withLock { $0.append(changes) }
      })
    var writes = RandomWrites(seed: seed)
    var commits = 0
    try db.writeWithoutTransaction { connection in
      var before = try contents(connection)
      for unit in 0..<transactions {
        if writes.chance(60) {
          try writes.transaction(on: connection)
        } else {
          try? connection.execute(SQL(unsafe: writes.statement()))
        }
        let after = try contents(connection)
        let elements = told.withLock { elements in
          defer { elements = [] }
          return elements
        }
        let expected = zip(before, after).map { difference($0, $1) }
        commits += elements.count
        try #require(
          elements.count == (expected.allSatisfy(\.isEmpty) ? 0 : 1), "seed \(seed), unit \(unit)")
        for (index, table) in Self.tables.enumerated() {
          let rows = elements.first?.tables[table.name.lowercased()]?.rows ?? []
          let differences = rows.map { Difference(key: $0.key.values, old: $0.old, new: $0.new) }
          try #require(
            Set(differences) == expected[index] && differences.count == expected[index].count,
            "seed \(seed), unit \(unit), \(table.name)")
        }
        before = after
      }
    }
    #expect(commits > transactions / 5, "seed \(seed): most units were to commit something")
  }
}
