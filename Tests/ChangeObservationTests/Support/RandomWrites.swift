import SQLCore
import TestRun

/// Random statements over the tables of the model-based test: small ranges of keys and values, so
/// that conflicts, repetitions and updates without effect are common.
struct RandomWrites {
  var random: SeededGenerator
  /// Whether a schema change was tried since the last call of `takeTriedSchemaChange()`.
  private(set) var triedSchemaChange = false
  /// The statements tried since the unit began, for the message of a failure.
  private(set) var tried: [String] = []

  static let schema: SQL = """
    CREATE TABLE Item (id INTEGER PRIMARY KEY, title TEXT NOT NULL UNIQUE,
      stars INTEGER NOT NULL CHECK (stars < 7), body ANY);
    CREATE TABLE Link (item INTEGER NOT NULL REFERENCES Item ON DELETE CASCADE ON UPDATE CASCADE
      DEFERRABLE INITIALLY DEFERRED, name TEXT NOT NULL, weight REAL NOT NULL,
      doubled REAL GENERATED ALWAYS AS (weight * 2) VIRTUAL,
      kept REAL GENERATED ALWAYS AS (weight * 3) STORED, PRIMARY KEY (item, name));
    CREATE TABLE Word (name TEXT PRIMARY KEY NOT NULL, count INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE Loose (name TEXT PRIMARY KEY, item INTEGER REFERENCES Item ON DELETE SET NULL);
    CREATE TABLE Log (id INTEGER PRIMARY KEY, text TEXT);
    CREATE VIEW Titles AS SELECT id, title FROM Item;
    CREATE TRIGGER titles_update INSTEAD OF UPDATE ON Titles BEGIN
      UPDATE Item SET title = new.title WHERE id = new.id;
    END;
    CREATE TRIGGER item_stars AFTER UPDATE OF stars ON Item BEGIN
      UPDATE Word SET count = (count + 1) % 3 WHERE name = new.title;
    END;
    CREATE TRIGGER word_before BEFORE INSERT ON Word BEGIN
      INSERT INTO Log (text) VALUES (new.name);
      UPDATE Item SET body = new.name WHERE title = new.name;
    END;
    CREATE TRIGGER word_after AFTER UPDATE ON Word WHEN new.count = 2 BEGIN
      SELECT CASE new.name WHEN 'a' THEN RAISE(ABORT, 'no') WHEN 'b' THEN RAISE(IGNORE)
        WHEN 'ab' THEN RAISE(ROLLBACK, 'no') WHEN 'c' THEN RAISE(FAIL, 'no') END;
    END;
    CREATE TRIGGER link_fails BEFORE UPDATE ON Link WHEN new.weight = 1.5 AND old.name = 'c' BEGIN
      SELECT RAISE(FAIL, 'no');
    END;
    """

  /// The watched tables.
  static let tables = ["Item", "Link", "Word", "Loose", "Log", "Spare", "Other"]

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
  mutating func chance(_ percent: Int) -> Bool { number(1...100) <= percent }
  mutating func pick<T>(_ items: [T]) -> T { items[number(0...(items.count - 1))] }

  mutating func takeTriedSchemaChange() -> Bool {
    defer { triedSchemaChange = false }
    return triedSchemaChange
  }

  /// Whether a name may have come to mean another table in this unit, without its old rows.
  var replacedTables: Bool {
    let words = ["CREATE TABLE", "DROP TABLE", "RENAME TO"]
    return tried.contains { text in
      !text.hasSuffix("failed") && words.contains { text.contains($0) }
    }
  }

  /// Runs one statement or a transaction of several, and ignores failures.
  mutating func unit(on connection: Connection) throws {
    tried = []
    if chance(60) {
      try transaction(on: connection)
    } else {
      statement(on: connection)
    }
  }

  /// Runs one statement, and records it and whether it succeeded.
  private mutating func run(_ text: String, on connection: Connection) throws {
    do {
      try connection.execute(SQL(unsafe: text))
      tried.append(text)
    } catch {
      tried.append("\(text) -- failed")
      throw error
    }
  }

  private mutating func conflict() -> String {
    pick(["", "", "", " OR FAIL", " OR IGNORE", " OR REPLACE", " OR ROLLBACK", " OR ABORT"])
  }

  private mutating func title() -> String {
    pick(["'a'", "'b'", "'c'", "'d'", "'e'", "'é'", "''"])
  }
  private mutating func body() -> String { pick(["NULL", "'x'", "'y'", "x'00'"]) }

  /// Returns a random statement.
  private mutating func statement() -> String {
    switch number(1...22) {
    case 1...3:
      var rows: [String] = []
      for _ in 0..<number(1...4) {
        rows.append("(\(number(1...12)), \(title()), \(number(0...3)), \(body()))")
      }
      return "INSERT\(conflict()) INTO Item (id, title, stars, body) VALUES "
        + rows.joined(separator: ", ")
    case 4...6:
      return "UPDATE\(conflict()) Item SET \(assignment()) WHERE id <= \(number(1...12))"
    case 7: return "UPDATE\(conflict()) Item SET id = id + \(number(0...2))"
    case 8: return "DELETE FROM Item WHERE id = \(number(1...12))"
    case 9:
      return pick([
        "DELETE FROM Item", "DELETE FROM Link", "DELETE FROM Word", "DELETE FROM Log",
        "DELETE FROM Loose",
      ])
    case 10:
      return "INSERT INTO Item (id, title, stars) VALUES (\(number(1...12)), \(title()), 1) "
        + "ON CONFLICT (id) DO UPDATE SET title = excluded.title, stars = stars + 1"
    case 11...12:
      return "INSERT\(conflict()) INTO Link (item, name, weight) VALUES "
        + "(\(number(1...12)), \(title()), \(number(0...2))), (1, \(title()), 0.5)"
    case 13: return "UPDATE\(conflict()) Link SET weight = \(pick(["1", "1.5", "weight"]))"
    case 14:
      return "INSERT\(conflict()) INTO Word (name, count) VALUES (\(title()), \(number(0...2)))"
    case 15: return "UPDATE\(conflict()) Word SET name = name || \(pick(["'a'", "''"]))"
    case 16: return "UPDATE\(conflict()) Word SET count = \(number(0...2))"
    case 17:
      return "INSERT\(conflict()) INTO Loose (name, item) VALUES "
        + "(\(pick(["NULL", title()])), \(number(1...12))), (NULL, NULL)"
    case 18: return "UPDATE\(conflict()) Loose SET item = \(pick(["NULL", "1", "item"]))"
    case 19: return "UPDATE Titles SET title = \(title()) WHERE id < \(number(1...12))"
    case 20: return "INSERT INTO Spare (text) VALUES (\(title()))"
    case 21: return pick(["UPDATE Spare SET text = text || 's'", "DELETE FROM Spare"])
    default: return "DELETE FROM Word WHERE count = \(number(0...2))"
    }
  }

  /// Returns a statement that changes the schema.
  private mutating func schemaChange() -> String {
    triedSchemaChange = true
    let column = pick(["p", "q"])
    return pick([
      "CREATE TABLE Spare (id INTEGER PRIMARY KEY, text TEXT DEFAULT 'x')", "DROP TABLE Spare",
      "ALTER TABLE Spare ADD COLUMN \(column) INTEGER DEFAULT '7'",
      "ALTER TABLE Spare ADD COLUMN \(column) REAL DEFAULT 7",
      "ALTER TABLE Spare ADD COLUMN \(column) TEXT",
      "ALTER TABLE Spare DROP COLUMN \(column)", "ALTER TABLE Spare RENAME TO Other",
      "ALTER TABLE Other RENAME TO Spare", "DROP TABLE Other",
      "CREATE INDEX word_count ON Word (count)", "DROP INDEX word_count",
    ])
  }

  private mutating func assignment() -> String {
    pick([
      "title = \(title())", "stars = \(number(0...3))", "stars = stars", "body = \(body())",
      "title = title || 'z', stars = stars + 1",
    ])
  }

  /// Runs one statement in its own transaction, and ignores its failure.
  private mutating func statement(on connection: Connection) {
    try? run(chance(5) ? schemaChange() : statement(), on: connection)
  }

  /// Runs a few statements in a transaction, with savepoints that nest and roll back, and ignores
  /// failures.
  private mutating func transaction(on connection: Connection) throws {
    try run(pick(["BEGIN", "BEGIN IMMEDIATE"]), on: connection)
    var names: [String] = []
    for _ in 0..<number(1...8) {
      guard try connection.isInTransaction else { return }
      switch number(1...10) {
      case 1...2:
        let name = pick(["one", "Two", "\"three\""])
        names.append(name)
        try run("SAVEPOINT \(name)", on: connection)
      case 3 where !names.isEmpty:
        let kept = number(1...names.count)
        try? run("ROLLBACK TO \(names[kept - 1].uppercased())", on: connection)
      case 4 where !names.isEmpty:
        try? run("RELEASE SAVEPOINT \(names.removeLast())", on: connection)
      default:
        statement(on: connection)
      }
    }
    guard try connection.isInTransaction else { return }
    if chance(75) {
      do {
        try run("COMMIT", on: connection)
        return
      } catch {
        // A deferred foreign key prevents the commit.
      }
    }
    try run("ROLLBACK", on: connection)
  }
}
