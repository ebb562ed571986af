/// Random statements for tables with keys of every kind.
struct RandomScript {
  private var generator: SeededGenerator

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  static let tables = ["keyed", "texts", "pairs", "keyless", "nulls"]

  /// The columns of the keys.
  static let keys = ["keyed": ["id"], "texts": ["name"], "pairs": ["y", "x"], "nulls": ["k"]]

  static let schema = """
    CREATE TABLE keyed (id INTEGER PRIMARY KEY, a, b TEXT);
    CREATE TABLE texts (name TEXT PRIMARY KEY COLLATE NOCASE, a INTEGER) WITHOUT ROWID;
    CREATE TABLE pairs (x, y, a, PRIMARY KEY (y, x)) WITHOUT ROWID;
    CREATE TABLE keyless (a, b);
    CREATE TABLE nulls (k TEXT PRIMARY KEY, a);

    """

  mutating func number(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &generator) }

  private mutating func pick(_ texts: [String]) -> String { texts[number(texts.count)] }

  private mutating func value() -> String {
    pick(["NULL", "1", "2", "-7", "1.5", "'x'", "'Y'", "'y'", "''", "'日本'", "9007199254740993"])
  }

  private mutating func key() -> String {
    pick(["1", "2", "1.5", "'a'", "'B'", "'b'", "'C'", "3"])
  }

  /// Returns a transaction of a few statements.
  mutating func transaction() -> String {
    let statements = (0...number(4)).map { _ in statement() }
    return "BEGIN IMMEDIATE;\n" + statements.joined(separator: "\n") + "\nCOMMIT;\n"
  }

  private mutating func statement() -> String {
    switch number(11) {
    case 0, 1: return "INSERT OR REPLACE INTO keyed VALUES (\(number(30)), \(value()), \(value()));"
    case 2: return "UPDATE keyed SET a = \(value()) WHERE id % 3 = \(number(3));"
    case 3: return "DELETE FROM keyed WHERE id > \(number(40));"
    case 4:
      return
        "INSERT OR REPLACE INTO texts VALUES (\(pick(["'a'", "'A'", "'b'", "'é'"])), \(number(3)));"
    case 5: return "INSERT OR REPLACE INTO pairs VALUES (\(key()), \(key()), \(value()));"
    case 6: return "DELETE FROM pairs WHERE x = \(key());"
    case 7, 8: return "INSERT INTO keyless VALUES (\(value()), \(value()));"
    case 9:
      return "DELETE FROM keyless WHERE rowid IN (SELECT rowid FROM keyless LIMIT \(number(3)));"
    default:
      return number(2) == 0
        ? "INSERT OR REPLACE INTO nulls VALUES (\(pick(["NULL", "'a'", "'b'"])), \(value()));"
        : "DELETE FROM nulls WHERE a IS \(value());"
    }
  }
}
