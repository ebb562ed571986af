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
      return isOwn ? form : "CASE WHEN \(DateNumbers.isOtherCount(column)) THEN 1 ELSE \(form) END"
    }
    let number = keepsNumbers ? "NOT apus_reads('\(key)', \(column))" : "1"
    return "CASE WHEN \(isNumber) THEN \(number) ELSE \(form) END"
  }

  /// Whether numbers are taken to have the declared form.
  ///
  /// If the existing declared type has no storage class, its numbers may count anything: seconds,
  /// milliseconds, days. A declared form that is stored as REAL says which. The standard form says
  /// nothing about them, because it is not declared.
  private var keepsNumbers: Bool { oldClass == nil && target == .real }
}
