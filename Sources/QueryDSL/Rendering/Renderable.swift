import SQLCore

/// A tree that can be written as a statement: a query, an insert, an update or a deletion.
package protocol Renderable {
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
  /// Returns the bytes with which a connection finds the statement in its cache. They are equal
  /// only for equal SQL.
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
  /// Lends the statement of a SELECT. Clients call this from code that is specialised for their
  /// models.
  @usableFromInline
  func lendStatement(forSelect statement: SelectStatement) throws -> StatementPointer {
    try lendStatement(for: statement)
  }

  /// Lends the statement of a query with its values bound. The statement is found by its shape, and
  /// is rendered and prepared only if the cache does not have it.
  ///
  /// The path to a cached statement has no closures, because each closure would copy the query,
  /// which is large.
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
