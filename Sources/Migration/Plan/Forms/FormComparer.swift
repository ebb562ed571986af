import QueryDSL
import SQLCore

/// The result of comparing the form in which a column's values are stored with the declared form.
struct FormComparison {
  enum Outcome {
    /// The forms were not compared. Most often, the type has only one form, or the storage class
    /// already shows the form.
    case unknown
    /// The values have the declared form.
    case settled
    /// The values have another form and will be converted.
    case converted
    case refused
  }

  let outcome: Outcome
  let differences: [TableDifference]

  init(_ outcome: Outcome, _ differences: [TableDifference] = []) {
    self.outcome = outcome
    self.differences = differences
  }

  static var unknown: FormComparison { FormComparison(.unknown) }
}

/// Compares the form in which a column's values are stored, such as `.unixSeconds` for dates, with
/// the declared form.
///
/// In a table that Apus made, the definition records the form of each column that does not have the
/// standard form. In a table of another program, a column has no record until a migration writes
/// it, so each opening examines some of its values.
struct FormComparer: TableComparer {
  let table: TableComparison
  /// The rows whose values are examined: all rows of the table, or a sample.
  let rows: RowProbe

  init(table: TableComparison) {
    self.init(table: table, rows: table.rows)
  }

  private init(table: TableComparison, rows: RowProbe) {
    self.table = table
    self.rows = rows
  }

  func compare(
    _ column: TableDefinition.Column, _ found: ExistingTable.Column
  ) throws -> FormComparison {
    guard column.type.hasForms, !ConversionComparer(table: table).mayRun(column, found),
      let oldClass = try storageClass(of: found, column)
    else { return .unknown }
    // A NULL that the property cannot store must be refused before a difference of the forms: the
    // lines that resolve the refusal of a form do not convert NULL into a value.
    guard try !holdsRefusedNull(column, found) else { return .unknown }
    let forms = column.type.forms(in: oldClass)
    // In a table that Apus made, a column without a comment about its form has the standard form.
    if let form = found.form ?? (table.isMadeByApus ? .standard : nil), forms.contains(form) {
      return try compare(column, recorded: form, oldClass)
    }
    let isSameClass = oldClass == column.storageClass
    if isSameClass, forms.count == 1 { return .unknown }
    // If there is a difference, the plan reports the number of all affected rows. So the result for
    // a sample of the rows is used only if the sample shows no difference.
    if !table.checks(column), let sample = rows.sample {
      let comparison = try FormComparer(table: table, rows: sample)
        .examine(column, found, oldClass, forms)
      let isKept = comparison.differences.allSatisfy {
        if case .kept = $0 { true } else { false }
      }
      if comparison.outcome == .settled, isKept { return comparison }
    }
    return try examine(column, found, oldClass, forms)
  }

  /// Finds out from the values in which form they are stored, and compares it with the declared
  /// form.
  private func examine(
    _ column: TableDefinition.Column, _ found: ExistingTable.Column, _ oldClass: StorageClass,
    _ forms: [StoredForm]
  ) throws -> FormComparison {
    let isSameClass = oldClass == column.storageClass
    guard try rows.hasRow(where: "\(names.quoted(column.name)) IS NOT NULL") else {
      return isSameClass ? FormComparison(.settled) : .unknown
    }
    if !isSameClass, forms.isEmpty { return .unknown }
    switch oldClass {
    case .integer, .real: return try compareNumbers(column, found, oldClass)
    case .text: return try compareTexts(column, found, isSameClass: isSameClass)
    case .blob:
      return try isSameClass ? FormComparison(.settled) : convert(column, from: .bytes)
    case .null: return .unknown
    }
  }

  /// Compares the declared form with the form that the definition of the table records.
  private func compare(
    _ column: TableDefinition.Column, recorded form: StoredForm, _ oldClass: StorageClass
  ) throws -> FormComparison {
    guard form == column.type.storedForm else { return try convert(column, from: form) }
    guard table.checks(column), oldClass == .text else { return FormComparison(.settled) }
    let look = try TextSurvey(of: column, in: rows)
    let isMixed = look.readCount == look.count && !look.isWritten(as: form)
    return FormComparison(.settled, isMixed ? [note(look, of: column)] : [])
  }

  // MARK: Existing values

  /// Returns whether a column holds NULL, its property is not optional, and the options do not
  /// delete such rows.
  private func holdsRefusedNull(
    _ column: TableDefinition.Column, _ found: ExistingTable.Column
  ) throws -> Bool {
    guard !column.isOptional, !found.isNotNull,
      !planner.invalidValues.deletes(declared.name, column.name)
    else { return false }
    return try rows.hasRow(where: "\(names.quoted(column.name)) IS NULL")
  }

  /// Returns the storage class of a column's declared type. For a type without a class, such as
  /// DATETIME, returns the class that all values share, or REAL for integers and reals. Nil if the
  /// values share no class, or if there are no values.
  private func storageClass(
    of found: ExistingTable.Column, _ column: TableDefinition.Column
  ) throws -> StorageClass? {
    if let declared = StorageClass(declaredType: found.type) { return declared }
    let classes = try rows.valueClasses(of: column.name)
    // A form that is stored as REAL also reads integers.
    let isNumber = !classes.isEmpty && classes.allSatisfy { $0 == .integer || $0 == .real }
    if isNumber, column.storageClass == .real || classes.count == 2 { return .real }
    return classes.count == 1 ? classes[0] : nil
  }

  // MARK: Numbers

  private func compareNumbers(
    _ column: TableDefinition.Column, _ found: ExistingTable.Column, _ oldClass: StorageClass
  ) throws -> FormComparison {
    let isSameClass = oldClass == column.storageClass
    let form: StoredForm? =
      isSameClass ? column.type.storedForm : oldClass == .integer ? .standard : nil
    if let refusal = try refusalOfOtherDates(column, found, oldClass, form) {
      return FormComparison(.refused, [refusal])
    }
    guard isSameClass else { return try convert(column, from: .standard) }
    let unread = try unreadNumbers(of: column, found, oldClass)
    if let unread, unread.isRefusal { return FormComparison(.refused, [unread]) }
    return FormComparison(.settled, unread.map { [$0] } ?? [])
  }

  /// Returns a refusal if it is not clear that the numbers of a column are dates in `form`. It is
  /// not clear in any of these cases:
  ///
  /// - `form` is nil.
  /// - The numbers are plausible dates only in other forms.
  /// - Some numbers seem to count another unit than the standard form.
  private func refusalOfOtherDates(
    _ column: TableDefinition.Column, _ found: ExistingTable.Column, _ oldClass: StorageClass,
    _ form: StoredForm?
  ) throws -> TableDifference? {
    let numbers = try DateNumbers(
      of: names.quoted(column.name), in: rows.source, oldClass,
      declared: form ?? .bytes, rows.connection)
    var reason = ""
    if form != nil, numbers.declaredCount > 0 || numbers.plausibleYears == nil {
      let isOther = DateNumbers.isOtherCount(names.quoted(column.name))
      let others = form == .standard ? try rows.count(where: isOther) : 0
      guard others > 0 else { return nil }
      reason =
        ", and some seem to be microseconds, others (\(others)) seconds or milliseconds"
        + rows.example(of: column.name, where: isOther)
    } else if let form {
      reason =
        ", and if they are read as `.\(form)`, none is a date between "
        + (numbers.plausibleYears?.title ?? "")
    }
    return refusal(
      "\(column.name) is \(found.type.isEmpty ? "untyped" : found.type) in the database, which does "
        + "not say what its numbers count\(reason); choose the line whose dates are right",
      lines: try lines.readingNumbers(in: column, found, numbers, oldClass), rows: .all)
  }

  /// Returns a refusal if some numbers are not dates in the declared form. If the options allow it,
  /// returns the deletion of their rows instead.
  private func unreadNumbers(
    of column: TableDefinition.Column, _ found: ExistingTable.Column, _ oldClass: StorageClass
  ) throws -> TableDifference? {
    let form = column.type.storedForm
    let old = names.quoted(column.name)
    let unread = try rows.count(where: isUnread(column, old, as: form))
    guard unread > 0 else { return nil }
    let reason =
      "\(column.name) is \(found.type.isEmpty ? "untyped" : found.type) in the database, and "
      + "\(column.type.name) cannot read \(unread) of its values as `.\(form)`"
      + rows.example(of: column.name, where: isUnread(column, old, as: form))
    return deletionOrRefusal(
      ofUnread: unread, column, reason, isUnread(column, Identifier(column.name).quoted, as: form),
      keeping: column.type.declaration(of: oldClass, isOptional: !found.isNotNull))
  }

  // MARK: Texts

  private func compareTexts(
    _ column: TableDefinition.Column, _ found: ExistingTable.Column, isSameClass: Bool
  ) throws -> FormComparison {
    let look = try TextSurvey(of: column, in: rows)
    let unread = try unreadTexts(look, of: column, found)
    if let unread, unread.isRefusal { return FormComparison(.refused, [unread]) }
    let deletions = unread.map { [$0] } ?? []
    guard let form = look.form(of: column, isSameClass: isSameClass) else {
      let refusal = refusal(look, of: column, found, isSameClass: isSameClass)
      return FormComparison(.refused, deletions + [refusal])
    }
    guard isSameClass else {
      let conversion = try convert(column, from: form)
      return FormComparison(conversion.outcome, deletions + conversion.differences)
    }
    return FormComparison(
      .settled,
      deletions + (look.isWritten(as: form) ? [] : [note(look, of: column)]))
  }

  private func refusal(
    _ look: TextSurvey, of column: TableDefinition.Column, _ found: ExistingTable.Column,
    isSameClass: Bool
  ) -> TableDifference {
    refusal(
      "\(column.name) is text in the database, in a form other than "
        + "`.\(column.type.storedForm)`"
        + (look.firstOther.map { ", as in \($0)" } ?? "")
        + (isSameClass ? "; SQL compares the text, and would not find these values" : ""),
      lines: look.storedLines(for: column) + look.convertedLines(for: column, found), rows: .all)
  }

  /// Returns a refusal if the type cannot read some texts. If the options allow it, returns the
  /// deletion of their rows instead.
  private func unreadTexts(
    _ look: TextSurvey, of column: TableDefinition.Column, _ found: ExistingTable.Column
  ) throws -> TableDifference? {
    let unread = look.count - look.readCount
    guard unread > 0 else { return nil }
    let place = "\(column.name) is text in the database"
    if look.numberCount == look.count, column.type.forms(in: .real).contains(.julianDay) {
      return refusal(
        "\(place), and its values are numbers; choose the line whose dates are right",
        lines: try lines.readingNumbers(in: column, found), rows: .all)
    }
    let reason =
      "\(place), and \(column.type.name) cannot read \(unread) of its values"
      + (look.firstUnread.map { ", as in \($0)" } ?? "")
    return deletionOrRefusal(
      ofUnread: unread, column, reason, isUnread(column, Identifier(column.name).quoted),
      keeping: column.type.declaration(of: .text, isOptional: !found.isNotNull))
  }

  // MARK: Values that no form reads

  private func deletionOrRefusal(
    ofUnread count: Int, _ column: TableDefinition.Column, _ reason: String, _ condition: String,
    keeping: String
  ) -> TableDifference {
    allowedDeletion(of: count, column, reason, where: condition)
      ?? refusal(
        reason,
        lines: ["\(keeping)  // keeps the values as they are", lines.deleting(column.name, count)],
        rows: .some(count))
  }

  /// Returns the SQL condition for texts that the type cannot read in any form.
  private func isUnread(_ column: TableDefinition.Column, _ name: String) -> String {
    isUnread(column, name, as: column.type.forms(in: .text).first ?? .standard)
  }

  private func isUnread(
    _ column: TableDefinition.Column, _ name: String, as form: StoredForm
  ) -> String {
    "\(name) IS NOT NULL AND NOT apus_is('\(key(of: column))', \(form.rawValue), \(name))"
  }

  // MARK: Differences

  /// Returns the differences that convert the values from their existing form to the declared one.
  private func convert(
    _ column: TableDefinition.Column, from form: StoredForm
  ) throws -> FormComparison {
    func reformed(_ name: String) -> String {
      "apus_reform('\(key(of: column))', \(form.rawValue), \(name))"
    }
    // If the options allow it, an earlier step of the plan deletes the rows with values that no
    // form can read. Such values then do not count as lost.
    let isDeleted = planner.invalidValues.deletes(declared.name, column.name)
    func isLost(_ name: String) -> String {
      "\(name) IS NOT NULL AND \(reformed(name)) IS NULL"
        + (isDeleted && form.isText(of: column.type) ? " AND NOT (\(isUnread(column, name)))" : "")
    }
    let old = names.quoted(column.name)
    let new = Identifier(column.name).quoted
    let reason =
      "\(column.name) is stored as `.\(form)` in the database and as `.\(column.type.storedForm)` in "
      + declared.model
    var differences: [TableDifference] = []
    let lost = try rows.count(where: isLost(old))
    if lost > 0 {
      let what = "\(reason), and \(lost) of its values would change"
      guard let deletion = allowedDeletion(of: lost, column, what, where: isLost(new)) else {
        let refusal = refusal(
          what + rows.example(of: column.name, where: isLost(old)),
          lines: try lines.keeping(form, column, isLost: isLost(old)), rows: .some(lost))
        return FormComparison(.refused, [refusal])
      }
      differences.append(deletion)
    }
    return FormComparison(
      .converted, differences + [change(reason), value(of: column, reformed(new))])
  }

  /// Returns a step that changes nothing, but reports how many values have another spelling than
  /// the declared form would write.
  private func note(_ look: TextSurvey, of column: TableDefinition.Column) -> TableDifference {
    let form = column.type.storedForm
    let count = look.count - look.count(writtenAs: form)
    return .kept(
      PlannedStep(
        MigrationPlan.Step(
          .keepDeclaration("the spelling of \(column.name)"), table: declared.name,
          reason: "\(count) of the \(look.count) values that were examined "
            + "\(count == 1 ? "is" : "are") not spelled as `.\(form)` writes them; they can be read, "
            + "but SQL compares their text",
          lines: look.storedLines(for: column), rowCount: count)))
  }
}
