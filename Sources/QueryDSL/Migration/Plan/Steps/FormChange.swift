import SQLCore

/// The SQL that converts values of a type between its stored forms, and finds those that cannot be
/// read. A cast does not do this: the same date is a different number or text in each form.
struct FormChange {
  let column: String
  /// The key with which the migration's SQL functions find the declared column.
  let key: String
  let target: StorageClass
  /// The storage class of the existing declared type; nil for a type such as DATETIME, which has
  /// none.
  let oldClass: StorageClass?
  /// Whether Apus made the table, so that an integer date counts microseconds.
  let isOwn: Bool

  private var isNumber: String { "typeof(\(column)) IN ('integer', 'real')" }

  /// The SQL of the value in the declared form.
  var sql: String {
    let form = "apus_form('\(key)', \(column))"
    guard keepsNumbers else { return form }
    return "CASE WHEN \(isNumber) THEN CAST(\(column) AS REAL) ELSE \(form) END"
  }

  /// An SQL expression that is 1 if the type cannot read the value in the form of its storage
  /// class.
  var isUnreadable: String {
    let form = "NOT apus_has_form('\(key)', \(column))"
    guard oldClass == nil else {
      return isOwn ? form : "CASE WHEN \(isOtherCount) THEN 1 ELSE \(form) END"
    }
    let number = keepsNumbers ? "NOT apus_reads('\(key)', \(column))" : "1"
    return "CASE WHEN \(isNumber) THEN \(number) ELSE \(form) END"
  }

  /// An SQL condition for integers that are dates between 1971 and 2200 if they count seconds or
  /// milliseconds, but dates in 1970 if they count microseconds. Another program wrote those.
  private var isOtherCount: String {
    let (first, last) = (31_536_000, 7_258_118_400)
    return "typeof(\(column)) = 'integer' AND (\(column) BETWEEN \(first) AND \(last) "
      + "OR \(column) BETWEEN \(first)000 AND \(last)000)"
  }

  /// Whether numbers are taken to have the declared form.
  ///
  /// If the existing declared type has no storage class, its numbers may count anything: seconds,
  /// milliseconds, days. A declared form that is stored as REAL says which. The standard form says
  /// nothing about them, because it is not declared.
  private var keepsNumbers: Bool { oldClass == nil && target == .real }
}
