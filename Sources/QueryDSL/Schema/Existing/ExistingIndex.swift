import SQLCore

/// An existing index, as its definition describes it.
package struct ExistingIndex {
  package let name: String
  package let sql: String
  package let isUnique: Bool
  /// Whether the definition has the comment `/* Apus */`, which marks an index with a declared
  /// name.
  package let isMarked: Bool
  /// The tokens of the indexed terms, normalised for comparison.
  package var terms: [String]
  package var condition: [String]

  package init(name: String, sql: String) {
    self.name = name
    self.sql = sql
    let text = SQLTokens(sql)
    isUnique = text.tokens.dropFirst().first?.isWord("unique") ?? false
    // CREATE UNIQUE INDEX "name" /* Apus */ ON …
    isMarked =
      text.comments(before: isUnique ? 4 : 3).first?.text == SQLComment.mark
    var depth = 0
    var open: Int?
    var close = text.tokens.endIndex
    for (index, token) in text.tokens.enumerated() {
      if token.isSign("(") {
        depth += 1
        open = open ?? index
      } else if token.isSign(")") {
        depth -= 1
        if depth == 0 {
          close = index
          break
        }
      }
    }
    terms = text.tokens[min((open ?? -1) + 1, close)..<close].map(\.normal)
    let condition = text.tokens[close...].dropFirst()
    self.condition = condition.first?.isWord("where") == true ? condition.dropFirst().normal : []
    // ASC is the default, so it is left out of the comparison.
    var plain: [String] = []
    for (index, term) in terms.enumerated() {
      let isLast = index + 1 == terms.count || terms[index + 1] == ","
      if !(term == "asc" && isLast) { plain.append(term) }
    }
    terms = plain
  }

  /// The columns of the index; nil if the index has expressions, collations or directions.
  package var plainColumns: [String]? {
    let parts = terms.split(separator: ",")
    return parts.allSatisfy { $0.count == 1 } ? parts.map { $0[$0.startIndex] } : nil
  }

  /// Returns whether the index names a column. The argument must be in lower case.
  package func mentions(_ column: String) -> Bool {
    terms.contains(column) || condition.contains(column)
  }

  package mutating func rename(_ column: String, to name: String) {
    let folded = column.lowercasedASCII
    terms = terms.map { $0 == folded ? name.lowercasedASCII : $0 }
    condition = condition.map { $0 == folded ? name.lowercasedASCII : $0 }
  }
}

/// A unique constraint in SQL: its columns or expressions, and the condition of a partial index.
struct UniqueConstraint {
  /// The SQL of each column or expression.
  let terms: [String]
  /// The condition of a partial index.
  var condition: String?
}

extension ExistingIndex {
  /// Returns the terms and the condition of an index, in the spelling that the definition of the
  /// index has.
  static func constraint(in sql: String) -> UniqueConstraint {
    let text = SQLTokens(sql)
    var terms: [String] = []
    var depth = 0
    var start = 0
    for (index, token) in text.tokens.enumerated() {
      if token.isSign("(") {
        depth += 1
        if depth == 1 { start = index + 1 }
      } else if token.isSign(")") {
        depth -= 1
      }
      guard depth == 0 && token.isSign(")") || depth == 1 && token.isSign(",") else { continue }
      var term = text.tokens[start..<index]
      if let last = term.last, last.isWord("asc") || last.isWord("desc") { term = term.dropLast() }
      terms.append(text.text(term))
      start = index + 1
      guard depth == 0 else { continue }
      let condition = text.tokens[(index + 1)...]
      return UniqueConstraint(
        terms: terms,
        condition: condition.first?.isWord("where") == true
          ? text.text(condition.dropFirst()) : nil)
    }
    return UniqueConstraint(terms: terms)
  }
}
