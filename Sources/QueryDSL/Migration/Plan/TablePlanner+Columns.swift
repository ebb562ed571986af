import SQLCore

extension TablePlanner {
  /// Compares a declared column with the existing one, or plans its addition.
  mutating func compare(_ column: TableDefinition.Column) throws {
    guard let found = live.column(column.name) else { return try add(column) }
    try compareGeneration(column, found)
    if column.generated == nil {
      try compareValues(column, found)
    } else if planner.checksValues, found.generated != nil {
      try checkValues(of: column, source: oldName(of: column.name))
    }
    compareAttributes(column, found)
  }

  // MARK: Generated columns, defaults, collations

  private mutating func compareGeneration(
    _ column: TableDefinition.Column, _ found: LiveTable.Column
  ) throws {
    switch (column.generated, found.generated) {
    case (nil, nil): return
    case (let declared?, let existing?):
      guard !declared.isSame(as: existing) else { return }
      changes.append(Change(reason: "\(column.name) is calculated differently"))
    case (let generated?, nil):
      try compareValues(of: column, with: generated)
    case (nil, .some):
      // The values stay: they are the calculated ones.
      changes.append(Change(reason: "\(column.name) is no longer calculated, and keeps its values"))
    }
  }

  /// Compares the existing values of a column with the expression that will calculate it. Refuses
  /// the change if any of them would be lost.
  private mutating func compareValues(
    of column: TableDefinition.Column, with generated: TableDefinition.Generated
  ) throws {
    let question = question(generated.expression, .former)
    let lost =
      try question.map { try rows(where: "\(oldName(of: column.name)) IS NOT (\($0))") }
      ?? rowCount()
    guard lost > 0 else {
      return changes.append(Change(reason: "\(column.name) is calculated"))
    }
    let loss =
      question == nil
      ? "its expression uses values that this migration changes as well"
      : "\(lost) of its values would change"
    refuse(
      "\(column.name) is an ordinary column in the database and a generated one in "
        + "\(declared.model), and \(loss); give the generated column another name, and the old "
        + "column is kept",
      line: "Named(\(column.type.path), \(calculatedName(of: column).swiftLiteral))",
      rowCount: lost)
  }

  /// A name that no column of the table has.
  private func calculatedName(of column: TableDefinition.Column) -> String {
    func isTaken(_ name: String) -> Bool { live.column(name) != nil || declared.declares(name) }
    let name = "\(column.name)Calculated"
    return isTaken(name) ? name.numbered(isTaken) : name
  }

  private mutating func compareAttributes(
    _ column: TableDefinition.Column, _ found: LiveTable.Column
  ) {
    let path = column.type.path
    if let collation = column.collation {
      if !collation.isSame(as: found.collation ?? "BINARY") {
        changes.append(Change(reason: "the collation of \(column.name) becomes \(collation)"))
      }
    } else if let collation = found.collation, !collation.isSame(as: "BINARY") {
      if declared.removes(.attribute(column: column.name, .collation)) {
        changes.append(Change(reason: "the collation of \(column.name) becomes BINARY"))
      } else {
        keep(
          "the collation \(collation) of \(column.name)", line: "Dropped(collationOf: \(path))")
      }
    }
    guard column.generated == nil else { return }
    if let value = column.defaultSQL {
      if value.normalSQL != found.defaultText?.normalSQL {
        changes.append(Change(reason: "the default of \(column.name) becomes \(value)"))
      }
    } else if let value = found.defaultText {
      if declared.removes(.attribute(column: column.name, .default)) {
        changes.append(Change(reason: "\(column.name) loses its default"))
      } else if !isImplied(value, in: column) {
        keep("the default \(value) of \(column.name)", line: "Dropped(defaultOf: \(path))")
      }
    }
  }

  /// Whether a default is the zero or empty value that ALTER TABLE had to declare when it added the
  /// column. Removing it would cost a rebuild.
  private func isImplied(_ value: String, in column: TableDefinition.Column) -> Bool {
    !column.isOptional && value.normalSQL == column.fallbackLiteral?.normalSQL
  }

  // MARK: Types and NULL

  private mutating func compareValues(
    _ column: TableDefinition.Column, _ found: LiveTable.Column
  ) throws {
    let form = try compareForm(column, found)
    guard form != .refused else { return }
    let oldClass = StorageClass(declaredType: found.type)
    let isOtherClass =
      form == .unknown && oldClass != column.storageClass || mustBeInteger(column, found)
    // A key that is the rowid is never NULL. SQLite allows NULL in other keys, but no model means
    // it.
    let isKey = live.isKey(column.name) && declared.isKey(column.name)
    let allowsNull = !found.isNotNull && !isKey
    let losesNull = allowsNull && !column.isOptional
    let gainsNull = found.isNotNull && column.isOptional && !isKey
    let difference = ValueDifference(
      isOtherClass: oldClass != column.storageClass, losesNull: losesNull,
      reason: reason(of: column, found, isOtherClass: isOtherClass))
    if try convert(column, difference) { return }
    if isOtherClass || losesNull {
      try convert(column, found, losesNull: losesNull, isOtherClass: isOtherClass)
    } else {
      if gainsNull { changes.append(Change(reason: "\(column.name) is no longer NOT NULL")) }
      if planner.checksValues, form != .converted {
        try checkValues(of: column, source: oldName(of: column.name))
      }
    }
  }

  /// Whether the existing type must become INTEGER, because only that makes a key that the database
  /// assigns.
  private func mustBeInteger(
    _ column: TableDefinition.Column, _ found: LiveTable.Column
  ) -> Bool {
    hasRowIDKey && declared.isKey(column.name) && column.isOptional
      && found.type.lowercasedASCII != "integer"
  }

  private func reason(
    of column: TableDefinition.Column, _ found: LiveTable.Column, isOtherClass: Bool
  ) -> String {
    let oldType = found.type.isEmpty ? "untyped" : found.type
    return isOtherClass
      ? "\(column.name) is \(oldType) in the database and \(column.storageClass.rawValue) in "
        + declared.model
      : "\(column.name) may be NULL in the database and is not optional in \(declared.model)"
  }

  private mutating func convert(
    _ column: TableDefinition.Column, _ found: LiveTable.Column, losesNull: Bool,
    isOtherClass: Bool
  ) throws {
    let old = oldName(of: column.name)
    let new = Identifier(column.name).quoted
    let oldClass = StorageClass(declaredType: found.type)
    let reason = reason(of: column, found, isOtherClass: isOtherClass)
    let nulls = losesNull ? try rows(where: "\(old) IS NULL") : 0
    if nulls > 0 {
      guard
        deletes(
          column, nulls,
          "\(reason), and \(nulls) of its values \(nulls == 1 ? "is" : "are") NULL",
          "\(new) IS NULL")
      else {
        return refuse(
          "\(reason), and \(nulls) of its values \(nulls == 1 ? "is" : "are") NULL; make the "
            + "property optional, or declare what NULL becomes", lines: nullLines(column, found),
          rowCount: try rowCount())
      }
    }
    guard isOtherClass else { return changes.append(Change(reason: reason)) }
    if column.type.hasForms {
      // The same date is a different number in another form, so it is read and written, not cast.
      guard oldClass.map({ column.type.form($0) != nil }) ?? true else {
        let count = try rows(where: "\(old) IS NOT NULL")
        guard count > 0 else { return changes.append(Change(reason: reason)) }
        guard deletes(column, count, reason, "\(new) IS NOT NULL") else {
          return refuse(
            "\(reason), and \(column.type.name) does not have exactly one form in \(found.type); "
              + "declare how the values are read",
            lines: try conversionLines(column, found, lost: count), rowCount: count)
        }
        return changes.append(Change(reason: reason))
      }
      func change(_ name: String) -> FormChange {
        FormChange(
          column: name, key: key(of: column), target: column.storageClass, oldClass: oldClass,
          isOwn: isMadeByApus)
      }
      try refuseValues(of: column, where: change(old).isUnreadable)
      changes.append(Change(reason: reason))
      return setSource(column, change(new).sql)
    }
    let change = ValueChange(column: old, target: column.storageClass)
    let lost = try rows(where: "NOT (\(change.isLossless))")
    let source = ValueChange(column: new, target: column.storageClass)
    if lost > 0 {
      let what = "\(reason), and \(lost) of its values would change"
      guard deletes(column, lost, what, "NOT (\(source.isLossless))") else {
        return refuse(
          "\(what)\(example(of: column, where: "NOT (\(change.isLossless))")); declare what "
            + "they become, or declare a new property",
          lines: try conversionLines(column, found, lost: lost), rowCount: try rowCount())
      }
    }
    try checkValues(of: column, source: change.sql, among: change.isLossless)
    changes.append(Change(reason: reason))
    setSource(column, source.sql)
  }

  /// Plans the deletion of rows that cannot stay, with the names that all have by then. Returns
  /// false if the options do not allow it.
  mutating func deletes(
    _ column: TableDefinition.Column, _ count: Int, _ reason: String, _ condition: String
  ) -> Bool {
    guard planner.invalidValues.deletes(declared.name, column.name) else { return false }
    steps.append(
      deletion(of: count, reason, "DELETE FROM \(quotedLiveName) WHERE \(condition)"))
    return true
  }

  mutating func setSource(
    _ column: TableDefinition.Column, _ sql: String, keepsNull: Bool = true
  ) {
    sources[column.name.lowercasedASCII] = TableRebuild.Source(
      column: column.name, sql: sql, isSame: false, keepsNull: keepsNull)
  }

  /// The key with which the migration's SQL functions find the column, escaped for a literal.
  func key(of column: TableDefinition.Column) -> String {
    MigrationFunctions.key(table: declared.name, column: column.name)
      .replacing("'", with: "''")
  }

  /// Whether the existing definition looks as Apus writes it.
  var isMadeByApus: Bool {
    live.isStrict && live.sql.hasPrefix("CREATE TABLE \(Identifier(oldName).quoted) (\n  \"")
  }

  // MARK: Values that the type cannot read

  /// Checks that the type can read what the column will hold. Refuses the other values, or deletes
  /// their rows if the options say so.
  ///
  /// - Parameter condition: the SQL condition for values that can be converted at all.
  private mutating func checkValues(
    of column: TableDefinition.Column, source: String, among condition: String = "1"
  ) throws {
    // A STRICT table holds only values of the declared class, and a NOT NULL column no NULL.
    let isNotNull = column.isOptional || live.column(column.name)?.isNotNull == true
    guard !column.type.readsAll || planner.checksValues && !(live.isStrict && isNotNull) else {
      return
    }
    let isUnread = "NOT apus_reads('\(key(of: column))', \(source))"
    try refuseValues(
      of: column,
      where: condition == "1" ? isUnread : "CASE WHEN \(condition) THEN \(isUnread) ELSE 0 END")
  }

  /// Refuses the values that fulfil a condition, or deletes their rows if the options say so.
  private mutating func refuseValues(
    of column: TableDefinition.Column, where condition: String
  ) throws {
    let count = try rows(where: condition)
    guard count > 0 else { return }
    let reason =
      "\(column.name) holds values that \(column.type.name) cannot read, in \(count) "
      + (count == 1 ? "row" : "rows") + example(of: column, where: condition)
    let found = live.column(column.name)
    let oldClass = found.flatMap { StorageClass(declaredType: $0.type) } ?? column.storageClass
    let keeping = column.type.declaration(
      of: oldClass, isOptional: column.isOptional || found?.isNotNull == false)
    try delete(
      count, reason, column: column.name, keeping: "\(keeping)  // keeps the values as they are",
      "DELETE FROM \(quotedLiveName) WHERE "
        + condition.renamed(from: oldName(of: column.name), to: Identifier(column.name).quoted))
  }
}

extension String {
  fileprivate func renamed(from old: String, to new: String) -> String {
    old == new ? self : replacing(old, with: new)
  }
}
