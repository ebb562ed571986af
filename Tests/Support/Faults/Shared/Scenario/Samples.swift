import Foundation

enum Samples {
  static let accounts = 60
  static let entries = 120

  /// Creates the tables as an older program did: for the models, they need a rebuild, a column and
  /// indexes.
  static func makeTemplate(at path: String) throws {
    let connection = try PlainConnection(creating: path)
    try connection.execute(
      """
      PRAGMA page_size = 1024;
      CREATE TABLE Account (id INTEGER PRIMARY KEY NOT NULL, name TEXT NOT NULL,
        balance TEXT NOT NULL);
      CREATE TABLE Entry (id INTEGER PRIMARY KEY NOT NULL, accountID INTEGER NOT NULL
        REFERENCES Account (id) ON DELETE CASCADE, amount INTEGER NOT NULL, payload BLOB NOT NULL);
      BEGIN;
      WITH n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(accounts))
      INSERT INTO Account SELECT i, 'account ' || i, CAST(i * 10 AS TEXT) FROM n;
      WITH n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(entries))
      INSERT INTO Entry SELECT i, i % \(accounts) + 1, i, zeroblob(50) FROM n;
      COMMIT;
      """)
    try connection.execute(OnTrial.earlierProgram)
  }

  static func entries(from first: Int, count: Int) -> [Entry] {
    (first..<first + count).map {
      Entry(
        id: $0, accountID: $0 % 20 + 1, amount: $0,
        payload: Data(repeating: UInt8(truncatingIfNeeded: $0), count: $0 % 90))
    }
  }
}
