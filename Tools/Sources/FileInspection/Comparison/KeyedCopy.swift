import Apus
import ToolOutput

/// A copy of tables in a temporary file, with which a later state is compared.
///
/// The copied tables have the names and columns of the originals and no constraints, so that each
/// row can be stored as it is. They have an index in the order of the key. The text is UTF-8,
/// whatever the encoding of the original.
package final class KeyedCopy {
  package let database: Database
  package private(set) var shapes: [TableShape] = []

  package init() throws {
    var configuration = Configuration.relaxed
    configuration.enforcesForeignKeys = false
    let database = try Database.temporary(configuration: configuration)
    Interruption.onRequest { [weak database] in database?.interrupt() }
    self.database = database
  }

  /// Copies a table, and replaces an earlier copy of the table. Returns the number of copied rows.
  @discardableResult
  package func copy(_ shape: TableShape, from connection: Connection) throws -> Int {
    try remove(shape.name)
    let pair = TablePair(old: nil, new: shape)
    var count = 0
    try database.write { copy in
      try copy.execute(Self.definition(of: shape))
      let insertion = try copy.prepare(Self.insertion(into: shape))
      try connection.forEachRow(of: try Self.selection(of: shape), names: { _ in }) { values in
        try insertion.bind(values)
        try insertion.run()
        count += 1
        return true
      }
      // The index is created after the rows, because sorting once is cheaper than keeping an index
      // in order.
      try copy.execute(Self.index(of: pair))
    }
    shapes.append(shape)
    return count
  }

  /// Removes the copy of a table, if there is one.
  package func remove(_ name: String) throws {
    guard let shape = shapes.first(where: { $0.name.lowercased() == name.lowercased() }) else {
      return
    }
    try database.execute("DROP TABLE \(identifier: shape.name)")
    shapes.removeAll { $0.name == shape.name }
  }

  /// Makes changes to the copy of a table. The copy must have the columns of `shape`.
  package func apply(_ changes: [TableComparison.Change], to shape: TableShape) throws {
    try database.write { copy in
      let deletion = try copy.prepare(Self.deletion(from: shape))
      let insertion = try copy.prepare(Self.insertion(into: shape))
      for change in changes {
        if let old = change.old {
          try deletion.bind(old)
          try deletion.run()
        }
        if let new = change.new {
          try insertion.bind(new)
          try insertion.run()
        }
      }
    }
  }

  // MARK: SQL

  /// Returns a name for the column that numbers the rows. No column of the table has this name.
  private static func rowColumn(of shape: TableShape) -> String {
    var name = "row"
    while shape.columns.contains(where: { $0.lowercased() == name }) { name += "_" }
    return name
  }

  private static func list(_ columns: [String]) -> SQL {
    var sql: SQL = ""
    for (index, column) in columns.enumerated() {
      if index > 0 { sql.append(", ") }
      sql.append("\(identifier: column)")
    }
    return sql
  }

  private static func definition(of shape: TableShape) -> SQL {
    """
    CREATE TABLE \(identifier: shape.name) (\(identifier: rowColumn(of: shape)) INTEGER PRIMARY KEY, \
    \(list(shape.columns)))
    """
  }

  private static func index(of pair: TablePair) -> SQL {
    let columns = pair.keyColumns.isEmpty ? pair.columns : pair.keyColumns
    return """
      CREATE INDEX \(identifier: "index of " + pair.name) ON \(identifier: pair.name) \
      (\(list(columns)))
      """
  }

  private static func selection(of shape: TableShape) throws -> SQL {
    "SELECT \(list(shape.columns)) FROM \(identifier: shape.name)"
  }

  private static func insertion(into shape: TableShape) -> SQL {
    let marks = SQL(unsafe: shape.columns.map { _ in "?" }.joined(separator: ", "))
    return "INSERT INTO \(identifier: shape.name) (\(list(shape.columns))) VALUES (\(marks))"
  }

  /// Returns the SQL that deletes a single row. The row's values are bound to the parameters.
  private static func deletion(from shape: TableShape) -> SQL {
    let marks = SQL(unsafe: shape.columns.map { _ in "?" }.joined(separator: ", "))
    let row = rowColumn(of: shape)
    return """
      DELETE FROM \(identifier: shape.name) WHERE \(identifier: row) = (
        SELECT \(identifier: row) FROM \(identifier: shape.name)
        WHERE (\(list(shape.columns))) IS (\(marks)) LIMIT 1)
      """
  }
}
