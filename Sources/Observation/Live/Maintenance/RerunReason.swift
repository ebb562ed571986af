import SQLCore

/// The reason why a query is fetched again after each change of what it reads.
struct RerunReason: Error {
  /// The reason as the end of a sentence that begins with "because".
  let text: String
  /// The statements that would scan a table, if indexes are missing.
  var scanningSQL: [String]

  init(_ text: String, scanningSQL: [String] = []) {
    self.text = text
    self.scanningSQL = scanningSQL
  }
}
