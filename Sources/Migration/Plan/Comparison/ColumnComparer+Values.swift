import QueryDSL
import SQLCore

extension ColumnComparer {
  /// Compares the type, the stored form (such as `.iso8601`) and NOT NULL of a declared column with
  /// the existing column.
  func valueDifferences(
    _ column: TableDefinition.Column, _ found: ExistingTable.Column
  ) throws -> [TableDifference] {
    let form = try FormComparer(table: table).compare(column, found)
    guard form.outcome != .refused else { return form.differences }
    let oldClass = StorageClass(declaredType: found.type)
    let isOtherClass =
      try form.outcome == .unknown && oldClass != column.storageClass
      && !table.keepsType(of: found, as: column) || mustBeInteger(column, found)
    // A column of the key counts as NOT NULL. A key that is the rowid is never NULL. SQLite allows
    // NULL in other keys, but no model intends this.
    let isKey = existing.isKey(column.name) && declared.isKey(column.name)
    let allowsNull = !found.isNotNull && !isKey
    let losesNull = allowsNull && !column.isOptional
    let gainsNull = found.isNotNull && column.isOptional && !isKey
    let difference = ValueDifference(
      isOtherClass: oldClass != column.storageClass, losesNull: losesNull,
      reason: reason(of: column, found, isOtherClass: isOtherClass))
    let conversion = ConversionComparer(table: table)
    if let converted = try conversion.differences(column, difference) {
      return form.differences + converted
    }
    if isOtherClass || losesNull {
      return form.differences
        + (try retyping(column, found, losesNull: losesNull, isOtherClass: isOtherClass))
    }
    var differences = form.differences
    if gainsNull { differences.append(change("\(column.name) is no longer NOT NULL")) }
    if table.checks(column), form.outcome != .converted {
      differences += try unreadable(column, source: names.quoted(column.name))
    }
    return differences
  }

  /// Returns whether the existing type of the key column must become INTEGER, because the database
  /// assigns the key's values. SQLite assigns values only to a column that is declared as INTEGER
  /// PRIMARY KEY, in a table that has a rowid.
  private func mustBeInteger(
    _ column: TableDefinition.Column, _ found: ExistingTable.Column
  ) -> Bool {
    declared.hasRowIDKey && declared.isWithoutRowID ?? existing.isWithoutRowID == false
      && declared.isKey(column.name) && column.isOptional
      && found.type.lowercasedASCII != "integer"
  }

  private func reason(
    of column: TableDefinition.Column, _ found: ExistingTable.Column, isOtherClass: Bool
  ) -> String {
    let oldType = found.type.isEmpty ? "untyped" : found.type
    return isOtherClass
      ? "\(column.name) is \(oldType) in the database and \(column.storageClass.rawValue) in "
        + declared.model
      : "\(column.name) may be NULL in the database and is not optional in \(declared.model)"
  }

  // MARK: Other types, and NOT NULL

  /// Returns the differences of a column that gets another type or becomes NOT NULL. If rows have
  /// NULL in the column, returns a refusal, or the deletion of these rows if the options allow it.
  private func retyping(
    _ column: TableDefinition.Column, _ found: ExistingTable.Column, losesNull: Bool,
    isOtherClass: Bool
  ) throws -> [TableDifference] {
    let old = names.quoted(column.name)
    let new = Identifier(column.name).quoted
    let reason = reason(of: column, found, isOtherClass: isOtherClass)
    var differences: [TableDifference] = []
    let nulls = losesNull ? try rows.count(where: "\(old) IS NULL") : 0
    if nulls > 0 {
      let what = "\(reason), and \(nulls) of its values \(nulls == 1 ? "is" : "are") NULL"
      guard let deletion = allowedDeletion(of: nulls, column, what, where: "\(new) IS NULL") else {
        return [
          refusal(
            "\(what); make the property optional, or declare what NULL becomes",
            lines: lines.replacingNull(column, found), rows: .all)
        ]
      }
      differences.append(deletion)
    }
    guard isOtherClass else {
      let isChecked = table.checks(column)
      return try differences + [change(reason)]
        + (isChecked ? unreadable(column, source: old, among: "\(old) IS NOT NULL") : [])
    }
    return try differences
      + (column.type.hasForms ? reading(column, found, reason) : casting(column, found, reason))
  }

  /// Returns the differences of a column whose type has several stored forms, such as `Date`. CAST
  /// cannot convert the values, because the same date is a different number in another form. The
  /// Swift type converts them.
  private func reading(
    _ column: TableDefinition.Column, _ found: ExistingTable.Column, _ reason: String
  ) throws -> [TableDifference] {
    let old = names.quoted(column.name)
    let new = Identifier(column.name).quoted
    let oldClass = StorageClass(declaredType: found.type)
    guard oldClass.map({ column.type.form($0) != nil }) ?? true else {
      let count = try rows.count(where: "\(old) IS NOT NULL")
      guard count > 0 else { return [change(reason)] }
      if let deletion = allowedDeletion(of: count, column, reason, where: "\(new) IS NOT NULL") {
        return [deletion, change(reason)]
      }
      return [
        refusal(
          "\(reason), and \(column.type.name) does not have exactly one form in \(found.type); "
            + "declare how the values are read",
          lines: try lines.converting(column, found, lost: count), rows: .some(count))
      ]
    }
    func form(_ name: String) -> FormChange {
      FormChange(
        column: name, key: key(of: column), target: column.storageClass, oldClass: oldClass,
        isOwn: table.isMadeByApus)
    }
    return try refusedOrDeleted(column, where: form(old).isUnreadable)
      + [change(reason), value(of: column, form(new).sql)]
  }

  /// Returns the differences of a column whose values CAST converts to another storage class.
  private func casting(
    _ column: TableDefinition.Column, _ found: ExistingTable.Column, _ reason: String
  ) throws -> [TableDifference] {
    let cast = ValueChange(column: names.quoted(column.name), target: column.storageClass)
    let lost = try rows.count(where: "NOT (\(cast.isLossless))")
    let source = ValueChange(column: Identifier(column.name).quoted, target: column.storageClass)
    var differences: [TableDifference] = []
    if lost > 0 {
      let what = "\(reason), and \(lost) of its values would change"
      guard
        let deletion = allowedDeletion(
          of: lost, column, what, where: "NOT (\(source.isLossless))")
      else {
        let example = rows.example(of: column.name, where: "NOT (\(cast.isLossless))")
        return [
          refusal(
            "\(what)\(example); declare what they become, or declare a new property",
            lines: try lines.converting(column, found, lost: lost), rows: .all)
        ]
      }
      differences.append(deletion)
    }
    return differences
      + (try unreadable(column, source: cast.sql, among: cast.isLossless))
      + [change(reason), value(of: column, source.sql)]
  }

  // MARK: Values that the type cannot read

  /// Checks whether the type can read the values that the column will have after the migration. If
  /// it cannot read some of them, returns a refusal. If the options allow it, returns the deletion
  /// of the rows with these values instead.
  ///
  /// - Parameter condition: the SQL condition for the values that can be converted. Only these are
  ///   checked.
  func unreadable(
    _ column: TableDefinition.Column, source: String, among condition: String = "1"
  ) throws -> [TableDifference] {
    // A type that reads every value of its storage class needs no check in a STRICT table, which
    // holds only values of the declared class, if the column has no NULL or the property is
    // optional.
    let isNotNull = column.isOptional || existing.column(column.name)?.isNotNull == true
    guard !column.type.readsAll || table.checks(column) && !(existing.isStrict && isNotNull) else {
      return []
    }
    let isUnread = "NOT apus_reads('\(key(of: column))', \(source))"
    let unread =
      condition == "1" ? isUnread : "CASE WHEN \(condition) THEN \(isUnread) ELSE 0 END"
    guard table.checks(column), let progress = planner.progress else {
      return try refusedOrDeleted(column, where: unread)
    }
    let (table, sql) = (declared.name, "-- check the values of \(column.name)")
    try progress(MigrationProgress(table: table, sql: sql, copiedRows: 0, rowCount: 0))
    return try planner.connection.reportingRows(of: names.table, stepsPerRow: 4) {
      try progress(MigrationProgress(table: table, sql: sql, copiedRows: $0, rowCount: $1))
    } _: {
      try refusedOrDeleted(column, where: unread)
    }
  }

  /// Returns a refusal if some values fulfil the condition, which means that the type cannot read
  /// them. If the options allow it, returns the deletion of their rows instead.
  private func refusedOrDeleted(
    _ column: TableDefinition.Column, where condition: String
  ) throws -> [TableDifference] {
    let count = try rows.count(where: condition)
    guard count > 0 else { return [] }
    let reason =
      "\(column.name) holds values that \(column.type.name) cannot read, in \(count) "
      + (count == 1 ? "row" : "rows") + rows.example(of: column.name, where: condition)
    let found = existing.column(column.name)
    let oldClass = found.flatMap { StorageClass(declaredType: $0.type) } ?? column.storageClass
    let isOptional = column.isOptional || found?.isNotNull == false
    let (old, new) = (names.quoted(column.name), Identifier(column.name).quoted)
    let renamed = old == new ? condition : condition.replacing(old, with: new)
    return [
      deletionOrRefusal(
        of: count, reason, column: column.name,
        keeping: lines.keeping(column, in: oldClass, isOptional: isOptional),
        "DELETE FROM \(quotedExistingName) WHERE \(renamed)")
    ]
  }
}
