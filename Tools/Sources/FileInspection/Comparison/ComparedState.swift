import Apus

/// A state of a database as it can be compared with another one: in tables whose text is UTF-8.
package struct ComparedState {
  package let definitions: SchemaDefinitions
  package let shapes: [TableShape]
  /// The tables whose rows cannot be compared.
  package let uncompared: [UncomparedTable]
  private let copy: KeyedCopy?

  /// Reads the schema of a database.
  ///
  /// SQLite sorts UTF-16 by other bytes than UTF-8, so the tables of a database in UTF-16 are
  /// copied.
  ///
  /// - Parameter tables: the tables that are compared; nil for all tables. A full-text table is
  ///   compared by its text, which is in another table.
  package init(of connection: Connection, tables: [String]?) throws {
    definitions = try SchemaDefinitions(of: connection)
    func isCompared(_ name: String) -> Bool {
      tables?.contains { $0.lowercased() == name.lowercased() } ?? true
    }
    let found = try ComparableTables(of: connection)
    shapes = found.shapes.filter { shape in
      isCompared(shape.name) || shape.fullTextTable.map(isCompared) ?? false
    }
    uncompared = found.uncompared.filter { isCompared($0.name) }
    guard try connection.row("PRAGMA encoding")?[0] != .text("UTF-8") else {
      copy = nil
      return
    }
    let copy = try KeyedCopy()
    for shape in shapes { try copy.copy(shape, from: connection) }
    self.copy = copy
  }

  /// Calls a closure with the connection from which the rows are read: the given one, or that of
  /// the copy.
  package func read<Result>(
    _ connection: Connection, _ body: (Connection) throws -> Result
  ) throws -> Result {
    guard let copy else { return try body(connection) }
    return try copy.database.read(body)
  }
}
