import SQLCore

// A schema has no parameters: what a table, an index or a view declares is SQL with its values
// written as literals.

extension SQL {
  /// The text with its values in the place of their parameters; throws `QueryError` where it has
  /// not as many `?` as values.
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
        declaration += try value.databaseValue.description
        end = token.range.upperBound
      }
      guard values.isEmpty else {
        throw QueryError("a declaration has \(bindings.count) values and fewer parameters: \(text)")
      }
      return declaration + String(decoding: bytes[end...], as: UTF8.self)
    }
  }
}

extension ModelLayout {
  private var table: TableID { TableID(layout: number, source: TableID.declared) }

  /// Predicates over the table, all of which must hold, as a declaration writes them; nil where
  /// there is none.
  func declaration(of predicates: PredicateLines) throws -> String? {
    guard !predicates.nodes.isEmpty else { return nil }
    var sink = TextSink(writingLiterals: true)
    try sink.openScope(table, [], nil)
    try PredicateNode.write(all: Array(predicates.nodes), to: &sink)
    return sink.text
  }

  /// An expression over the table, as a declaration writes it.
  func declaration(of expression: ExpressionNode) throws -> String {
    var sink = TextSink(writingLiterals: true)
    try sink.openScope(table, [], nil)
    try expression.write(to: &sink)
    return sink.text
  }
}

extension ModelLayout {
  /// A term of an index, without its direction.
  func declaration(of term: IndexTerm) throws -> String {
    var text = try declaration(of: term.node)
    // A lone expression in an index stands in parentheses where it is no function.
    if case .column = term.node {} else { text = "(\(text))" }
    if let collation = term.collation { text += " COLLATE \(collation.sql)" }
    return text
  }
}

extension Renderable {
  /// The statement, as the definition of a view has it.
  func declaration() throws -> String {
    var sink = TextSink(writingLiterals: true)
    try write(to: &sink)
    return sink.text
  }
}
