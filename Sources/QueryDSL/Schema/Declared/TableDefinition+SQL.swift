import SQLCore

extension TableDefinition.Column {
  package var quotedName: String { Identifier(name).quoted }

  /// Returns the column's definition for a CREATE TABLE statement, such as
  /// `"title" TEXT NOT NULL DEFAULT 'x'` or `"seen" REAL /* unixSeconds */`.
  package func sql(addingDefault: Bool = false, isMadeByApus: Bool = true) -> String {
    var text = "\(quotedName) \(storageClass.rawValue)\(formComment(isMadeByApus: isMadeByApus))"
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
  /// Returns the comment that records the stored form, such as `/* unixSeconds */`. It is empty if
  /// the type has only one form in its storage class. It is also empty for the standard form in a
  /// table that Apus made.
  ///
  /// In a table that another program made, a column without a comment may have any form.
  package func formComment(isMadeByApus: Bool) -> String {
    let form = type.storedForm
    let hasSeveralForms = type.forms(in: storageClass).count > 1
    return hasSeveralForms && (form != .standard || !isMadeByApus) ? " \(form.comment)" : ""
  }
}

extension TableDefinition.Generated {
  package var sql: String { "GENERATED ALWAYS AS (\(expression)) \(storage.rawValue)" }
}

extension TableDefinition.ForeignKey {
  /// The clause with the referenced columns: `REFERENCES "Author" ("id") ON DELETE CASCADE`
  package var references: String { references(match: nil) }

  private func references(match: String?) -> String {
    var text = "REFERENCES \(Identifier(target.table).quoted) (\(target.columns.quotedList))"
    if let match { text += " \(match)" }
    if onDelete != .noAction { text += " ON DELETE \(onDelete.rawValue)" }
    if onUpdate != .noAction { text += " ON UPDATE \(onUpdate.rawValue)" }
    if isDeferred { text += " DEFERRABLE INITIALLY DEFERRED" }
    return text
  }

  /// `FOREIGN KEY ("authorID") REFERENCES …`
  package var sql: String { sql(match: nil) }

  /// Returns the clause of the foreign key, to which the text `MATCH …` of the existing foreign key
  /// is added. SQLite parses MATCH but does not enforce it.
  package func sql(match: String?) -> String {
    "FOREIGN KEY (\(columns.quotedList)) \(references(match: match))"
  }
}

extension TableDefinition.Check {
  /// The SQL of the check: `CONSTRAINT "span" CHECK ("start" <= "end")`,
  /// `CHECK (("start" <= "end"))`
  ///
  /// If a check has no name, SQLite's errors name it by its text. If that text begins with a quoted
  /// name, the error has only the quoted name, so two checks of one column would look the same.
  /// Parentheses around the text prevent this.
  package var sql: String {
    if let name { return "CONSTRAINT \(Identifier(name).quoted) CHECK (\(condition))" }
    return condition.hasPrefix("\"") ? "CHECK ((\(condition)))" : "CHECK (\(condition))"
  }
}

extension [String] {
  /// `"a", "b"`
  package var quotedList: String { map { Identifier($0).quoted }.joined(separator: ", ") }
}

/// The parts of a CREATE TABLE statement. Each column and each constraint is a piece of SQL.
package struct TableText {
  var columns: [String]
  var constraints: [String]
  var isStrict = true
  var isWithoutRowID = false

  package init(columns: [String], constraints: [String], isWithoutRowID: Bool = false) {
    self.columns = columns
    self.constraints = constraints
    self.isWithoutRowID = isWithoutRowID
  }

  package func createTable(_ name: String) -> String {
    let options = [isStrict ? "STRICT" : nil, isWithoutRowID ? "WITHOUT ROWID" : nil]
      .compactMap { $0 }.joined(separator: ", ")
    return "CREATE TABLE \(Identifier(name).quoted) (\n  "
      + (columns + constraints).joined(separator: ",\n  ") + "\n)"
      + (options.isEmpty ? "" : " \(options)")
  }
}

extension TableDefinition {
  /// Returns the SQL of a key column that is the rowid: `"id" INTEGER PRIMARY KEY NOT NULL`.
  /// PRIMARY KEY comes before NOT NULL by convention.
  package static func rowIDKey(_ column: Column, isAutoincrement: Bool = false) -> String {
    "\(column.quotedName) INTEGER\(column.formComment(isMadeByApus: true)) PRIMARY KEY"
      + (isAutoincrement ? " AUTOINCREMENT" : "") + (column.isOptional ? "" : " NOT NULL")
  }

  /// The parts of the CREATE TABLE statement for the table that the models declare.
  var text: TableText {
    var constraints: [String] = []
    if !hasRowIDKey, !keyNames.isEmpty {
      constraints.append("PRIMARY KEY (\(keyNames.quotedList))")
    }
    constraints += foreignKeys.map(\.sql)
    constraints += checks.map(\.sql)
    return TableText(
      columns: columns.map { hasRowIDKey && isKey($0.name) ? Self.rowIDKey($0) : $0.sql() },
      constraints: constraints, isWithoutRowID: isWithoutRowID ?? false)
  }

  /// `CREATE TABLE … STRICT`
  package var createTable: String { text.createTable(name) }

  /// `CREATE INDEX …`
  package func createIndex(_ index: Index) -> String { createIndex(index, named: name(of: index)) }

  /// Returns the `CREATE INDEX …` statement of an index.
  ///
  /// - Parameter isMarked: whether to write the comment `SQLComment.mark` after the name of the
  ///   index, if the schema declares this name.
  package func createIndex(_ index: Index, named name: String, isMarked: Bool = true) -> String {
    var sql = "CREATE \(index.isUnique ? "UNIQUE " : "")INDEX "
    sql += Identifier(name).quoted
    if isMarked, index.givenName != nil { sql += " \(SQLComment.mark)" }
    sql += " ON \(quotedName) "
    sql += "(\(index.terms.joined(separator: ", ")))"
    if let condition = index.condition { sql += " WHERE \(condition)" }
    return sql
  }
}

// MARK: Names of indexes

extension TableDefinition {
  /// Returns the name of an index: the declared name, or a name made of the index's terms.
  package func name(of index: Index) -> String {
    if let name = index.givenName { return name }
    if index.condition == nil {
      // Most terms are plain columns, which need no parsing.
      let plain = index.terms.compactMap { term in columns.first { $0.quotedName == term }?.name }
      if plain.count == index.terms.count {
        return name(of: index, unlessTaken: Self.indexName(name, index.isUnique, plain))
      }
    }
    let existing = ExistingIndex(
      name: "",
      sql: "CREATE INDEX i ON t (\(index.terms.joined(separator: ", ")))"
        + (index.condition.map { " WHERE \($0)" } ?? ""))
    let names = columns.map(\.name)
    let base = Self.indexName(table: name, isUnique: index.isUnique, existing, columns: names)
    return name(of: index, unlessTaken: base)
  }

  /// `Post_on_status_createdAt`
  private static func indexName(_ table: String, _ isUnique: Bool, _ columns: [String]) -> String {
    ([table, isUnique ? "unique" : "on"] + columns).joined(separator: "_")
  }

  private func name(of index: Index, unlessTaken base: String) -> String {
    // An index over `a_b` and an index over `a` and `b` would have the same name.
    let isTaken = indexes.prefix { $0 != index }.contains { other in
      other.givenName == nil && other.isUnique == index.isUnique && other.condition == nil
        && other.terms.count != index.terms.count && self.name(of: other) == base
    }
    return isTaken ? "\(base)_\(index.terms.count)" : base
  }

  /// Returns a name such as `Post_on_status_createdAt`. If the index has more than plain columns
  /// (expressions, directions, collations, a condition), the name ends with a checksum of the terms
  /// and the condition.
  package static func indexName(
    table: String, isUnique: Bool, _ index: ExistingIndex, columns: [String]
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
