import QueryDSL
import SQLCore

/// The SQL that converts values to another storage class, and the SQL that finds values that the
/// conversion would change.
///
/// A column of a table that is not STRICT may hold values of any class, whatever type the column
/// declares. Therefore each value is examined.
/// - SeeAlso: <https://www.sqlite.org/lang_expr.html#castexpr>
struct ValueChange {
  let column: String
  let target: StorageClass

  /// The SQL of the value in the new class.
  var sql: String {
    var cases = "WHEN '\(target.typeName)' THEN \(column) "
    // CAST converts between text and bytes in the encoding of the database, which may be UTF-16.
    // The function `apus_utf8` always uses UTF-8.
    switch target {
    case .text: cases += "WHEN 'blob' THEN apus_utf8(\(column)) "
    case .blob: cases += "WHEN 'text' THEN apus_utf8(\(column)) "
    default: break
    }
    return "CASE typeof(\(column)) \(cases)ELSE CAST(\(column) AS \(target.rawValue)) END"
  }

  /// An SQL expression that is 1 if converting the value and converting it back gives the same
  /// value, or if the value is NULL.
  var isLossless: String {
    let classes: [StorageClass] = [.integer, .real, .text, .blob]
    let cases = classes.filter { $0 != target }.map { old in
      "WHEN '\(old.typeName)' THEN \(condition(from: old))"
    }
    return "CASE typeof(\(column)) \(cases.joined(separator: " ")) ELSE 1 END"
  }

  /// The range in which a Double holds every integer exactly.
  private static let exact = "BETWEEN -9007199254740992 AND 9007199254740992"

  private func condition(from old: StorageClass) -> String {
    let back = "CAST(CAST(\(column) AS \(target.rawValue)) AS \(old.rawValue)) = \(column)"
    switch (old, target) {
    case (.integer, .text), (.text, .blob): return "1"
    case (.integer, .real): return "\(column) \(Self.exact)"
    case (.real, .integer): return "\(column) \(Self.exact) AND \(back)"
    case (.text, .real):
      // The text `5` becomes 5.0, which CAST converts back to `5.0`. The conversion loses nothing,
      // so a text of an integer is compared as an integer.
      return "(\(back) COLLATE BINARY OR CAST(CAST(\(column) AS INTEGER) AS TEXT) = \(column) "
        + "COLLATE BINARY AND CAST(\(column) AS INTEGER) \(Self.exact))"
    case (.text, .integer): return "\(back) COLLATE BINARY"
    case (.real, .text): return back
    case (.blob, .text): return "apus_is_utf8(\(column))"
    default: return "0"
    }
  }
}

extension StorageClass {
  /// The class as `typeof` names it.
  var typeName: String { rawValue.lowercasedASCII }
}

/// The SQL that converts values of a type between its stored forms, and the SQL that finds values
/// that cannot be read. A cast is not enough, because the same date is a different number or text
/// in each form.
struct FormChange {
  let column: String
  /// The key by which the migration's SQL functions find the declared column, such as
  /// `4 post.title`.
  let key: String
  let target: StorageClass
  /// The storage class of the existing declared type; nil for a type without a class, such as
  /// DATETIME.
  let oldClass: StorageClass?
  /// Whether Apus made the table. In such a table, an integer that stands for a date counts
  /// microseconds.
  let isOwn: Bool

  private var isNumber: String { "typeof(\(column)) IN ('integer', 'real')" }

  /// The SQL of the value in the declared form.
  var sql: String {
    let form = "apus_form('\(key)', \(column))"
    guard keepsNumbers else { return form }
    return "CASE WHEN \(isNumber) THEN CAST(\(column) AS REAL) ELSE \(form) END"
  }

  /// An SQL expression that is 1 if the type cannot read the value in the form that belongs to the
  /// value's storage class.
  var isUnreadable: String {
    let form = "NOT apus_has_form('\(key)', \(column))"
    guard oldClass == nil else {
      return isOwn ? form : "CASE WHEN \(DateNumbers.isOtherCount(column)) THEN 1 ELSE \(form) END"
    }
    let number = keepsNumbers ? "NOT apus_reads('\(key)', \(column))" : "1"
    return "CASE WHEN \(isNumber) THEN \(number) ELSE \(form) END"
  }

  /// Whether numbers are assumed to have the declared form already.
  ///
  /// If the existing declared type has no storage class, its numbers may count seconds,
  /// milliseconds or days. If the declared form is stored as REAL, it says which unit the numbers
  /// have. The standard form does not say so, because a column has it without a declaration.
  private var keepsNumbers: Bool { oldClass == nil && target == .real }
}
