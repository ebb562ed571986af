import SQLCore

// The form of a column is recorded in the database file as a comment in the column's definition:
//
//     "seen" REAL /* unixSeconds */ NOT NULL
//
// SQLite keeps the text of a definition even when ALTER TABLE adds, renames or drops a column or
// renames the table. So the form stays with the column, and the `sqlite3` shell shows it.
// https://www.sqlite.org/schematab.html

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

extension ExistingTable {
  /// Returns the definition with a comment that records the form of a column; nil if the column is
  /// not found or has one already.
  ///
  /// The comment follows the type, or the name of a column without a type.
  func sql(remembering form: StoredForm, of name: String) -> String? {
    guard let column = column(name), column.form == nil, let end = column.typeEnd else {
      return nil
    }
    let bytes = Array(sql.utf8)
    return String(decoding: bytes[..<end], as: UTF8.self) + " " + form.comment
      + String(decoding: bytes[end...], as: UTF8.self)
  }
}

/// A change of a table's definition that records the forms of columns. It touches no row.
///
/// SQLite documents this method for changes that affect only the text of a definition. The text
/// with the comment has the same meaning, so no connection needs to read the schema again.
/// - SeeAlso: <https://www.sqlite.org/lang_altertable.html#otheralter>
struct FormMemory {
  let table: String
  let forms: [(column: String, form: StoredForm)]

  func write(on core: ConnectionCore) throws {
    let connection = core.lend()
    for (column, form) in forms {
      guard let existing = try ExistingSchema(of: connection).table(table),
        let sql = existing.sql(remembering: form, of: column),
        SQLTokens(sql).tokens.map(\.value) == SQLTokens(existing.sql).tokens.map(\.value)
      else { continue }
      try core.replaceDefinition(ofTable: existing.name, by: sql)
    }
  }

  /// Returns the reason that a plan prints for the step.
  func reason(_ column: String, _ form: StoredForm) -> String {
    "its values have the form `.\(form)`, and the definition of the table will say so"
  }
}
