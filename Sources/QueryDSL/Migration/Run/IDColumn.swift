import SQLCore

/// A `Unique64` column with which a primary key begins. Later columns of a key do not count,
/// because the key's index does not order their ids.
struct IDColumn: Hashable {
  let table: String
  let column: String

  init?<M: TableModel>(of model: M.Type) throws {
    let layout = try M.layout
    guard let index = layout.keyColumns.first, layout.columns[index].type is Unique64.Type else {
      return nil
    }
    table = layout.tableName
    column = layout.columns[index].name
  }

  /// The SELECT of the greatest id that is not damaged, by one seek in the key's index.
  fileprivate var greatest: String {
    let column = Identifier(column).quoted
    return "SELECT max(\(column)) AS id FROM \(Identifier(table).quoted) WHERE \(column) <= ?1"
  }
}

extension ConnectionCore {
  /// Moves the id generator past the stored ids, so that no id is generated again after a restart.
  /// Costs one statement for each 100 columns, with one index seek for each column. The tables must
  /// exist.
  func advanceIDs(past columns: [IDColumn]) throws {
    // SQLite allows at most 500 terms in a compound SELECT.
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
