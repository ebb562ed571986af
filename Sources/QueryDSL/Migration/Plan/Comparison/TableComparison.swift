import SQLCore

/// A declared table and the existing table that becomes it: what all comparers read. Nothing in it
/// changes. It is a class because it is large and each comparer keeps it.
final class TableComparison {
  let declared: TableDefinition
  /// The existing table, as it will be after all renamings.
  let existing: ExistingTable
  let names: FormerNames
  /// The indexes of the existing table, as they will be after all renamings.
  let indexes: [ExistingIndex]
  /// The names that Apus would have given to the indexes before the renamings.
  private let formerIndexNames: [String: Set<String>]
  let rows: RowProbe
  let schema: ExistingSchema
  /// The declarations of all models.
  let others: Declarations
  let planner: MigrationPlanner

  /// - Parameter former: the present name of the existing table.
  init(
    _ declared: TableDefinition, _ existing: ExistingTable, former: String, _ others: Declarations,
    in schema: ExistingSchema, planner: MigrationPlanner
  ) {
    self.declared = declared
    self.existing = existing
    self.schema = schema
    self.others = others
    self.planner = planner
    let columns = schema.renames.columns(ofFormer: former)
    let names = FormerNames(table: former, columns: columns)
    self.names = names
    rows = RowProbe(of: existing, names, planner.connection)
    let formerColumns = existing.columns.map { names.former($0.name) ?? $0.name }
    var indexes = schema.indexes(of: former)
    formerIndexNames = Dictionary(
      indexes.map { index in
        (
          index.name, declared.generatedNames(of: index, columns: formerColumns, former: former)
        )
      }
    ) { $1 }
    for column in schema.renames.renamings(ofFormer: former) {
      for index in indexes.indices { indexes[index].rename(column.from, to: column.name) }
    }
    self.indexes = indexes
  }

  /// Whether a migration created an index because a schema declared it: its definition has the mark,
  /// or its name is made of its terms and its text is the text that Apus writes. If the schema no
  /// longer declares it, such an index is dropped.
  func comesFromCode(_ index: ExistingIndex) -> Bool {
    if index.isMarked { return true }
    let start =
      "CREATE \(index.isUnique ? "UNIQUE " : "")INDEX \(Identifier(index.name).quoted) ON "
    guard index.sql.hasPrefix("\(start)\(names.quotedTable) (") else { return false }
    let name = index.name.lowercasedASCII
    return formerIndexNames[index.name, default: []].contains(name)
      || declared.generatedNames(
        of: index, columns: existing.columns.map(\.name), former: names.table
      ).contains(name)
  }

  /// Whether the existing definition looks as Apus writes it.
  var isMadeByApus: Bool {
    existing.isStrict && existing.sql.hasPrefix("CREATE TABLE \(names.quotedTable) (\n  \"")
  }

  /// Whether the values of a column are read although its definition has not changed.
  func checks(_ column: TableDefinition.Column) -> Bool {
    planner.checksValues
      || planner.changedTypes[declared.name.lowercasedASCII]?.contains(
        column.name.lowercasedASCII) == true
  }

  /// The key with which the migration's SQL functions find the column, escaped for a literal.
  func key(of column: TableDefinition.Column) -> String {
    MigrationFunctions.key(table: declared.name, column: column.name)
      .replacing("'", with: "''")
  }

  /// Whether an existing column stays although no model declares it.
  func isKept(_ column: ExistingTable.Column) -> Bool {
    guard !declared.declares(column.name) else { return false }
    return planner.extent == .expanding || !declared.removes(.column(column.name))
  }
}

extension TableDefinition {
  /// Returns the names, folded, that Apus may have given to an index with these terms.
  ///
  /// - Parameter former: the present name of the table.
  fileprivate func generatedNames(
    of index: ExistingIndex, columns: [String], former: String
  ) -> Set<String> {
    var names: Set<String> = []
    for table in [name, former] + formerNames {
      let name = TableDefinition.indexName(
        table: table, isUnique: index.isUnique, index, columns: columns
      ).lowercasedASCII
      names.insert(name)
      if let columns = index.plainColumns { names.insert("\(name)_\(columns.count)") }
    }
    return names
  }
}

extension ExistingTable {
  /// A name for the rowid that no column has; nil if the table has no rowid.
  var rowIDName: String? {
    guard !isWithoutRowID else { return nil }
    return ["rowid", "_rowid_", "oid"].first { column($0) == nil }
  }
}
