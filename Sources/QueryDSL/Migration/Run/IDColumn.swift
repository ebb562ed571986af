import SQLCore

/// A column of `Unique64` by which a primary key begins: behind the first, ids are not in the order
/// of the key's index.
struct IDColumn: Hashable {
  let table: String
  let column: String

  init?<M: Model>(of model: M.Type) throws {
    let layout = try M.layout
    guard let index = layout.keyColumns.first, layout.columns[index].type is Unique64.Type else {
      return nil
    }
    table = layout.tableName
    column = layout.columns[index].name
  }

  /// The greatest id that is not damaged; one seek in the index of the key.
  fileprivate var greatest: String {
    let column = Identifier(column).quoted
    return "SELECT max(\(column)) AS id FROM \(Identifier(table).quoted) WHERE \(column) <= ?1"
  }
}

extension ConnectionCore {
  /// Moves the generator of ids past those that are stored, so that none comes twice after a
  /// restart: one statement, and one index seek a table. The tables must be there.
  func advanceIDs(past columns: [IDColumn]) throws {
    // SQLite takes 500 terms at most.
    var rest = columns[...]
    while !rest.isEmpty {
      let terms = rest.prefix(100).map(\.greatest).joined(separator: " UNION ALL ")
      rest = rest.dropFirst(100)
      let limit = Unique64.generator.advanceLimit
      let greatest = try integer("SELECT max(id) FROM (\(terms))", binding: limit.rawValue)
      if let greatest { Unique64.generator.advance(past: Unique64(rawValue: greatest)) }
    }
  }
}
