import SQLCore

extension TablePlanner {
  /// The outcome of comparing the form of a column with the declared one.
  enum FormComparison {
    /// Nothing to compare: the type has one form, or the storage class decides.
    case unknown
    /// The values have the declared form.
    case settled
    /// The values have another form and will be converted.
    case converted
    case refused
  }

  /// Compares the form in which a column is stored with the declared one.
  ///
  /// The definition of a table records the form of each column that does not have the standard
  /// form. A table of another program records none: its values are read once, and then the form is
  /// recorded.
  mutating func compareForm(
    _ column: TableDefinition.Column, _ found: LiveTable.Column
  ) throws -> FormComparison {
    let type = column.type
    guard type.hasForms, !mayConvert(column, found),
      let oldClass = try storageClass(of: found, column)
    else { return .unknown }
    // NULL is refused first: none of the lines for another form makes a value of it.
    guard try !holdsRefusedNull(column, found) else { return .unknown }
    let forms = type.forms(in: oldClass)
    // In a table that Apus made, a column without a comment has the standard form.
    if let form = found.form ?? (isMadeByApus ? .standard : nil), forms.contains(form) {
      guard form == type.storedForm else { return try convert(column, from: form) }
      if planner.checksValues, oldClass == .text {
        let look = try TextLook(of: column, in: self)
        if look.readCount == look.count, !look.isWritten(as: form) { note(look, of: column) }
      }
      return .settled
    }
    let isSameClass = oldClass == column.storageClass
    if isSameClass, forms.count == 1 { return .unknown }
    let isEmpty = try !hasRow(where: "\(oldName(of: column.name)) IS NOT NULL")
    switch (oldClass, isSameClass) {
    case (_, false) where isEmpty || forms.isEmpty: return .unknown
    case (_, true) where isEmpty: break
    case (.integer, _), (.real, _):
      let form: StoredForm? =
        isSameClass ? type.storedForm : oldClass == .integer ? .standard : nil
      guard try areDates(column, found, oldClass, of: form) else { return .refused }
      if !isSameClass { return try convert(column, from: .standard) }
      guard try !refusesUnreadNumbers(of: column, found, oldClass) else { return .refused }
    case (.text, _):
      let look = try TextLook(of: column, in: self)
      guard try !refusesUnread(look, of: column, found) else { return .refused }
      guard let form = look.form(of: column, isSameClass: isSameClass) else {
        return try refuse(look, of: column, found, isSameClass: isSameClass)
      }
      if !isSameClass { return try convert(column, from: form) }
      guard look.isWritten(as: form) else {
        note(look, of: column)
        return .settled
      }
    case (.blob, _):
      if !isSameClass { return try convert(column, from: .bytes) }
    case (.null, _): return .unknown
    }
    remember(column)
    return .settled
  }

  /// Whether a declared conversion may still have to run. It reads the existing values itself.
  private func mayConvert(
    _ column: TableDefinition.Column, _ found: LiveTable.Column
  ) -> Bool {
    guard let conversion = column.conversion else { return false }
    guard conversion.needsNote else { return found.form == nil }
    return !planner.conversions.state(
      of: conversion, table: oldName, column: formerName(of: column.name)
    ).isDone
  }

  // MARK: Existing values

  /// Returns whether a column holds NULL and its property is not optional.
  private func holdsRefusedNull(
    _ column: TableDefinition.Column, _ found: LiveTable.Column
  ) throws -> Bool {
    guard !column.isOptional, !found.isNotNull,
      !planner.invalidValues.deletes(declared.name, column.name)
    else { return false }
    return try hasRow(where: "\(oldName(of: column.name)) IS NULL")
  }

  /// Returns the storage class of a column: the declared one, or the class of all its values if the
  /// declared type has none, as DATETIME.
  private func storageClass(
    of found: LiveTable.Column, _ column: TableDefinition.Column
  ) throws -> StorageClass? {
    if let declared = StorageClass(declaredType: found.type) { return declared }
    let classes = try valueClasses(of: column.name)
    // A form that is stored as REAL reads whole numbers, too.
    let isNumber = !classes.isEmpty && classes.allSatisfy { $0 == .integer || $0 == .real }
    if isNumber, column.storageClass == .real || classes.count == 2 { return .real }
    return classes.count == 1 ? classes[0] : nil
  }

  private func hasRow(where condition: String) throws -> Bool {
    try connection.number(
      "SELECT EXISTS (SELECT 1 FROM \(Identifier(oldName).quoted) WHERE \(condition))") != 0
  }

  /// Returns whether the numbers of a column are dates in a form. Adds a refusal if they are dates
  /// in other forms only, if `form` is nil, or if some of them seem to count another unit than the
  /// standard form, which nobody declared.
  private mutating func areDates(
    _ column: TableDefinition.Column, _ found: LiveTable.Column, _ oldClass: StorageClass,
    of form: StoredForm?
  ) throws -> Bool {
    let numbers = try DateNumbers(
      of: oldName(of: column.name), in: Identifier(oldName).quoted, oldClass,
      declared: form ?? .bytes, connection)
    var reason: String?
    if form != nil, numbers.declaredCount > 0 || numbers.plausibleYears == nil {
      let isOther = DateNumbers.isOtherCount(oldName(of: column.name))
      let others = form == .standard ? try rows(where: isOther) : 0
      guard others > 0 else { return true }
      reason =
        ", and some seem to be microseconds, others (\(others)) seconds or milliseconds"
        + example(of: column, where: isOther)
    } else if let form {
      reason =
        ", and if they are read as `.\(form)`, none is a date between "
        + (numbers.plausibleYears?.title ?? "")
    }
    refuse(
      "\(column.name) is \(found.type.isEmpty ? "untyped" : found.type) in the database, which does "
        + "not say what its numbers count\(reason ?? ""); choose the line whose dates are right",
      lines: try lines(for: column, found, numbers, oldClass), rowCount: try rowCount())
    return false
  }

  /// Adds a refusal if some numbers are not dates in the declared form, or deletes their rows if
  /// the options say so. Returns whether it refused.
  private mutating func refusesUnreadNumbers(
    of column: TableDefinition.Column, _ found: LiveTable.Column, _ oldClass: StorageClass
  ) throws -> Bool {
    let form = column.type.storedForm
    let old = oldName(of: column.name)
    let unread = try rows(where: isUnread(column, old, as: form))
    guard unread > 0 else { return false }
    let reason =
      "\(column.name) is \(found.type.isEmpty ? "untyped" : found.type) in the database, and "
      + "\(column.type.name) cannot read \(unread) of its values as "
      + "`.\(form)`\(example(of: column, where: isUnread(column, old, as: form)))"
    let new = Identifier(column.name).quoted
    if deletes(column, unread, reason, isUnread(column, new, as: form)) { return false }
    let keeping = column.type.declaration(of: oldClass, isOptional: !found.isNotNull)
    refuse(
      reason,
      lines: ["\(keeping)  // keeps the values as they are", deletingLine(column.name, unread)],
      rowCount: unread)
    return true
  }

  // MARK: Changes

  /// Reads the values in their existing form and writes them in the declared one.
  private mutating func convert(
    _ column: TableDefinition.Column, from form: StoredForm
  ) throws -> FormComparison {
    func reformed(_ name: String) -> String {
      "apus_reform('\(key(of: column))', \(form.rawValue), \(name))"
    }
    // If the options say so, values that no form reads have been deleted before.
    let isDeleted = planner.invalidValues.deletes(declared.name, column.name)
    func isLost(_ name: String) -> String {
      "\(name) IS NOT NULL AND \(reformed(name)) IS NULL"
        + (isDeleted && form.isText(of: column.type) ? " AND NOT (\(isUnread(column, name)))" : "")
    }
    let old = oldName(of: column.name)
    let new = Identifier(column.name).quoted
    let reason =
      "\(column.name) is stored as `.\(form)` in the database and as `.\(column.type.storedForm)` in "
      + declared.model
    let lost = try rows(where: isLost(old))
    if lost > 0 {
      let what = "\(reason), and \(lost) of its values would change"
      guard deletes(column, lost, what, isLost(new)) else {
        refuse(
          what + (example(of: column, where: isLost(old))),
          lines: try linesKeeping(form, column, isLost: isLost(old)), rowCount: lost)
        return .refused
      }
    }
    changes.append(Change(reason: reason))
    sources[column.name.lowercasedASCII] = TableRebuild.Source(
      column: column.name, sql: reformed(new), isSame: false, keepsNull: true)
    return .converted
  }

  /// Records the form in the definition, so that the values need not be read again.
  private mutating func remember(_ column: TableDefinition.Column) {
    let form = column.type.storedForm
    let memory = FormMemory(table: declared.name, forms: [(column.name, form)])
    kept.append(
      PlannedStep(
        MigrationPlan.Step(
          .rememberForm(column.name), table: declared.name,
          reason: memory.reason(column.name, form)),
        .remember(memory)))
  }

  /// Notes that some values are not spelled as the form will write them.
  private mutating func note(_ look: TextLook, of column: TableDefinition.Column) {
    let form = column.type.storedForm
    let count = look.count - look.count(writtenAs: form)
    kept.append(
      PlannedStep(
        MigrationPlan.Step(
          .keepDeclaration("the spelling of \(column.name)"), table: declared.name,
          reason: "\(count) of its values \(count == 1 ? "is" : "are") not spelled as `.\(form)` "
            + "writes them; they can be read, but SQL compares their text",
          lines: look.storedLines(for: column), rowCount: count)))
  }

  private mutating func refuse(
    _ look: TextLook, of column: TableDefinition.Column, _ found: LiveTable.Column,
    isSameClass: Bool
  ) throws -> FormComparison {
    refuse(
      "\(column.name) is text in the database, in a form other than "
        + "`.\(column.type.storedForm)`"
        + (look.firstOther.map { ", as in \($0)" } ?? "")
        + (isSameClass ? "; SQL compares the text, and would not find these values" : ""),
      lines: look.storedLines(for: column) + look.convertedLines(for: column, found),
      rowCount: try rowCount())
    return .refused
  }

  /// Adds a refusal if the type cannot read some texts, or deletes their rows if the options say
  /// so. Returns whether it refused.
  private mutating func refusesUnread(
    _ look: TextLook, of column: TableDefinition.Column, _ found: LiveTable.Column
  ) throws -> Bool {
    let unread = look.count - look.readCount
    guard unread > 0 else { return false }
    let place = "\(column.name) is text in the database"
    if look.numberCount == look.count, column.type.forms(in: .real).contains(.julianDay) {
      refuse(
        "\(place), and its values are numbers; choose the line whose dates are right",
        lines: try linesForNumbers(in: column, found), rowCount: try rowCount())
      return true
    }
    let reason =
      "\(place), and \(column.type.name) cannot read \(unread) of its values"
      + (look.firstUnread.map { ", as in \($0)" } ?? "")
    if deletes(column, unread, reason, isUnread(column, Identifier(column.name).quoted)) {
      return false
    }
    let keeping = column.type.declaration(of: .text, isOptional: !found.isNotNull)
    refuse(
      reason,
      lines: ["\(keeping)  // keeps the values as they are", deletingLine(column.name, unread)],
      rowCount: unread)
    return true
  }

  /// Returns the SQL condition for texts that the type can read in no form.
  private func isUnread(_ column: TableDefinition.Column, _ name: String) -> String {
    isUnread(column, name, as: column.type.forms(in: .text).first ?? .standard)
  }

  private func isUnread(
    _ column: TableDefinition.Column, _ name: String, as form: StoredForm
  ) -> String {
    "\(name) IS NOT NULL AND NOT apus_is('\(key(of: column))', \(form.rawValue), \(name))"
  }
}

extension TablePlanner {
  mutating func refuse(_ reason: String, lines: [String], rowCount: Int? = nil) {
    steps.append(
      PlannedStep(
        MigrationPlan.Step(
          .refuse, table: declared.name, reason: reason, lines: lines, rowCount: rowCount)))
  }

  /// The SQL expression that names a row in an error: its rowid, or its key.
  var rowLabel: String {
    if let rowID = liveRowIDName { return rowID }
    return live.key.columns.map { oldName(of: $0) }.joined(separator: " || ', ' || ")
  }

  /// Describes the first row that fulfils a condition by its value in a column: `, as in row 3:
  /// 'soon'`.
  func example(of column: TableDefinition.Column, where condition: String) -> String {
    let row = try? connection.row(
      SQL(
        unsafe: "SELECT \(rowLabel), quote(\(oldName(of: column.name))) "
          + "FROM \(Identifier(oldName).quoted) WHERE \(condition) LIMIT 1"))
    guard let values = row?.values, values.count == 2, case .text(let value) = values[1] else {
      return ""
    }
    return ", as in row \(values[0]): \(value.excerpt)"
  }
}
