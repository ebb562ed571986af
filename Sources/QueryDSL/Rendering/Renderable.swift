import SQLCore

/// What can be written as a statement: a query, an update, a deletion.
package protocol Renderable {
  func write<Sink: QuerySink>(to sink: inout Sink) throws
}

extension Renderable {
  /// The SQL and its values.
  package func rendered() throws -> SQL {
    var sink = TextSink()
    try write(to: &sink)
    return SQL(text: sink.text, bindings: sink.bindings)
  }
}

extension ConnectionCore {
  /// The same for a SELECT, which clients call from code that they compile for their model.
  @usableFromInline
  func lendStatement(forSelect statement: SelectStatement) throws -> StatementPointer {
    try lendStatement(for: statement)
  }

  /// Lends the statement of a query, its values bound: found by its shape, rendered and prepared
  /// only where the cache has none.
  package func lendStatement(for query: some Renderable) throws -> StatementPointer {
    let statement = try lendStatement(
      shape: { key in try ShapeSink.write(into: &key) { try query.write(to: &$0) } },
      sql: { try query.rendered().text })
    do {
      var sink = BindingSink(core: self, statement: statement)
      try query.write(to: &sink)
      return statement
    } catch {
      giveBack(statement)
      throw error
    }
  }
}
