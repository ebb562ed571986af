import SQLCore

// A schema has no parameters, so the definitions of tables, indexes, views and triggers have their
// values as literals.

extension SQL {
  /// The text with its parameters replaced by literals. Throws `QueryError` if it has fewer
  /// parameters than values.
  var declaration: String {
    get throws {
      guard !bindings.isEmpty else { return text }
      var values = bindings[...]
      var declaration = ""
      var end = 0
      let bytes = Array(text.utf8)
      for token in SQLTokens(text).tokens where token.kind == .parameter {
        guard let value = values.popFirst() else { break }
        declaration += String(decoding: bytes[end..<token.range.lowerBound], as: UTF8.self)
        declaration += try value.literal
        end = token.range.upperBound
      }
      guard values.isEmpty else {
        throw QueryError("a declaration has \(bindings.count) values but fewer parameters: \(text)")
      }
      return declaration + String(decoding: bytes[end...], as: UTF8.self)
    }
  }
}

extension ModelLayout {
  private var table: TableID { TableID(layout: number, source: TableID.declared) }

  /// Returns predicates over the table, joined by AND, as a declaration writes them; nil for an
  /// empty list.
  func declaration(of predicates: PredicateLines) throws -> String? {
    guard !predicates.nodes.isEmpty else { return nil }
    var sink = TextSink(writingLiterals: true)
    try sink.openScope(table, [], nil)
    try PredicateNode.write(all: Array(predicates.nodes), to: &sink)
    return sink.text
  }

  /// Returns an expression over the table, as a declaration writes it.
  func declaration(of expression: ExpressionNode) throws -> String {
    var sink = TextSink(writingLiterals: true)
    try sink.openScope(table, [], nil)
    try expression.write(to: &sink)
    return sink.text
  }
}

extension ModelLayout {
  /// Returns a term of an index, without its direction.
  func declaration(of term: IndexTerm) throws -> String {
    var text = try declaration(of: term.node)
    // An index term that is not a column is put in parentheses.
    if case .column = term.node {} else { text = "(\(text))" }
    if let collation = term.collation { text += " COLLATE \(collation.sql)" }
    return text
  }
}

extension Renderable {
  /// Returns the statement, as the definition of a view contains it.
  func declaration() throws -> String {
    var sink = TextSink(writingLiterals: true)
    try write(to: &sink)
    return sink.text
  }
}
