import SQLCore

/// A tree that can be written as a statement: a query, an insert, an update or a deletion.
///
/// The tree writes itself as a shape: a compact form of the SQL, separate from the bound values. A
/// connection uses the shape to find a statement that it has already prepared. If no such statement
/// exists, the connection makes the SQL from the shape and prepares it.
package protocol Renderable {
  func write(to writer: inout ShapeWriter) throws
}

extension Renderable {
  /// Returns the shape of the tree, together with the values to bind.
  package func shape() throws -> Shape {
    try Shape { try write(to: &$0) }
  }

  /// Returns the SQL and its values.
  package func rendered() throws -> SQL {
    let shape = try shape()
    return SQL(text: try shape.text(), bindings: shape.values)
  }

  /// Returns the SQL for the definition of a view, with literals in place of parameters.
  func declaration() throws -> String {
    try shape().text(writingLiterals: true)
  }
}

extension ConnectionCore {
  /// Returns a prepared statement for a query, with the query's values bound. The caller must
  /// return the statement with `giveBack`. This function is not in `SQLCore`, because only here can
  /// the compiler specialise the code that writes the shape for each type of query.
  package func lendStatement(for query: some Renderable) throws -> StatementPointer {
    var writer = ShapeWriter(beginDraft())
    do {
      try query.write(to: &writer)
      try writer.check()
    } catch {
      discard(writer.draft)
      throw error
    }
    return try lendStatement(of: writer.draft) { try ShapeText(of: $0, on: $1).text }
  }

  /// Returns a prepared statement for a SELECT, with its values bound. The caller must return the
  /// statement with `giveBack`. This function is called by code that the compiler specialises for
  /// the models of a client.
  @usableFromInline
  func lendStatement(forSelect statement: SelectStatement) throws -> StatementPointer {
    try lendStatement(for: statement)
  }
}

/// The error for a query that is not valid SQL, found before any SQL runs.
///
/// ```swift
/// do {
///   print(try db.fetch(feed.limit(-1)).count)
/// } catch let error as QueryError {
///   print(error.message)
/// }
/// ```
public struct QueryError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The error message, with the table or clause that it concerns.
  public let message: String
  /// Whether the error concerns the cursor of a page: the given text is not a cursor, or the cursor
  /// belongs to another order of the rows. If a client sent the cursor, the client has made the
  /// mistake.
  public let concernsCursor: Bool

  package init(_ message: String) {
    self.message = message
    concernsCursor = false
  }

  /// Makes the error for a page cursor that is not valid for the query.
  init(cursor message: String) {
    self.message = message
    concernsCursor = true
  }

  /// The message.
  public var description: String { message }
}
