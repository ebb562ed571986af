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

extension Renderable {
  /// The bytes by which a connection finds the statement again; equal for equal SQL alone.
  package func shape() throws -> [UInt8] {
    var key = StatementKey()
    defer { key.deallocate() }
    key.begin(.shape)
    var values = BoundValues()
    try ShapeSink.write(into: &key, values: &values) { try write(to: &$0) }
    return Array(key.bytes)
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
    try lendStatement(
      shape: { key, values in
        try ShapeSink.write(into: &key, values: &values) { try query.write(to: &$0) }
      },
      sql: { try query.rendered().text })
  }
}
