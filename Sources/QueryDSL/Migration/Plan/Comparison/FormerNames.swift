import SQLCore

/// The names of an existing table and its columns before the renamings of a migration.
///
/// Questions about rows are asked before any step runs, so they use these names. Steps run after
/// all renamings, with the names that the schema declares.
struct FormerNames {
  /// The present name of the table.
  let table: String
  /// The present names of renamed columns by their new names, folded.
  private let columns: [String: String]

  init(table: String, columns: [(name: String, from: String)] = []) {
    self.table = table
    self.columns = Dictionary(columns.map { ($0.name.lowercasedASCII, $0.from) }) { $1 }
  }

  var quotedTable: String { Identifier(table).quoted }

  /// Returns the present name of a renamed column; nil if the column keeps its name.
  func former(_ column: String) -> String? { columns[column.lowercasedASCII] }

  /// Returns the present name of a column, quoted.
  func quoted(_ column: String) -> String { Identifier(former(column) ?? column).quoted }

  /// Returns SQL with the present names of columns in place of the new ones, all at once.
  ///
  /// - Parameters:
  ///   - values: expressions that stand in place of columns, by their new names, folded.
  ///   - onlyQuoted: leaves names without quotation marks, which may be keywords.
  func restoring(
    _ sql: String, _ values: [String: String] = [:], onlyQuoted: Bool = false
  ) -> String {
    let names = columns.mapValues { Identifier($0).quoted }
    return sql.replacing(names.merging(values) { $1 }, onlyQuoted: onlyQuoted)
  }
}
