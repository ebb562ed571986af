import SQLCore

extension TableDefinition.Column {
  var quotedName: String { Identifier(name).quoted }

  /// `"title" TEXT NOT NULL DEFAULT 'x'`, `"seen" REAL /* unixSeconds */`
  func sql(addingDefault: Bool = false) -> String {
    var text = "\(quotedName) \(storageClass.rawValue)\(formComment)"
    if !isOptional { text += " NOT NULL" }
    if let value = defaultSQL ?? (addingDefault && !isOptional ? fallbackLiteral : nil),
      generated == nil
    {
      text += " DEFAULT \(value)"
    }
    if let collation { text += " COLLATE \(Collation(collation).sql)" }
    if let generated { text += " \(generated.sql)" }
    return text
  }
}

extension TableDefinition.Column {
  /// The form behind the type, if it is one of several that the type has in that storage class and
  /// not the standard one.
  var formComment: String {
    let form = type.storedForm
    guard form != .standard, type.forms(in: storageClass).count > 1 else { return "" }
    return " \(form.comment)"
  }
}

extension TableDefinition.Generated {
  var sql: String { "GENERATED ALWAYS AS (\(expression)) \(storage.rawValue)" }
}

extension TableDefinition.ForeignKey {
  /// `REFERENCES "Author" ("id") ON DELETE CASCADE`
  var references: String { references(match: nil) }

  private func references(match: String?) -> String {
    var text = "REFERENCES \(Identifier(target.table).quoted) (\(target.columns.quotedList))"
    if let match { text += " \(match)" }
    if onDelete != .noAction { text += " ON DELETE \(onDelete.rawValue)" }
    if onUpdate != .noAction { text += " ON UPDATE \(onUpdate.rawValue)" }
    if isDeferred { text += " DEFERRABLE INITIALLY DEFERRED" }
    return text
  }

  /// `FOREIGN KEY ("authorID") REFERENCES …`
  var sql: String { sql(match: nil) }

  /// The same with a `MATCH …` that the file has, which SQLite ignores.
  func sql(match: String?) -> String {
    "FOREIGN KEY (\(columns.quotedList)) \(references(match: match))"
  }
}

extension TableDefinition.Check {
  /// `CONSTRAINT "span" CHECK ("start" <= "end")`, `CHECK (("start" <= "end"))`
  ///
  /// A check without a name is called by its text. SQLite takes the quoted name with which a text
  /// begins for the whole, so that two checks of one column would have one name: it stands in
  /// parentheses.
  var sql: String {
    if let name { return "CONSTRAINT \(Identifier(name).quoted) CHECK (\(condition))" }
    return condition.hasPrefix("\"") ? "CHECK ((\(condition)))" : "CHECK (\(condition))"
  }
}

extension [String] {
  /// `"a", "b"`
  var quotedList: String { map { Identifier($0).quoted }.joined(separator: ", ") }
}

/// The parts of a CREATE TABLE, some declared, some kept as they are in the database.
struct TableText {
  var columns: [String]
  var constraints: [String]
  var isStrict = true
  var isWithoutRowID = false

  func createTable(_ name: String) -> String {
    let options = [isStrict ? "STRICT" : nil, isWithoutRowID ? "WITHOUT ROWID" : nil]
      .compactMap { $0 }.joined(separator: ", ")
    return "CREATE TABLE \(Identifier(name).quoted) (\n  "
      + (columns + constraints).joined(separator: ",\n  ") + "\n)"
      + (options.isEmpty ? "" : " \(options)")
  }
}

extension TableDefinition {
  /// `"id" INTEGER PRIMARY KEY NOT NULL`; PRIMARY KEY comes before NOT NULL by habit.
  static func rowIDKey(_ column: Column, isAutoincrement: Bool = false) -> String {
    "\(column.quotedName) INTEGER\(column.formComment) PRIMARY KEY\(isAutoincrement ? " AUTOINCREMENT" : "")"
      + (column.isOptional ? "" : " NOT NULL")
  }

  /// The table, from nothing.
  var text: TableText {
    var constraints = hasRowIDKey ? [] : ["PRIMARY KEY (\(keyNames.quotedList))"]
    constraints += foreignKeys.map(\.sql)
    constraints += checks.map(\.sql)
    return TableText(
      columns: columns.map { hasRowIDKey && isKey($0.name) ? Self.rowIDKey($0) : $0.sql() },
      constraints: constraints, isWithoutRowID: isWithoutRowID ?? false)
  }

  /// `CREATE TABLE …`, STRICT.
  var createTable: String { text.createTable(name) }

  /// `CREATE INDEX …`
  func createIndex(_ index: Index) -> String {
    var sql = "CREATE \(index.isUnique ? "UNIQUE " : "")INDEX "
    sql += "\(Identifier(name(of: index)).quoted) ON \(quotedName) "
    sql += "(\(index.terms.joined(separator: ", ")))"
    if let condition = index.condition { sql += " WHERE \(condition)" }
    return sql
  }
}

// MARK: Names of indexes

extension TableDefinition {
  /// The name of an index: its own, or one that is made of what it orders by.
  func name(of index: Index) -> String {
    if let name = index.givenName { return name }
    if index.condition == nil {
      // Most often they are columns, and need not be taken apart.
      let plain = index.terms.compactMap { term in columns.first { $0.quotedName == term }?.name }
      if plain.count == index.terms.count {
        return name(of: index, unlessTaken: Self.indexName(name, index.isUnique, plain))
      }
    }
    let live = LiveIndex(
      name: "",
      sql: "CREATE INDEX i ON t (\(index.terms.joined(separator: ", ")))"
        + (index.condition.map { " WHERE \($0)" } ?? ""))
    let names = columns.map(\.name)
    let base = Self.indexName(table: name, isUnique: index.isUnique, live, columns: names)
    return name(of: index, unlessTaken: base)
  }

  /// `Post_on_status_createdAt`
  private static func indexName(_ table: String, _ isUnique: Bool, _ columns: [String]) -> String {
    ([table, isUnique ? "unique" : "on"] + columns).joined(separator: "_")
  }

  private func name(of index: Index, unlessTaken base: String) -> String {
    // `a_b` and `a`, `b` would be called alike.
    let isTaken = indexes.prefix { $0 != index }.contains { other in
      other.givenName == nil && other.isUnique == index.isUnique && other.condition == nil
        && other.terms.count != index.terms.count && self.name(of: other) == base
    }
    return isTaken ? "\(base)_\(index.terms.count)" : base
  }

  /// `Post_on_status_createdAt`; behind it a sum of what else the index says, if it says more than
  /// columns.
  static func indexName(
    table: String, isUnique: Bool, _ index: LiveIndex, columns: [String]
  ) -> String {
    var named: [String] = []
    for term in index.terms {
      if let column = columns.first(where: { $0.lowercasedASCII == term }),
        index.plainColumns != nil || !named.contains(column)
      {
        named.append(column)
      }
    }
    let name = indexName(table, isUnique, named)
    guard index.plainColumns == nil || !index.condition.isEmpty else { return name }
    var sum: UInt32 = 2_166_136_261
    let words = index.terms + ["where"] + index.condition
    for byte in words.joined(separator: "\u{1F}").utf8 {
      sum = (sum ^ UInt32(byte)) &* 16_777_619
    }
    let digits = String(sum, radix: 16)
    return name + "_" + String(repeating: "0", count: 8 - digits.count) + digits
  }
}
