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
    key.begin(.shape)
    var sink = ShapeSink(key: key, values: BoundValues())
    defer {
      sink.key.deallocate()
      sink.values.deallocate()
    }
    try write(to: &sink)
    return Array(sink.key.bytes)
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
  ///
  /// Without closures on the way to a statement that is known: a query is large, and each closure
  /// would copy it.
  package func lendStatement(for query: some Renderable) throws -> StatementPointer {
    var sink = ShapeSink(key: beginShape(), values: takeValues())
    do {
      try query.write(to: &sink)
    } catch {
      put(key: sink.key)
      put(values: sink.values)
      throw error
    }
    put(key: sink.key)
    defer { put(values: sink.values) }
    let statement = try lendKnownStatement() ?? lendNewStatement(of: query)
    #if DEBUG
      try checkText(of: statement) { try query.rendered().text }
    #endif
    do {
      try sink.values.bind(to: statement, on: self)
      return statement
    } catch {
      giveBack(statement)
      throw error
    }
  }

  @inline(never)
  private func lendNewStatement(of query: some Renderable) throws -> StatementPointer {
    try lendNewStatement { try query.rendered().text }
  }
}
