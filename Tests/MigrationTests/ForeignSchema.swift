import SQLCore
import TestRun

@testable import QueryDSL
@testable import QueryFixtures
@testable import SchemaMigration

/// Random definitions in the spelling of other programs, as far as SQLite accepts them, and random
/// models over the same tables.
struct ForeignSchema {
  private var statements: [String] = []
  private var tables: [String: [String]] = [:]

  private static let tableNames = ["item", "Order", "the list", "group"]
  private static let columnNames = ["id", "a", "b", "the c", "select", "E", "f\"g", "key"]
  private static let types = [
    "", "INTEGER", "INT", "TEXT", "VARCHAR(20)", "REAL", "DECIMAL(10, 2)", "BLOB", "DATETIME",
    "UNSIGNED BIG INT", "[odd type]", "\"TEXT\"", "BOOLEAN",
  ]

  init(using random: inout SeededGenerator) {
    for name in Self.tableNames.shuffled(using: &random).prefix(.random(in: 1...3, using: &random))
    {
      addTable(name, using: &random)
    }
    for number in 0..<Int.random(in: 0...5, using: &random) { addObject(number, using: &random) }
  }

  private func quoted(_ name: String, using random: inout SeededGenerator) -> String {
    switch Int.random(in: 0..<4, using: &random) {
    case 0 where !name.contains("]"): "[\(name)]"
    case 1: "`\(name)`"
    case 2 where ["item", "a", "b", "E", "id"].contains(name):
      Bool.random(using: &random) ? name.uppercased() : name
    default: Identifier(name).quoted
    }
  }

  // MARK: Tables

  private mutating func addTable(_ name: String, using random: inout SeededGenerator) {
    let columns = Array(
      Self.columnNames.shuffled(using: &random).prefix(.random(in: 1...6, using: &random)))
    tables[name] = columns
    var hasKey = false
    var items: [String] = columns.map { column in
      var text = quoted(column, using: &random)
      let type = Self.types.randomElement(using: &random) ?? ""
      if !type.isEmpty { text += " \(type)" }
      if chance(8, using: &random) { text += " /* of \(column) */" }
      if !hasKey, chance(4, using: &random) {
        hasKey = true
        text += label(using: &random) + " PRIMARY KEY"
        text += ["", " ASC", " DESC"].randomElement(using: &random) ?? ""
        text += conflict(using: &random)
        if chance(6, using: &random) { text += " AUTOINCREMENT" }
      }
      for _ in 0..<Int.random(in: 0...2, using: &random) {
        text += clause(column, columns, using: &random)
      }
      return text
    }
    if !hasKey, chance(2, using: &random) {
      let terms = columns.shuffled(using: &random).prefix(.random(in: 1...2, using: &random))
        .map { quoted($0, using: &random) + (chance(5, using: &random) ? " DESC" : "") }
      items.append(
        "\(label(using: &random))PRIMARY KEY (\(terms.joined(separator: ", ")))"
          + conflict(using: &random))
      hasKey = true
    }
    for _ in 0..<Int.random(in: 0...2, using: &random) {
      items.append(constraint(columns, using: &random))
    }
    var text = "CREATE TABLE \(quoted(name, using: &random))"
    if chance(6, using: &random) { text += " -- a table\n" }
    text += " (\(items.joined(separator: chance(5, using: &random) ? ", -- next\n" : ", ")))"
    if hasKey, chance(5, using: &random) { text += " WITHOUT ROWID" }
    if chance(8, using: &random) { text += (text.hasSuffix("ROWID") ? "," : "") + " STRICT" }
    statements.append(text)
    for _ in 0..<Int.random(in: 0...5, using: &random) {
      let values = columns.map { _ in Self.values.randomElement(using: &random) ?? "NULL" }
      statements.append(
        "INSERT OR IGNORE INTO \(Identifier(name).quoted) (\(columns.quotedList)) "
          + "VALUES (\(values.joined(separator: ", ")))")
    }
  }

  private static let values = [
    "1", "2", "-7", "0", "NULL", "'x'", "'X'", "'5'", "1.5", "x'00ff'", "''", "'2009-01-01'",
    "9007199254740993",
  ]

  private func chance(_ one: Int, using random: inout SeededGenerator) -> Bool {
    Int.random(in: 0..<one, using: &random) == 0
  }

  private func label(using random: inout SeededGenerator) -> String {
    switch Int.random(in: 0..<8, using: &random) {
    case 0: " CONSTRAINT one "
    case 1: " CONSTRAINT \"a name\" "
    case 2: " CONSTRAINT one CONSTRAINT two "
    default: " "
    }
  }

  private func conflict(using random: inout SeededGenerator) -> String {
    guard chance(5, using: &random) else { return "" }
    return " ON CONFLICT "
      + (["REPLACE", "IGNORE", "FAIL", "ABORT", "ROLLBACK"].randomElement(using: &random) ?? "FAIL")
  }

  private func condition(_ columns: [String], using random: inout SeededGenerator) -> String {
    let column = quoted(columns.randomElement(using: &random) ?? "a", using: &random)
    return switch Int.random(in: 0..<5, using: &random) {
    case 0: "\(column) <> 'never'"
    case 1: "typeof(\(column)) <> 'blob'"
    case 2: "length(\(column)) < 30 OR \(column) IS NULL"
    case 3: "\(column) <> \"never\" /* text */"
    default: "\(column) NOT IN (99, 'z')"
    }
  }

  private func reference(using random: inout SeededGenerator) -> String {
    let table = Self.tableNames.randomElement(using: &random) ?? "item"
    let column = Self.columnNames.randomElement(using: &random) ?? "id"
    var text = " REFERENCES \(quoted(table, using: &random))"
    if chance(2, using: &random) { text += " (\(quoted(column, using: &random)))" }
    if chance(3, using: &random) { text += " ON DELETE CASCADE" }
    if chance(6, using: &random) { text += " MATCH FULL" }
    if chance(4, using: &random) { text += " DEFERRABLE INITIALLY DEFERRED" }
    return text
  }

  private func clause(
    _ column: String, _ columns: [String], using random: inout SeededGenerator
  ) -> String {
    let name = label(using: &random)
    return switch Int.random(in: 0..<9, using: &random) {
    case 0, 1: "\(name)NOT NULL" + conflict(using: &random)
    case 2: "\(name)UNIQUE" + conflict(using: &random)
    case 3: "\(name)CHECK (\(condition(columns, using: &random)))"
    case 4:
      "\(name)DEFAULT \(["7", "'x'", "-1.5", "(1 + 1)", "NULL"].randomElement(using: &random) ?? "7")"
    case 5:
      "\(name)COLLATE \(["NOCASE", "\"RTRIM\"", "BINARY"].randomElement(using: &random) ?? "BINARY")"
    case 6: reference(using: &random)
    case 7 where chance(2, using: &random):
      " GENERATED ALWAYS AS (coalesce(\(quoted(columns[0], using: &random)), 1)) "
        + (chance(2, using: &random) ? "STORED" : "VIRTUAL")
    default: " NULL"
    }
  }

  private func constraint(_ columns: [String], using random: inout SeededGenerator) -> String {
    let name = label(using: &random)
    let column = quoted(columns.randomElement(using: &random) ?? "a", using: &random)
    return switch Int.random(in: 0..<4, using: &random) {
    case 0: "\(name)UNIQUE (\(column) COLLATE NOCASE)" + conflict(using: &random)
    case 1: "\(name)CHECK (\(condition(columns, using: &random)))" + conflict(using: &random)
    case 2: "\(name)FOREIGN KEY (\(column))" + reference(using: &random)
    default: "\(name)UNIQUE (\(column))" + conflict(using: &random)
    }
  }

  // MARK: Indexes, views and triggers

  private mutating func addObject(_ number: Int, using random: inout SeededGenerator) {
    guard
      let (table, columns) = tables.sorted(by: { $0.key < $1.key }).randomElement(using: &random)
    else { return }
    let on = quoted(table, using: &random)
    let column = quoted(columns.randomElement(using: &random) ?? "a", using: &random)
    switch Int.random(in: 0..<9, using: &random) {
    case 0:
      statements.append("CREATE INDEX i\(number) ON \(on) (\(column) COLLATE NOCASE DESC)")
    case 1: statements.append("CREATE UNIQUE INDEX i\(number) ON \(on) (\(column))")
    case 2:
      statements.append(
        "CREATE INDEX i\(number) ON \(on) (lower(\(column))) WHERE \(column) IS NOT NULL")
    case 3: statements.append("CREATE VIEW v\(number) AS SELECT * FROM \(on)")
    case 4: statements.append("CREATE VIEW v\(number) (x) AS SELECT \(column) FROM \(on) -- end")
    case 5: statements.append("CREATE VIEW v\(number) AS SELECT \(column) FROM v\(number - 1)")
    case 6: statements.append("CREATE VIEW v\(number) AS SELECT nothing FROM nowhere")
    case 7:
      statements.append(
        """
        CREATE TRIGGER t\(number) AFTER UPDATE OF \(column) ON \(on) WHEN new.\(column) IS NOT NULL
        BEGIN INSERT INTO \(on) (\(column)) VALUES (old.\(column)); SELECT 1; END
        """)
    default:
      statements.append(
        "CREATE TRIGGER t\(number) INSTEAD OF DELETE ON v\(number - 1) BEGIN "
          + "DELETE FROM \(on) WHERE \(column) = 1; END")
    }
  }

  func make(in db: Database) throws {
    try db.writeWithoutTransaction { try $0.execute("PRAGMA foreign_keys = OFF") }
    try db.writing { core in
      core.takesQuotedTextInDefinitions = true
      for statement in statements { try? core.lend().execute(SQL(unsafe: statement)) }
      core.takesQuotedTextInDefinitions = false
    }
    try db.writeWithoutTransaction { try $0.execute("PRAGMA foreign_keys = ON") }
  }

  // MARK: Models

  func models(using random: inout SeededGenerator) -> [TableDefinition] {
    tables.sorted { $0.key < $1.key }.compactMap { name, columns in
      if chance(4, using: &random) { return nil }
      return model(name, columns, using: &random)
    }
  }

  private func model(
    _ name: String, _ existing: [String], using random: inout SeededGenerator
  ) -> TableDefinition {
    let classes: [StorageClass] = [.integer, .real, .text, .blob]
    var names = existing.filter { _ in !chance(4, using: &random) }
    if chance(3, using: &random) { names.append("new") }
    if names.isEmpty { names = ["id"] }
    var columns = names.map { name in
      var column = TableDefinition.Column(
        name, classes.randomElement(using: &random) ?? .text, isOptional: chance(2, using: &random))
      if column.storageClass == .text, chance(4, using: &random) { column.collation = "NOCASE" }
      if chance(6, using: &random) { column.defaultSQL = column.fallbackLiteral }
      return column
    }
    let key = columns.indices.randomElement(using: &random) ?? 0
    columns[key].isOptional = columns[key].storageClass == .integer && chance(2, using: &random)
    columns[key].defaultSQL = nil
    var table = TableDefinition(
      name, columns: columns, keyNames: [columns[key].name],
      isWithoutRowID: chance(8, using: &random) && !columns[key].isOptional ? true : nil)
    for column in existing where !table.declares(column) && chance(2, using: &random) {
      table.removals.insert(.column(column))
    }
    if chance(5, using: &random), let gone = existing.first(where: { !table.declares($0) }),
      !table.removes(.column(gone)), let column = columns.last, column.name == "new"
    {
      table.renamedColumns = [("new", gone)]
    }
    if chance(3, using: &random), let column = columns.randomElement(using: &random) {
      table.indexes.append(
        TableDefinition.Index(
          [Identifier(column.name).quoted], isUnique: chance(2, using: &random)))
    }
    if chance(4, using: &random), let column = columns.randomElement(using: &random) {
      table.checks.append(
        TableDefinition.Check("\(Identifier(column.name).quoted) IS NOT 'never'"))
    }
    return table
  }
}
