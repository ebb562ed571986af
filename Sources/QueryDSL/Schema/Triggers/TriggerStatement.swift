import SQLCore

/// A line of a trigger; programs do not make it directly.
public struct TriggerStatement {
  /// Returns the SQL of one or more statements. The argument is an empty sink that has the rows of
  /// the trigger in scope.
  let texts: (TextSink) throws -> [String]

  init(texts: @escaping (TextSink) throws -> [String]) {
    self.texts = texts
  }

  init(_ statement: some Renderable) {
    texts = { try [$0.text(of: statement)] }
  }

  init(_ sql: SQLFragment) {
    texts = { sink in
      var sink = sink
      try sql.node.write(to: &sink)
      // A semicolon or a comment at the end would hide the one that ends the statement.
      let sql = SQLTokens(sink.text)
      var tokens = sql.tokens[...]
      while tokens.last?.isSign(";") == true { tokens.removeLast() }
      guard !tokens.isEmpty else { throw QueryError("a statement in SQL is empty") }
      return [sql.text(tokens)]
    }
  }
}

extension Insert {
  /// Returns one statement for each model, or the single statement of another insert.
  func texts(inTriggerOf sink: TextSink) throws -> [String] {
    var texts: [String] = []
    if case .models(let models) = source {
      try forEach(of: models, M.layout) { model, _ in
        texts.append(try sink.text(of: try statement(for: model)))
      }
    } else {
      texts.append(try sink.text(of: statement()))
    }
    if texts.contains(where: { $0.hasSuffix(" DEFAULT VALUES") }) {
      throw QueryError(
        "a trigger cannot insert a row of only default values into \(M.tableName); set a column")
    }
    return texts
  }
}

extension TextSink {
  fileprivate func text(of statement: some Renderable) throws -> String {
    var sink = self
    try statement.write(to: &sink)
    return sink.text
  }
}
