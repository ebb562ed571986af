import SQLCore

// The form of a column is recorded in the database file as a comment in the column's definition:
//
//     "seen" REAL /* unixSeconds */ NOT NULL
//
// SQLite keeps the text of a definition even when ALTER TABLE adds, renames or drops a column or
// renames the table. So the form stays with the column, and the `sqlite3` shell shows it.
// https://www.sqlite.org/schematab.html
//
// Only a statement that writes the definition of a column anyway (CREATE TABLE, ADD COLUMN, a
// rebuild) writes the comment. A table that another program made keeps its definition, because that
// program may compare the text: GRDB's `eraseDatabaseOnSchemaChange` erases a database whose
// definitions differ from its own.

extension StoredForm {
  /// The form that a comment names; nil for any other comment.
  init?(comment: some StringProtocol) {
    guard let form = Self.allCases.first(where: { comment == "\($0)" }) else { return nil }
    self = form
  }

  /// `/* unixSeconds */`
  var comment: String { "/* \(self) */" }
}

extension SQLTokens {
  /// Returns the form that a comment names, among the tokens of a range or right after them.
  func rememberedForm(in range: Range<Int>) -> StoredForm? {
    for index in range {
      let end = index + 1 < tokens.count ? tokens[index + 1].range.lowerBound : bytes.count
      let gap = String(decoding: bytes[tokens[index].range.upperBound..<end], as: UTF8.self)
      // Somebody may have written comments of their own beside it.
      var rest = gap[...]
      while let open = rest.firstRange(of: "/*"),
        let close = rest[open.upperBound...].firstRange(of: "*/")
      {
        let words = rest[open.upperBound..<close.lowerBound].split(separator: " ")
        if words.count == 1, let form = StoredForm(comment: words[0]) { return form }
        rest = rest[close.upperBound...]
      }
    }
    return nil
  }
}
