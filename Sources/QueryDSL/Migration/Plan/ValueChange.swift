import SQLCore

/// How values of one storage class become those of another, in SQL, and which of them do so without
/// loss.
///
/// A column that is not STRICT may hold any class, whatever it declares: each value is looked at.
/// - SeeAlso: <https://www.sqlite.org/lang_expr.html#castexpr>
struct ValueChange {
  let column: String
  let target: StorageClass

  /// The value as the new class has it.
  var sql: String {
    var cases = "WHEN '\(target.typeName)' THEN \(column) "
    // A cast between text and bytes would follow the encoding of the database.
    switch target {
    case .text: cases += "WHEN 'blob' THEN apus_utf8(\(column)) "
    case .blob: cases += "WHEN 'text' THEN apus_utf8(\(column)) "
    default: break
    }
    return "CASE typeof(\(column)) \(cases)ELSE CAST(\(column) AS \(target.rawValue)) END"
  }

  /// 1 where the value comes back as it was when it is turned back; NULL is none's business.
  var isLossless: String {
    let classes: [StorageClass] = [.integer, .real, .text, .blob]
    let cases = classes.filter { $0 != target }.map { old in
      "WHEN '\(old.typeName)' THEN \(condition(from: old))"
    }
    return "CASE typeof(\(column)) \(cases.joined(separator: " ")) ELSE 1 END"
  }

  /// Integers that a Double holds, each and all between them.
  private static let exact = "BETWEEN -9007199254740992 AND 9007199254740992"

  private func condition(from old: StorageClass) -> String {
    let back = "CAST(CAST(\(column) AS \(target.rawValue)) AS \(old.rawValue)) = \(column)"
    switch (old, target) {
    case (.integer, .text), (.text, .blob): return "1"
    case (.integer, .real): return "\(column) \(Self.exact)"
    case (.real, .integer): return "\(column) \(Self.exact) AND \(back)"
    case (.text, .real):
      // `5` is the text of 5.0 as well.
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
  /// As `typeof` says it.
  var typeName: String { rawValue.lowercasedASCII }
}
