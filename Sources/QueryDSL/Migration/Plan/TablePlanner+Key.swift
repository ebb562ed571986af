import SQLCore

extension TablePlanner {
  /// Compares the primary key, and whether the table has a rowid.
  mutating func compareKey() throws {
    let old = existing.key.columns
    let new = declared.keyNames
    let isSame = old.map(\.lowercasedASCII) == new.map(\.lowercasedASCII)
    if let isWithoutRowID = declared.isWithoutRowID, isWithoutRowID != existing.isWithoutRowID {
      changes.append(
        Change(
          reason: isWithoutRowID ? "the table becomes WITHOUT ROWID" : "the table gets a rowid"))
      if isSame, isWithoutRowID {
        guard !existing.key.isAutoincrement else {
          return refuse(
            "\(declared.model) is declared without a rowid, and the key in the database is "
              + "AUTOINCREMENT, which needs a rowid; keep the rowid", line: "WithRowID()")
        }
        // Only WITHOUT ROWID makes every column of a key NOT NULL.
        try checkKeyValues("the table becomes WITHOUT ROWID")
      }
    }
    guard !isSame else { return try compareRowIDKey() }
    let reason =
      "the primary key is (\(old.joined(separator: ", "))) in the database and "
      + "(\(new.joined(separator: ", "))) in \(declared.model)"
    changes.append(Change(reason: reason + lostWithKey))
    try checkKeyValues(reason)
    try checkReferences(reason)
  }

  /// The clauses that go with the existing key, in the words of a plan.
  private var lostWithKey: String {
    var lost = existing.key.conflict.isEmpty ? [] : [String(existing.key.conflict.dropFirst())]
    if existing.key.isAutoincrement, !declared.hasRowIDKey { lost.append("AUTOINCREMENT") }
    return lost.isEmpty ? "" : ", and the new key has no \(lost.joined(separator: " and no "))"
  }

  /// Whether the key of the migrated table is an alias of the rowid. A table without rowids stays
  /// so if the model does not say otherwise; then its key is an ordinary column.
  var hasRowIDKey: Bool {
    declared.hasRowIDKey && !(declared.isWithoutRowID ?? existing.isWithoutRowID)
  }

  /// Plans the rebuild of a key that the database must generate. Only an alias of the rowid is
  /// generated, and `INT PRIMARY KEY` and `INTEGER PRIMARY KEY DESC` are not aliases.
  private mutating func compareRowIDKey() throws {
    guard hasRowIDKey, !existing.hasRowIDKey,
      let column = declared.column(declared.keyNames[0]), column.isOptional
    else { return }
    let reason = "\(column.name) is assigned by the database"
    changes.append(Change(reason: reason))
    try checkKeyValues(reason)
  }

  /// Refuses rows whose new key is NULL or not unique.
  private mutating func checkKeyValues(_ reason: String) throws {
    let columns = declared.keyNames.compactMap { name -> String? in
      guard existing.column(name) != nil else {
        // A new column has the same value in every row, but a rowid does not.
        return declared.hasRowIDKey ? existingRowIDName : nil
      }
      return oldName(of: name)
    }
    guard try rowCount() > 0 else { return }
    guard !columns.isEmpty else {
      guard try rowCount() > 1 else { return }
      return refuse(
        "\(reason), whose columns are new, so all rows would have the same key; fill them in a "
          + "`MigrationStep` that runs `.before`", lines: addingKeyLines, rowCount: try rowCount())
    }
    let nulls = try rows(where: columns.map { "\($0) IS NULL" }.joined(separator: " OR "))
    let list = columns.joined(separator: ", ")
    let shared = try connection.number(
      "SELECT count(*) FROM (SELECT 1 FROM \(Identifier(oldName).quoted) GROUP BY \(list) "
        + "HAVING count(*) > 1)")
    guard nulls > 0 || shared > 0 else { return }
    refuse(
      "\(reason), and in the existing rows \(nulls) of its values \(nulls == 1 ? "is" : "are") "
        + "NULL and \(shared) \(shared == 1 ? "occurs" : "occur") more than once; fix them in a "
        + "`MigrationStep` that runs `.before`",
      lines: [ownTableLine, try deletingLine(columns)], rowCount: try rowCount())
  }

  /// Refuses a new key if a foreign key refers to the old one and its columns would no longer be
  /// unique.
  private mutating func checkReferences(_ reason: String) throws {
    for reference in schema.references(to: declared.name) where !others.removes(reference) {
      let targets =
        reference.key.targetColumns.isEmpty ? existing.key.columns : reference.key.targetColumns
      guard !isUnique(targets) else { continue }
      refuse(
        "\(reason), and \(reference.table) refers to (\(targets.joined(separator: ", "))), which must "
          + "stay unique", line: uniqueLine(targets))
    }
  }

  private func isUnique(_ columns: [String]) -> Bool {
    let folded = Set(columns.map(\.lowercasedASCII))
    if Set(declared.keyNames.map(\.lowercasedASCII)) == folded { return true }
    let isIndexed = declared.indexes.contains { index in
      index.isUnique && index.condition == nil
        && Set(index.terms.flatMap(\.normalSQL)) == folded
    }
    // An index that no model declares is kept.
    let hasIndex = indexes.contains { index in
      index.isUnique && index.condition.isEmpty && Set(index.plainColumns ?? []) == folded
        && !declared.removes(.index(index.name)) && !comesFromCode(index)
    }
    return isIndexed || hasIndex
      || existing.constraints.contains { constraint in
        guard case .unique(let terms) = constraint.kind else { return false }
        return Set(terms.map(\.column.lowercasedASCII)) == folded && !isRemoved(constraint)
      }
  }

  // MARK: Lines to paste

  /// The steps of these lines run before tables are renamed.
  private var formerTable: String { Identifier(oldName).quoted }

  /// - Parameter count: how many rows the step deletes.
  private func step(_ name: String, _ sql: String, deleting count: Int = 0) -> String {
    "MigrationStep(\("\(name) of \(oldName)".swiftLiteral), .before) "
      + "{ try $0.execute(\(sql.swiftLiteral)) }"
      + (count > 0 ? "  // deletes \(count) \(count == 1 ? "row" : "rows")" : "")
  }

  /// The line that gives the model another table, and leaves the rows of this one.
  private var ownTableLine: String { "\(otherNameLine)  // \(oldName.inComment) stays as it is" }

  /// The lines for a key with new columns. One of them is a step that adds the columns and gives each
  /// row a distinct value.
  var addingKeyLines: [String] {
    let new = declared.keyNames.compactMap { declared.column($0) }
      .filter { existing.column($0.name) == nil }
    let values = new.map { ($0, $0.type.distinctSQL($0.storageClass, rowID: existingRowIDName)) }
    // If the values cannot be generated, the rows cannot stay.
    guard values.allSatisfy({ $0.1 != nil }) else {
      return [
        ownTableLine,
        step("no rows", "DELETE FROM \(formerTable)", deleting: (try? rows(where: "1")) ?? 0),
      ]
    }
    let added = values.map { column, _ in
      "ALTER TABLE \(formerTable) ADD COLUMN \(column.quotedName) \(column.storageClass.rawValue); "
    }
    let set = values.map { column, value in "\(column.quotedName) = \(value ?? "NULL")" }
    return [
      step("keys", added.joined() + "UPDATE \(formerTable) SET \(set.joined(separator: ", "))")
    ]
  }

  /// Returns the line of a step that deletes rows without a key, and all but the first of the rows
  /// that share a key.
  private func deletingLine(_ columns: [String]) throws -> String {
    let isNull = columns.map { "\($0) IS NULL" }.joined(separator: " OR ")
    let isLater: String
    var alias = ""
    if let rowID = existingRowIDName {
      isLater =
        "\(rowID) NOT IN (SELECT min(\(rowID)) FROM \(formerTable) "
        + "GROUP BY \(columns.joined(separator: ", ")))"
    } else {
      let isSame = columns.map { "o.\($0) = k.\($0)" }.joined(separator: " AND ")
      func key(_ table: String) -> String {
        "(" + existing.key.columns.map { "\(table).\(oldName(of: $0))" }.joined(separator: ", ")
          + ")"
      }
      alias = " AS k"
      isLater =
        "EXISTS (SELECT 1 FROM \(formerTable) AS o WHERE \(isSame) AND \(key("o")) < \(key("k")))"
    }
    let rows = "FROM \(formerTable)\(alias) WHERE \(isNull) OR \(isLater)"
    return step(
      "keys", "DELETE \(rows)", deleting: try connection.number("SELECT count(*) \(rows)"))
  }

  /// Returns a line that keeps columns unique: a line of the schema, or a step if not all columns
  /// have properties.
  private func uniqueLine(_ columns: [String]) -> String {
    let properties = columns.compactMap { declared.column($0)?.type.path }
    if properties.count == columns.count {
      return "Unique(\(properties.joined(separator: ", ")))"
    }
    let name = Identifier(([oldName] + columns + ["unique"]).joined(separator: "_")).quoted
    return step(
      "unique \(columns.joined(separator: ", "))",
      "CREATE UNIQUE INDEX \(name) ON \(formerTable) "
        + "(\(columns.map { oldName(of: $0) }.joined(separator: ", ")))")
  }
}
