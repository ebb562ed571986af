/// A random schema with rows: keys and constraints of all kinds, odd names, generated columns,
/// indexes over expressions, views and triggers.
struct RandomSchema {
  private struct Column {
    let name: String
    let type: String
    var values: [String]
    var isNotNull = false
  }

  private struct Table {
    let name: String
    var columns: [Column] = []
    var key: [Column] = []
  }

  private var generator: SeededGenerator
  private var lines: [String] = []
  private var tables: [Table] = []

  /// The script that creates the tables and their rows.
  var script: String { lines.joined(separator: "\n") }

  init(seed: UInt64) {
    generator = SeededGenerator(seed: seed)
    for _ in 0...number(3) { addTable() }
    addView()
  }

  // MARK: Choices

  private mutating func number(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &generator) }
  private mutating func chance(_ percent: Int) -> Bool { number(100) < percent }
  private mutating func pick<Item>(_ items: [Item]) -> Item { items[number(items.count)] }

  private static let names = [
    "a", "b c", "Order", "select", "ü", "x-y", "1st", "UPPER_CASE", "camelCase", "self", "id",
    "Type",
    "init", "default", "it's", "quote\"d", "hashValue", "description", "schema", "tab\tbed", "_",
    "日本",
    "is_open", "created_at", "uuid", "$0", "column", "Int", "where", "tableName", "body", "`tick`",
    "[x]", "a_b", "aB", "name", "value", "rowid_", "price", "all",
  ]

  private mutating func freeName(_ taken: [String]) -> String {
    let name = pick(Self.names)
    guard taken.contains(where: { $0.lowercased() == name.lowercased() }) else { return name }
    return "\(name) \(taken.count)"
  }

  private static func quoted(_ name: String) -> String {
    "\"" + name.replacing("\"", with: "\"\"") + "\""
  }

  // MARK: Tables

  private static let integers = ["0", "1", "-5", "7", "9223372036854775807"]
  private static let texts = ["''", "'x'", "'Y'", "'it''s'", "'日本'", "'a b '"]

  private mutating func column(_ taken: [String], isStrict: Bool) -> Column {
    let blobs = ["x''", "x'00FF'", "x'00112233445566778899AABBCCDDEEFF'"]
    let reals = ["0.5", "-1e10", "3.25"]
    let dates = ["'2020-01-02 03:04:05'", "'2021-12-31 23:59:59'"]
    let days = ["'2020-01-02'", "'2021-12-31'"]
    let uuids = [
      "'01234567-89ab-cdef-0123-456789abcdef'", "'01234567-89ab-cdef-0123-456789abcdee'",
    ]
    let kinds: [(type: String, values: [String])] =
      isStrict
      ? [
        ("INT", Self.integers), ("INTEGER", Self.integers), ("REAL", reals), ("TEXT", Self.texts),
        ("TEXT", dates), ("BLOB", blobs), ("ANY", Self.integers), ("ANY", Self.texts),
      ]
      : [
        ("INTEGER", Self.integers), ("INT", Self.integers),
        ("BIGINT", ["1577934245", "1600000000"]),
        ("BOOLEAN", ["0", "1"]), ("TEXT", Self.texts), ("VARCHAR(20)", Self.texts), ("TEXT", days),
        ("CLOB", uuids), ("DATETIME", dates), ("DATETIME", Self.integers), ("REAL", reals),
        ("DOUBLE PRECISION", reals + ["2"]), ("DECIMAL(10, 2)", ["1.5", "2"]), ("NUMERIC", ["3"]),
        ("BLOB", blobs), ("", Self.texts), ("", Self.integers), ("", blobs), ("UUID", uuids),
        ("STRING", Self.texts), ("INTEGER", Self.integers + ["'mixed'"]),
        ("TEXT", ["'{\"a\": 1}'"]),
        ("TIMESTAMP", ["1577934245.5"]), ("TEXT", []), ("DATE", []), ("JSON", []),
      ]
    let kind = pick(kinds)
    return Column(name: freeName(taken), type: kind.type, values: kind.values)
  }

  private mutating func addTable() {
    let isStrict = chance(25)
    var table = Table(name: freeName(tables.map(\.name)))
    for _ in 0...number(6) {
      table.columns.append(column(table.columns.map(\.name), isStrict: isStrict))
    }
    var parts: [String] = []
    var hasInlineKey = false
    let hasKey = chance(75)
    let isWithoutRowID = hasKey && chance(25)
    if hasKey, !isWithoutRowID, chance(40) {
      let name = freeName(table.columns.map(\.name))
      let column = Column(name: name, type: "INTEGER", values: ["NULL"] + (1...9).map(String.init))
      let end = pick(["", " AUTOINCREMENT", " NOT NULL", " DESC"])
      table.columns.insert(column, at: 0)
      table.key = [column]
      hasInlineKey = true
      parts.append(
        Self.quoted(name)
          + (end == " NOT NULL" ? " INTEGER NOT NULL PRIMARY KEY" : " INTEGER PRIMARY KEY\(end)"))
    } else if hasKey {
      table.key = Array(table.columns.shuffled(using: &generator).prefix(1 + number(3)))
    }
    for index in table.columns.indices.dropFirst(hasInlineKey ? 1 : 0) {
      let isKey = table.key.contains { $0.name == table.columns[index].name }
      table.columns[index].isNotNull = chance(isKey && !isStrict ? 60 : 30)
      parts.append(definition(table.columns[index]))
    }
    // A key of one INTEGER column is the rowid, which stores nothing but integers.
    if hasKey, !isWithoutRowID, table.key.count == 1, table.key[0].type == "INTEGER",
      let index = table.columns.firstIndex(where: { $0.name == table.key[0].name })
    {
      table.columns[index].values.removeAll { $0.hasPrefix("'") }
    }
    let stored = table.columns
    if chance(40), let source = stored.last {
      let name = Self.quoted(freeName(table.columns.map(\.name)))
      let form = pick(["", " VIRTUAL", " STORED"])
      parts.append(
        "\(name) \(isStrict ? "TEXT" : pick(["TEXT", "", "ANY"])) GENERATED ALWAYS AS (\(Self.quoted(source.name)) || 'x')\(form)"
      )
    }
    if hasKey, !hasInlineKey {
      let name = chance(30) ? "CONSTRAINT \"the key\" " : ""
      parts.append("\(name)PRIMARY KEY (\(list(table.key)))")
    }
    parts += foreignKeys(of: table)
    if chance(30), let column = stored.first {
      let name = chance(50) ? "CONSTRAINT \"a check\" " : ""
      parts.append("\(name)CHECK (typeof(\(Self.quoted(column.name))) <> 'what''s' OR 1)")
    }
    if chance(25) { parts.append("UNIQUE (\(list(Array(stored.prefix(1 + number(2))))))") }
    let options = [isWithoutRowID ? "WITHOUT ROWID" : nil, isStrict ? "STRICT" : nil].compactMap {
      $0
    }
    lines.append(
      "CREATE TABLE \(Self.quoted(table.name)) (\(parts.joined(separator: ", "))) "
        + options.joined(separator: ", ") + ";")
    tables.append(table)
    addIndexes(of: table)
    addRows(of: table)
    if chance(20) {
      lines.append(
        "CREATE TRIGGER \(Self.quoted("trigger \(tables.count)")) AFTER DELETE ON "
          + "\(Self.quoted(table.name)) BEGIN SELECT 1; END;")
    }
  }

  private func list(_ columns: [Column]) -> String {
    columns.map { Self.quoted($0.name) }.joined(separator: ", ")
  }

  private mutating func definition(_ column: Column) -> String {
    var text = "\(Self.quoted(column.name)) \(column.type)"
    if column.isNotNull { text += " NOT NULL" }
    if chance(20) {
      let value = column.values.first ?? "NULL"
      text += " DEFAULT " + (column.isNotNull || chance(60) ? value : "(coalesce(NULL, \(value)))")
    }
    if column.type == "TEXT" || column.type.hasPrefix("VARCHAR"), chance(30) {
      text += " COLLATE \(pick(["NOCASE", "RTRIM", "binary"]))"
    }
    return text
  }

  private mutating func foreignKeys(of table: Table) -> [String] {
    guard let target = tables.filter({ !$0.key.isEmpty }).randomElement(using: &generator),
      chance(60),
      table.columns.count >= target.key.count
    else { return [] }
    let columns = Array(table.columns.shuffled(using: &generator).prefix(target.key.count))
    let names = chance(50) ? " (\(list(target.key)))" : ""
    let action = pick(["", " ON DELETE CASCADE", " ON UPDATE SET NULL", " ON DELETE RESTRICT"])
    let end = pick(["", " DEFERRABLE INITIALLY DEFERRED", " NOT DEFERRABLE"])
    return [
      "FOREIGN KEY (\(list(columns))) REFERENCES \(Self.quoted(target.name))\(names)\(action)\(end)"
    ]
  }

  // MARK: Indexes, rows, views

  private mutating func addIndexes(of table: Table) {
    for _ in 0..<number(3) {
      let column = Self.quoted(pick(table.columns).name)
      let other = Self.quoted(pick(table.columns).name)
      let terms = pick([
        column, "\(column) DESC", "\(column) COLLATE NOCASE", "lower(\(column))",
        "\(column), \(other)",
        "\(column) COLLATE RTRIM DESC, \(other)",
      ])
      let condition = pick(["", "", " WHERE \(column) IS NOT NULL", " WHERE \(other) <> 'where'"])
      let name = Self.quoted("index \(lines.count)")
      lines.append("CREATE INDEX \(name) ON \(Self.quoted(table.name)) (\(terms))\(condition);")
    }
  }

  private mutating func addRows(of table: Table) {
    for _ in 0..<number(12) {
      let values = table.columns.map { column in
        chance(15) ? "NULL" : column.values.randomElement(using: &generator) ?? "NULL"
      }
      lines.append(
        "INSERT OR IGNORE INTO \(Self.quoted(table.name)) (\(list(table.columns))) "
          + "VALUES (\(values.joined(separator: ", ")));")
    }
  }

  private mutating func addView() {
    guard chance(50), let table = tables.randomElement(using: &generator) else { return }
    let column = Self.quoted(pick(table.columns).name)
    lines.append(
      "CREATE VIEW \"the view\" AS SELECT count(*) AS n, max(\(column)) AS \(column) FROM "
        + "\(Self.quoted(table.name));")
  }
}
