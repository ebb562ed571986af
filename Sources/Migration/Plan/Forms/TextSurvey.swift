import QueryDSL
import SQLCore

/// Counts and examples of the texts of a column, from one scan of the table.
struct TextSurvey {
  /// The number of values, without NULL.
  private(set) var count = 0
  /// The number of values that the type reads.
  private(set) var readCount = 0
  /// The number of values that the type cannot read and that are numbers.
  private(set) var numberCount = 0
  /// For each form, the number of values with exactly the text that the form would write.
  private var writtenCounts: [StoredForm: Int] = [:]
  /// For each family of forms, the number of dates in this family. The forms of a family differ
  /// only in the number of fractional digits. A date in any other spelling belongs to no family.
  private var familyCounts: [StoredForm: Int] = [:]
  /// The number of dates with an offset from UTC.
  private var offsetCount = 0
  /// The number of values that lose precision in the declared form.
  private var roundedCount = 0
  /// The first value that the type cannot read, with its row, such as `row 3: 'soon'`.
  private(set) var firstUnread: String?
  /// The first value that has another form than the declared one, with its row. For dates as text,
  /// another number of fractional digits does not count as another form.
  private(set) var firstOther: String?
  private let forms: [StoredForm]

  init(of column: TableDefinition.Column, in rows: RowProbe) throws {
    forms = column.type.forms(in: .text)
    let declared = column.type.storedForm
    try rows.forEachValue(of: column.name) { value, row in
      add(value, of: column.type, declared, row: row)
    }
  }

  /// - Parameter value: nil if the text is not UTF-8.
  private mutating func add(
    _ value: DatabaseValue?, of type: ColumnType, _ declared: StoredForm, row: DatabaseValue
  ) {
    count += 1
    guard let value, case .text(let text) = value, let form = forms.first,
      type.reads(value, as: form)
    else {
      if case .text(let text)? = value, text.isPlainNumber { numberCount += 1 }
      let text = value?.description ?? "text that is not UTF-8"
      firstUnread = firstUnread ?? "row \(row): \(text.excerpt)"
      return
    }
    readCount += 1
    if type.converted(value, from: form) == nil { roundedCount += 1 }
    for form in forms where type.isWritten(value, as: form) { writtenCounts[form, default: 0] += 1 }
    let spelling = forms.contains(.iso8601) ? DateSpelling(of: text) : nil
    if let family = spelling?.family { familyCounts[family, default: 0] += 1 }
    if spelling?.hasOffset == true { offsetCount += 1 }
    guard firstOther == nil else { return }
    let isOther =
      declared.family.map { $0 != spelling?.family } ?? !type.isWritten(value, as: declared)
    if isOther { firstOther = "row \(row): \(value.description.excerpt)" }
  }

  func count(writtenAs form: StoredForm) -> Int { writtenCounts[form] ?? 0 }

  func isWritten(as form: StoredForm) -> Bool { count(writtenAs: form) == readCount }

  /// The forms that would write each value with exactly its present text.
  var exactForms: [StoredForm] { forms.filter(isWritten) }

  /// The family to which all dates belong; nil if the dates have several families, or if a date has
  /// none. In one family, the order of the texts is the order of the dates, to the second.
  private var family: StoredForm? { familyCounts.first { $0.value == readCount }?.key }

  /// Returns the form in which to read the values; nil if the form would be a guess.
  ///
  /// - For values of the declared storage class: the declared form, if it writes the values in the
  ///   same way, except for fractional digits.
  /// - For dates of another storage class: `.iso8601`, if it writes all of them in the same way.
  /// - For other types of another storage class: `.standard`.
  func form(of column: TableDefinition.Column, isSameClass: Bool) -> StoredForm? {
    let declared = column.type.storedForm
    let isDate = forms.contains(.iso8601)
    if isSameClass {
      if isWritten(as: declared) { return declared }
      guard isDate, let family else { return nil }
      return family == declared.family ? declared : nil
    }
    if isDate { return isWritten(as: .iso8601) ? .iso8601 : nil }
    return .standard
  }

  // MARK: Lines to paste

  /// Returns the lines, such as `Stored(\.$seen, as: .iso8601)`, that declare the form of the
  /// values.
  func storedLines(for column: TableDefinition.Column) -> [String] {
    let declared = column.type.storedForm
    let exact = exactForms.filter { $0 != declared }
    if !exact.isEmpty { return exact.map { "Stored(\(column.type.path), as: .\($0))" } }
    guard exactForms.isEmpty, forms.contains(.iso8601), let family, family != declared.family else {
      return []
    }
    return ["Stored(\(column.type.path), as: .\(family))"]
  }

  /// Returns the lines to paste if the texts do not have the declared form. A line rewrites the
  /// texts in this form. If the rewriting would lose a part of them, such as an offset from UTC or
  /// fractional digits, a line before it declares a property that keeps the texts as they are.
  func convertedLines(
    for column: TableDefinition.Column, _ found: ExistingTable.Column
  ) -> [String] {
    let form = exactForms.first ?? (forms.contains(.iso8601) ? family ?? .iso8601 : .standard)
    let line = column.type.convertedLine(from: form, allowsNull: !found.isNotNull)
    let lost = [(offsetCount, "offset"), (roundedCount, "fraction")].compactMap { count, what in
      count == 0 ? nil : "\(count) \(what)\(count == 1 ? "" : "s")"
    }
    guard !lost.isEmpty else { return [line] }
    let keeping = column.type.declaration(
      of: .text, isOptional: !found.isNotNull)
    return [
      "\(keeping)  // keeps the values as they are",
      "\(line)  // loses \(lost.joined(separator: " and "))",
    ]
  }
}

/// The spelling of a date in a text.
private struct DateSpelling {
  /// The form that spells dates in this way, except for the number of fractional digits: `.iso8601`
  /// or `.datetime`. Nil if the text lacks the time or the seconds, if it has an offset from UTC,
  /// or if no form combines the separator and the zone in this way.
  ///
  /// All texts of a family have the seconds at the same place. A text without seconds would be
  /// sorted wrongly among them: `2026-01-01T10:00:30Z` comes before `2026-01-01T10:00Z`, because
  /// SQL compares the `:` with the `Z`.
  let family: StoredForm?
  let hasOffset: Bool

  /// - Parameter text: a text that `Date` can read.
  init(of text: String) {
    // `T10:50:00.123Z`; empty if the text has no time
    let time = text.utf8.dropFirst(10)
    hasOffset = time.contains { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-") }
    let hasSeconds = time.dropFirst(6).first == UInt8(ascii: ":")
    let hasLetter = time.first == UInt8(ascii: "T")
    let hasZone = time.last == UInt8(ascii: "Z")
    let form: StoredForm = hasLetter ? .iso8601 : .datetime
    family = hasSeconds && !hasOffset && hasLetter == hasZone ? form : nil
  }
}

extension String {
  /// The text, shortened if it is long.
  var excerpt: String { count <= 60 ? self : prefix(50) + "…" }
}

extension StoredForm {
  /// The form that stands for all forms which differ only in the number of fractional digits, such
  /// as `.iso8601` for `.iso8601Seconds`. Nil for forms that do not write dates as text.
  fileprivate var family: StoredForm? {
    switch self {
    case .iso8601, .iso8601Milliseconds, .iso8601Seconds: .iso8601
    case .datetime, .datetimeSeconds: .datetime
    default: nil
    }
  }
}
