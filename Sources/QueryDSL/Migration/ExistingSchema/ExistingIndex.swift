import SQLCore

/// An existing index, as its definition describes it.
struct ExistingIndex {
  let name: String
  let sql: String
  let isUnique: Bool
  /// Whether the definition has the mark of an index whose name the schema declared.
  let isMarked: Bool
  /// The indexed terms and the WHERE clause as normalised tokens, for comparison.
  var terms: [String]
  var condition: [String]

  init(name: String, sql: String) {
    self.name = name
    self.sql = sql
    let text = SQLTokens(sql)
    isUnique = text.tokens.dropFirst().first?.isWord("unique") ?? false
    // CREATE UNIQUE INDEX "name" /* Apus */ ON …
    isMarked =
      text.comments(before: isUnique ? 4 : 3).first?.text == TableDefinition.Index.mark
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

  /// The columns of the index; nil if it has expressions, collations or directions.
  var plainColumns: [String]? {
    let parts = terms.split(separator: ",")
    return parts.allSatisfy { $0.count == 1 } ? parts.map { $0[$0.startIndex] } : nil
  }

  /// Whether the index names a column, which is given in lower case.
  func mentions(_ column: String) -> Bool { terms.contains(column) || condition.contains(column) }

  mutating func rename(_ column: String, to name: String) {
    let folded = column.lowercasedASCII
    terms = terms.map { $0 == folded ? name.lowercasedASCII : $0 }
    condition = condition.map { $0 == folded ? name.lowercasedASCII : $0 }
  }
}
