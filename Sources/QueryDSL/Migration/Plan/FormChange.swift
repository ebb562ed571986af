import SQLCore

/// How values of one form of a type become those of another, in SQL, and which of them can be read
/// at all: a date in another form is another number or text, and a cast would not know it.
struct FormChange {
  let column: String
  /// The literal by which the functions of a migration find the declared column.
  let key: String
  let target: StorageClass
  /// The class for which the declared type stands; nil for a type such as DATETIME.
  let oldClass: StorageClass?
  /// Whether Apus made the table, and an integer that is a date is microseconds.
  let isOwn: Bool

  private var isNumber: String { "typeof(\(column)) IN ('integer', 'real')" }

  /// The value in the declared form.
  var sql: String {
    let form = "apus_form('\(key)', \(column))"
    guard keepsNumbers else { return form }
    return "CASE WHEN \(isNumber) THEN CAST(\(column) AS REAL) ELSE \(form) END"
  }

  /// 1 where the value is none of the type, in the form of its storage class.
  var isUnreadable: String {
    let form = "NOT apus_has_form('\(key)', \(column))"
    guard oldClass == nil else {
      return isOwn ? form : "CASE WHEN \(isOtherCount) THEN 1 ELSE \(form) END"
    }
    let number = keepsNumbers ? "NOT apus_reads('\(key)', \(column))" : "1"
    return "CASE WHEN \(isNumber) THEN \(number) ELSE \(form) END"
  }

  /// Whether an integer is a date between 1971 and 2200 as seconds or milliseconds, and in 1970 as
  /// microseconds: another program wrote it.
  private var isOtherCount: String {
    let (first, last) = (31_536_000, 7_258_118_400)
    return "typeof(\(column)) = 'integer' AND (\(column) BETWEEN \(first) AND \(last) "
      + "OR \(column) BETWEEN \(first)000 AND \(last)000)"
  }

  /// Where the declared type stands for no class, a number may be in any form: seconds,
  /// milliseconds, days. It is what a schema declares for it where that is one of the forms in a
  /// REAL, and the standard form, which nobody declares, is no word for it.
  private var keepsNumbers: Bool { oldClass == nil && target == .real }
}
