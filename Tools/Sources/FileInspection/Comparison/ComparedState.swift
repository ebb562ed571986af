import Apus

/// A state of a database as it can be compared with another one: in tables whose text is UTF-8.
package struct ComparedState {
  package let definitions: SchemaDefinitions
  package let shapes: [TableShape]
  private let copy: KeyedCopy?

  /// Reads the schema of a database.
  ///
  /// SQLite sorts UTF-16 by other bytes, so the tables of such a database are copied.
  ///
  /// - Parameter tables: the tables that are compared; all if it is nil.
  package init(of connection: Connection, tables: [String]?) throws {
    definitions = try SchemaDefinitions(of: connection)
    shapes = try connection.tableShapes().filter { shape in
      tables?.contains { $0.lowercased() == shape.name.lowercased() } ?? true
    }
    guard try connection.row("PRAGMA encoding")?[0] != .text("UTF-8") else {
      copy = nil
      return
    }
    let copy = try KeyedCopy()
    for shape in shapes { try copy.copy(shape, from: connection) }
    self.copy = copy
  }

  /// Passes the connection from which the rows are read.
  package func read<Result>(
    _ connection: Connection, _ body: (Connection) throws -> Result
  ) throws -> Result {
    guard let copy else { return try body(connection) }
    return try copy.database.read(body)
  }
}
