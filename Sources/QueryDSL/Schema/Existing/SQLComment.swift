import SQLCore

/// A comment in SQL text.
package struct SQLComment: Hashable {
  /// The comment after the name of an object that the library created. By this comment, a migration
  /// recognises an object that it may drop.
  static let mark = "/* Apus */"
  /// The comment after the name of a trigger that writes the change log.
  package static let logMark = "/* Apus log */"

  /// The comment with its delimiters, without the newline.
  package let text: String
  /// Whether a line break separates the comment from the token before it.
  let isOnLineBelow: Bool

  /// Whether the comment begins with `--`, so that it ends at the next newline.
  package var endsWithLine: Bool { text.hasPrefix("--") }
}

extension SQLTokens {
  /// Returns the comments between the token at `index` and the token before it. If `index` is the
  /// number of tokens, returns the comments at the end of the text.
  func comments(before index: Int) -> [SQLComment] {
    let start = index == 0 ? 0 : tokens[index - 1].range.upperBound
    let end = index < tokens.count ? tokens[index].range.lowerBound : bytes.count
    var comments: [SQLComment] = []
    var position = start
    var isOnLineBelow = false
    while position < end {
      let first = position
      guard skipComment(&position) else {
        if bytes[position] == 0x0A { isOnLineBelow = true }
        position += 1
        continue
      }
      let text = String(decoding: bytes[first..<position], as: UTF8.self)
      comments.append(SQLComment(text: text, isOnLineBelow: isOnLineBelow))
    }
    return comments
  }
}

extension [SQLComment] {
  /// The comments as text to write before other SQL on the same line. After a comment that begins
  /// with `--`, a new line begins.
  package var inline: String {
    map { $0.endsWithLine ? "\($0.text)\n    " : "\($0.text) " }.joined()
  }

  /// The comments, each on its own line, as text to write above a column or constraint.
  package var above: String { map { "\($0.text)\n  " }.joined() }

  /// The comments as text to write after other SQL, at the end of a line. If the last comment
  /// begins with `--`, the caller must add a newline.
  package var trailing: String {
    var text = ""
    var isAfterLine = false
    for comment in self {
      text += (isAfterLine ? "\n  " : " ") + comment.text
      isAfterLine = comment.endsWithLine
    }
    return text
  }
}

// The stored form of a column is recorded as a comment in the column's definition in the file:
//
//     "seen" REAL /* unixSeconds */ NOT NULL
//
// SQLite keeps the text of a definition even when ALTER TABLE adds, renames or drops a column or
// renames the table. So the stored form stays with the column, and is visible in the `sqlite3`
// shell.
// https://www.sqlite.org/schematab.html
//
// The comment is written only by a statement that must write the definition of a column: CREATE
// TABLE, ADD COLUMN or a rebuild. A table that another program made keeps its definition, because
// that program may compare the text. For example, GRDB's `eraseDatabaseOnSchemaChange` erases a
// database whose definitions differ from its own.

extension StoredForm {
  /// The form whose name is the text of a comment, such as `unixSeconds`; nil for any other text.
  package init?(comment: some StringProtocol) {
    guard let form = Self.allCases.first(where: { comment == "\($0)" }) else { return nil }
    self = form
  }

  /// `/* unixSeconds */`
  package var comment: String { "/* \(self) */" }
}

extension SQLTokens {
  /// Looks for the name of a stored form in the comments between the tokens of `range` and directly
  /// after them. Returns the first stored form that a comment names; nil if no comment names one.
  func rememberedForm(in range: Range<Int>) -> StoredForm? {
    for index in range {
      let end = index + 1 < tokens.count ? tokens[index + 1].range.lowerBound : bytes.count
      let gap = String(decoding: bytes[tokens[index].range.upperBound..<end], as: UTF8.self)
      // The user may have written other comments beside the comment with the form.
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
