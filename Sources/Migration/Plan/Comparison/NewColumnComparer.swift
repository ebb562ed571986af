import QueryDSL
import SQLCore

/// Decides how to add a declared column that the table does not have, and which value existing rows
/// get.
struct NewColumnComparer: TableComparer {
  let table: TableComparison

  func differences(_ column: TableDefinition.Column) throws -> [TableDifference] {
    if let generated = column.generated { return [adding(column, calculatedBy: generated)] }
    if let refusal = try missingValue(of: column) { return [refusal] }
    let conversions = declared.needlessConversions(of: [column])
      .map(TableDifference.conversion)
    let isEmpty = try !rows.hasRow()
    let fallback = planner.missingDefaults == .zeroOrEmpty ? column.fallbackLiteral : nil
    let value = column.defaultSQL ?? fallback
    let reference = declared.foreignKeys.first {
      $0.columns.map(\.lowercasedASCII) == [column.name.lowercasedASCII]
    }
    if let reference, let value, !isEmpty, try refersToNothing(value, reference) {
      // If the property is already optional, the line makes its default NULL. Otherwise, the line
      // makes the property optional.
      let line =
        column.isOptional
        ? "Default(\(column.type.path), sql: \"NULL\")" : column.type.declaration(isOptional: true)
      return conversions + [
        refusal(
          "the new column \(column.name) refers to \(reference.target.table), but its default "
            + "\(value) matches no row there; make the default NULL, which needs an optional "
            + "property", line: line, rows: .all)
      ]
    }
    // ALTER TABLE would leave the zero or empty value as the column's default, but the schema drops
    // this default.
    let leavesDefault =
      value != nil && column.defaultSQL == nil
      && declared.removes(.attribute(column: column.name, .default))
    // The limits of ALTER TABLE: https://www.sqlite.org/lang_altertable.html#altertabaddcol
    let canAlter =
      !declared.isKey(column.name) && (column.isOptional || value != nil || isEmpty)
      && !leavesDefault
      && (value.map(Self.isConstant) ?? true) && (reference == nil || value == nil)
      && !checksMention(column.name)
    var sql = column.sql(addingDefault: fallback != nil, isMadeByApus: table.isMadeByApus)
    if let reference { sql += " \(reference.references)" }
    let given = isRowID(column) ? "the rowid" : value ?? "NULL"
    let hasNoValue = isEmpty && value == nil
    // If the new column is an alias of the rowid, its values are the existing rowids.
    let source = isRowID(column) ? existing.rowIDName : value
    return conversions + [
      change(
        "\(column.name) is added" + (hasNoValue ? "" : ", and existing rows get \(given)"),
        alter: canAlter
          ? step(
            adding: column, sql,
            hasNoValue ? "the table has no rows" : "existing rows get \(given)") : nil),
      self.value(of: column, source ?? "NULL", keepsNull: false),
    ]
  }

  private func adding(
    _ column: TableDefinition.Column, calculatedBy generated: TableDefinition.Generated
  ) -> TableDifference {
    // ALTER TABLE cannot add a STORED column, and cannot add NOT NULL without checking each row.
    let canAlter = generated.storage == .virtual && column.isOptional
    return change(
      "\(column.name) is added as a generated column",
      alter: canAlter
        ? step(adding: column, column.sql(isMadeByApus: table.isMadeByApus), "it is generated")
        : nil)
  }

  private func step(
    adding column: TableDefinition.Column, _ definition: String, _ reason: String
  ) -> PlannedStep {
    PlannedStep(
      running: MigrationPlan.Step(
        .addColumn(column.name), table: declared.name,
        sql: "ALTER TABLE \(quotedExistingName) ADD COLUMN \(definition)", reason: reason),
      touching: .all, of: names.table)
  }

  /// Returns whether the table to which the foreign key refers has no row with this value.
  private func refersToNothing(_ value: String, _ key: TableDefinition.ForeignKey) throws -> Bool {
    guard value.normalSQL != ["null"] else { return false }
    let renames = table.schema.renames
    guard let parent = try table.schema.renamedTable(key.target.table),
      let former = renames.formerName(ofTable: parent.name)
    else { return true }
    let name = key.target.columns[0]
    guard parent.column(name) != nil else { return true }
    let columns = FormerNames(table: former, columns: renames.columns(ofFormer: former))
    return try !RowProbe(of: parent, columns, rows.connection)
      .hasRow(where: "\(columns.quoted(name)) = \(value)")
  }

  /// Returns whether a new column is a key that becomes an alias of the table's existing rowid.
  private func isRowID(_ column: TableDefinition.Column) -> Bool {
    declared.hasRowIDKey && declared.isKey(column.name) && !existing.isWithoutRowID
  }

  /// Returns whether a declared check names a new column. ALTER TABLE cannot add the check.
  private func checksMention(_ column: String) -> Bool {
    declared.checks.contains { $0.condition.mentions(column.lowercasedASCII) }
  }

  /// Returns whether a default is a literal, with or without a sign, and not an expression or
  /// CURRENT_TIME.
  private static func isConstant(_ value: String) -> Bool {
    let tokens = SQLTokens(value).tokens
    guard let last = tokens.last, !tokens.contains(where: { $0.isSign("(") }) else { return false }
    return !last.value.lowercasedASCII.hasPrefix("current_")
  }

  // MARK: Columns without a value for the existing rows

  /// Returns the refusal of a new column that needs a value for the existing rows and has none.
  /// Returns nil if the column has such a value or needs none.
  private func missingValue(of column: TableDefinition.Column) throws -> TableDifference? {
    guard !column.isOptional, column.defaultSQL == nil || column.hasImpliedDefault,
      try rows.hasRow()
    else { return nil }
    let isReference = declared.foreignKeys.contains { key in
      key.columns.contains { $0.isSame(as: column.name) }
    }
    if isRowID(column) { return try unreadRowIDs(as: column) }
    if planner.missingDefaults == .zeroOrEmpty, column.fallbackLiteral != nil, !isReference {
      return nil
    }
    let why =
      isReference
      ? "refers to another table, and existing rows would have no row to refer to"
      : "needs a value for the existing rows"
    guard !declared.isKey(column.name) else {
      // If all columns of the key are new, `KeyComparer` has already refused the key, and offered
      // the same lines. In this case, this refusal is left out.
      let step = refusedStep(
        "the new column \(column.name) \(why), and it is part of the key; fill it in a "
          + "`MigrationStep` that runs `.before`", lines: lines.addingKey(), rows: .all)
      return .refusal(TableRefusal(step: step, isLeftOutIfOffered: true))
    }
    let line = isReference ? nil : column.type.emptyValue.map { column.type.defaultLine($0) }
    return refusal(
      line == nil
        ? "the new column \(column.name) \(why); make the property optional, or write "
          + "`Default(\(column.type.path), …)` in the schema of \(declared.model)"
        : "the new column \(column.name) \(why); declare a default in the schema of "
          + "\(declared.model), or make the property optional: "
          + "`\(column.type.declaration(isOptional: true))`",
      line: line ?? column.type.declaration(isOptional: true), rows: .all)
  }

  /// Returns the refusal of a new key that would be the rowid, if the key's type, such as an
  /// enumeration, cannot read every rowid.
  private func unreadRowIDs(as column: TableDefinition.Column) throws -> TableDifference? {
    guard !column.type.readsAll, let rowID = existing.rowIDName else { return nil }
    let isUnread = "NOT apus_reads('\(key(of: column))', \(rowID))"
    let count = try rows.count(where: isUnread)
    guard count > 0 else { return nil }
    return refusal(
      "the new key \(column.name) would be the rowid, and \(count) of the rowids cannot be read as "
        + "\(column.type.name); declare it as an integer, or fill it in a `MigrationStep` that "
        + "runs `.before`",
      line: column.type.declaration(of: .integer, isOptional: false), rows: .some(count))
  }
}
