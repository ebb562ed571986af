import SQLCore

extension TablePlanner {
  /// Plans the addition of a column that the table does not have.
  mutating func add(_ column: TableDefinition.Column) throws {
    if let generated = column.generated {
      let sql = "ALTER TABLE \(quotedExistingName) ADD COLUMN \(column.sql())"
      // ALTER TABLE cannot add a STORED column, and would check NOT NULL in each row.
      let canAlter = generated.storage == .virtual && column.isOptional
      return changes.append(
        Change(
          reason: "\(column.name) is added as a generated column",
          alter: canAlter
            ? MigrationPlan.Step(
              .addColumn(column.name), table: declared.name, sql: sql, reason: "it is generated",
              rowCount: try rowCount())
            : nil))
    }
    guard try findValue(for: column) else { return }
    conversions += needlessConversions(of: [column])
    let isEmpty = try rowCount() == 0
    let fallback = planner.missingDefaults == .zeroOrEmpty ? column.fallbackLiteral : nil
    let value = column.defaultSQL ?? fallback
    let reference = declared.foreignKeys.first {
      $0.columns.map(\.lowercasedASCII) == [column.name.lowercasedASCII]
    }
    if let reference, let value, try rowCount() > 0, try refersToNothing(value, reference) {
      // Either the property or its default is the problem.
      let line =
        column.isOptional
        ? "Default(\(column.type.path), sql: \"NULL\")" : column.type.declaration(isOptional: true)
      return refuse(
        "the new column \(column.name) refers to \(reference.target.table), but its default "
          + "\(value) matches no row there; make the default NULL, which needs an optional property",
        line: line, rowCount: try rowCount())
    }
    // ALTER TABLE would leave the zero as the column's default, which the schema may not want.
    let leavesDefault =
      value != nil && column.defaultSQL == nil
      && declared.removes(.attribute(column: column.name, .default))
    // The limits of ALTER TABLE: https://www.sqlite.org/lang_altertable.html#altertabaddcol
    let canAlter =
      !declared.isKey(column.name) && (column.isOptional || value != nil || isEmpty)
      && !leavesDefault
      && (value.map(Self.isConstant) ?? true) && (reference == nil || value == nil)
      && !checksMention(column.name)
    var sql =
      "ALTER TABLE \(quotedExistingName) ADD COLUMN \(column.sql(addingDefault: fallback != nil))"
    if let reference { sql += " \(reference.references)" }
    let given = isRowID(column) ? "the rowid" : value ?? "NULL"
    let hasNoValue = isEmpty && value == nil
    changes.append(
      Change(
        reason: "\(column.name) is added"
          + (hasNoValue ? "" : ", and existing rows get \(given)"),
        alter: canAlter
          ? MigrationPlan.Step(
            .addColumn(column.name), table: declared.name, sql: sql,
            reason: hasNoValue ? "the table has no rows" : "existing rows get \(given)",
            rowCount: try rowCount())
          : nil))
    // The rowid already exists, and becomes the key.
    let source = isRowID(column) ? existingRowIDName : value
    sources[column.name.lowercasedASCII] = TableRebuild.Source(
      column: column.name, sql: source ?? "NULL", isSame: false)
  }

  /// Returns whether the table to which a column will refer has no row with this value.
  private func refersToNothing(_ value: String, _ key: TableDefinition.ForeignKey) throws -> Bool {
    guard value.normalSQL != ["null"] else { return false }
    guard let parent = try schema.renamedTable(key.target.table),
      let table = schema.renames.formerName(ofTable: parent.name)
    else { return true }
    let name = key.target.columns[0]
    guard parent.column(name) != nil else { return true }
    let former = schema.renames.columns(ofFormer: table).first { $0.name.isSame(as: name) }?.from
    return try connection.number(
      "SELECT count(*) FROM \(Identifier(table).quoted) "
        + "WHERE \(Identifier(former ?? name).quoted) = \(value)") == 0
  }

  /// Whether a new column is the rowid, for which the table has no column yet.
  private func isRowID(_ column: TableDefinition.Column) -> Bool {
    declared.hasRowIDKey && declared.isKey(column.name) && !existing.isWithoutRowID
  }

  /// Refuses a new key that would be the rowid if its type cannot read every rowid, such as an
  /// enumeration. Returns whether it refused.
  private mutating func refusesRowIDs(as column: TableDefinition.Column) throws -> Bool {
    guard !column.type.readsAll, let rowID = existingRowIDName else { return false }
    let isUnread = "NOT apus_reads('\(key(of: column))', \(rowID))"
    let count = try rows(where: isUnread)
    guard count > 0 else { return false }
    refuse(
      "the new key \(column.name) would be the rowid, and \(count) of the rowids cannot be read as "
        + "\(column.type.name); declare it as an integer, or fill it in a `MigrationStep` that "
        + "runs `.before`",
      line: column.type.declaration(of: .integer, isOptional: false), rowCount: count)
    return true
  }

  /// Returns whether there is a value for the existing rows; adds a refusal if not.
  private mutating func findValue(for column: TableDefinition.Column) throws -> Bool {
    guard !column.isOptional, column.defaultSQL == nil || column.hasImpliedDefault,
      try rowCount() > 0
    else { return true }
    let isReference = declared.foreignKeys.contains { key in
      key.columns.contains { $0.isSame(as: column.name) }
    }
    if isRowID(column) { return try !refusesRowIDs(as: column) }
    if planner.missingDefaults == .zeroOrEmpty, column.fallbackLiteral != nil, !isReference {
      return true
    }
    let why =
      isReference
      ? "refers to another table, and existing rows would have no row to refer to"
      : "needs a value for the existing rows"
    guard !declared.isKey(column.name) else {
      // If the whole key is new, that has been refused already.
      guard !steps.contains(where: { $0.step.lines == addingKeyLines }) else { return false }
      refuse(
        "the new column \(column.name) \(why), and it is part of the key; fill it in a "
          + "`MigrationStep` that runs `.before`", lines: addingKeyLines, rowCount: try rowCount())
      return false
    }
    let line = isReference ? nil : column.type.emptyValue.map { column.type.defaultLine($0) }
    refuse(
      line == nil
        ? "the new column \(column.name) \(why); make the property optional, or write "
          + "`Default(\(column.type.path), …)` in the schema of \(declared.model)"
        : "the new column \(column.name) \(why); declare a default in the schema of "
          + "\(declared.model), or make the property optional: "
          + "`\(column.type.declaration(isOptional: true))`",
      line: line ?? column.type.declaration(isOptional: true), rowCount: try rowCount())
    return false
  }

  /// A name for the rowid of the existing table that no column has.
  var existingRowIDName: String? {
    guard !existing.isWithoutRowID else { return nil }
    return ["rowid", "_rowid_", "oid"].first { existing.column($0) == nil }
  }

  /// Whether a declared check names a new column. ALTER TABLE cannot add the check.
  private func checksMention(_ column: String) -> Bool {
    declared.checks.contains { $0.condition.mentions(column.lowercasedASCII) }
  }

  /// Whether a default is a literal, with or without a sign, and not an expression or CURRENT_TIME.
  private static func isConstant(_ value: String) -> Bool {
    let tokens = SQLTokens(value).tokens
    guard let last = tokens.last, !tokens.contains(where: { $0.isSign("(") }) else { return false }
    return !last.value.lowercasedASCII.hasPrefix("current_")
  }
}
