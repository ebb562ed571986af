import SQLCore

/// How values of one form of a type become those of another, in SQL, and which of them can be read at
/// all: a date in another form is another number or text, and a cast would not know it.
struct FormChange {
  let column: String
  /// The literal by which the functions of a migration find the declared column.
  let key: String
  let target: StorageClass
  /// The class for which the declared type stands; nil for a type such as DATETIME.
  let oldClass: StorageClass?

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
    guard oldClass == nil else { return form }
    let number = keepsNumbers ? "NOT apus_reads('\(key)', \(column))" : "1"
    return "CASE WHEN \(isNumber) THEN \(number) ELSE \(form) END"
  }

  /// Where the declared type stands for no class, a number may be in any form: seconds, milliseconds,
  /// days. It is what a schema declares for it where that is one of the forms in a REAL, and the
  /// standard form, which nobody declares, is no word for it.
  private var keepsNumbers: Bool { oldClass == nil && target == .real }
}
