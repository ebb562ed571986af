import Apus
import ToolOutput

/// A table or view of a file.
package struct Relation {
  package enum Kind: String {
    case table, view
    case virtual = "virtual table"
    /// A table in which a virtual table keeps its content.
    case shadow = "shadow table"
  }

  package let name: String
  package let kind: Kind

  /// Returns the tables and views of the main database without SQLite's internal tables, in the
  /// order of their names. Shadow tables come last.
  package static func all(in connection: Connection) throws -> [Relation] {
    try connection.rows(
      """
      SELECT name, type FROM pragma_table_list
      WHERE schema = 'main' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
      ORDER BY type = 'shadow', name COLLATE NOCASE, name
      """
    ).map { row in
      let kind: Kind =
        switch try row.get(String.self, at: 1) {
        case "view": .view
        case "virtual": .virtual
        case "shadow": .shadow
        default: .table
        }
      return Relation(name: try row.get(at: 0), kind: kind)
    }
  }

  /// Returns the table or view with that name. If the name is unknown, throws an error that lists
  /// the existing tables and views.
  package static func named(_ name: String, in connection: Connection) throws -> Relation {
    let all = try all(in: connection)
    let found =
      all.first { $0.name == name }
      ?? all.first { $0.name.lowercased() == name.lowercased() }
    if let found { return found }
    // SQLite's internal tables are not in the list, but can be named as well.
    if try connection.tableExists(name) { return Relation(name: name, kind: .table) }
    let names = all.filter { $0.kind != .shadow }.map(\.name.orQuotes)
    throw ReadableError(
      "there is no table or view \(name.orQuotes)"
        + (names.isEmpty ? "; the file has none" : "; there are: \(names.joined(separator: ", "))"))
  }
}
