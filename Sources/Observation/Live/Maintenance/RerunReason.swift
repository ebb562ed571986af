import SQLCore

/// The reason why a query is fetched again after each change of what it reads.
struct RerunReason: Error {
  /// The reason as the end of a sentence that begins with "because".
  let text: String
  /// The SQL that would scan a table, if an index is missing.
  var scanningSQL: String?

  init(_ text: String, scanningSQL: String? = nil) {
    self.text = text
    self.scanningSQL = scanningSQL
  }
}
