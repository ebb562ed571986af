import SQLCore

/// A tree that can be written as a statement: a query, an insert, an update or a deletion.
package protocol Renderable: StatementSource {
  func write<Sink: QuerySink>(to sink: inout Sink) throws
}

extension Renderable {
  /// Returns the SQL and its values.
  package func rendered() throws -> SQL {
    var sink = TextSink()
    try write(to: &sink)
    return SQL(text: sink.text, bindings: sink.bindings)
  }
}

extension Renderable {
  package func statementText() throws -> String {
    try rendered().text
  }

  /// Returns the bytes with which a connection finds the statement in its cache. They are equal
  /// only for equal SQL.
  package func shape() throws -> [UInt8] {
    var sink = ShapeSink(StatementDraft())
    defer { sink.draft.deallocate() }
    try write(to: &sink)
    return Array(sink.draft.key.bytes)
  }
}

extension ConnectionCore {
  /// Lends the statement of a query with its values bound. The shape is written here, and not in
  /// `SQLCore`, so that the code is specialised for the query.
  package func lendStatement(for query: some Renderable) throws -> StatementPointer {
    var sink = ShapeSink(beginDraft())
    do {
      try query.write(to: &sink)
    } catch {
      discard(sink.draft)
      throw error
    }
    return try lendStatement(of: sink.draft, for: query)
  }

  /// Lends the statement of a SELECT. Clients call this from code that is specialised for their
  /// models.
  @usableFromInline
  func lendStatement(forSelect statement: SelectStatement) throws -> StatementPointer {
    try lendStatement(for: statement)
  }
}
