import Apus

/// A state of a database that can be compared with another state. The text of its tables is UTF-8.
package struct ComparedState {
  package let definitions: SchemaDefinitions
  package let shapes: [TableShape]
  /// The tables whose rows cannot be compared.
  package let uncompared: [UncomparedTable]
  private let copy: KeyedCopy?

  /// Reads the schema of a database.
  ///
  /// SQLite sorts text by its bytes, so the order in UTF-16 differs from the order in UTF-8. The
  /// tables of a database in UTF-16 are therefore copied to a temporary database in UTF-8.
  ///
  /// - Parameter tables: the names of the tables to compare; nil for all tables. For a full-text
  ///   table, the table that stores its text is compared.
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

  /// Calls a closure with the connection from which to read the rows: the connection of the copy if
  /// there is a copy, otherwise the given connection.
  package func read<Result>(
    _ connection: Connection, _ body: (Connection) throws -> Result
  ) throws -> Result {
    guard let copy else { return try body(connection) }
    return try copy.database.read(body)
  }
}
