import SQLCore

extension TablePlanner {
  /// Checks that the rows, as a rebuild will copy them, fulfil the checks, keys and unique
  /// constraints of the new table. Otherwise copying them would fail.
  ///
  /// Reads the table once for each check, and once for each key and unique index over columns whose
  /// values or collation change. A declared conversion runs once for each row, during the
  /// migration, so errors that depend on its values are found there.
  mutating func verify(_ rebuild: TableRebuild, _ new: ExistingTable) throws {
    // Rows that are deleted first will not be in the new table.
    guard try rowCount() > 0, !steps.contains(where: { $0.step.action == .deleteRows }) else {
      return
    }
    let rows = projection(rebuild, new)
    try verifyChecks(rows, new)
    for terms in uniqueTerms(new) { try verify(terms, rows, new) }
  }

  // MARK: Rows after the migration

  /// Returns a subquery of the rows with the names, values and collations of the new table.
  private func projection(_ rebuild: TableRebuild, _ new: ExistingTable) -> String {
    let names = existing.columns.map { "\(oldName(of: $0.name)) AS \(Identifier($0.name).quoted)" }
    let rowID = existingRowIDName.map { ["\($0) AS \($0)"] } ?? []
    // A table may have up to 2,000 columns.
    let found = existing.columnsByName
    let columns = new.columnsByName
    let values = rebuild.sources.map { source in
      let name = source.column.lowercasedASCII
      let column = columns[name]
      var sql = isConvertedByModel(source.column) ? "NULL" : source.sql
      if !source.isSame, let type = column.flatMap({ StorageClass(declaredType: $0.type) }) {
        // The result of a function has no affinity.
        sql = "CAST(\(sql) AS \(type.rawValue))"
      }
      let collation = column?.collation ?? "BINARY"
      if !collation.isSame(as: found[name]?.collation ?? "BINARY") {
        sql = "(\(sql)) COLLATE \(Collation(collation).sql)"
      }
      return "\(sql) AS \(Identifier(source.column).quoted)"
    }
    return "(SELECT \(values.joined(separator: ", ")) FROM "
      + "(SELECT \((names + rowID).joined(separator: ", ")) FROM \(Identifier(oldName).quoted)))"
  }

  private func isConvertedByModel(_ column: String) -> Bool {
    sources[column.lowercasedASCII]?.sql.hasPrefix("apus_convert(") ?? false
  }

  // MARK: Checks

  private mutating func verifyChecks(_ rows: String, _ new: ExistingTable) throws {
    // Values that SQLite or the model calculates are unknown here; the run checks them.
    let unknown = new.columns.filter { $0.generated != nil || isConvertedByModel($0.name) }
      .map(\.name.lowercasedASCII)
    let checks = new.constraints.compactMap { constraint -> (ExistingTable.Constraint, String)? in
      guard case .check(let text) = constraint.kind, !unknown.contains(where: { text.mentions($0) })
      else { return nil }
      return (constraint, text)
    }
    guard !checks.isEmpty else { return }
    for (constraint, text) in checks {
      let sql = "SELECT count(*) FROM \(rows) WHERE NOT (\(text)\n)"
      // Text in double quotes may be a string in a definition, but is an unknown column in this
      // query. Then only the run checks it.
      guard (try? connection.prepare(SQL(unsafe: sql))) != nil else { continue }
      let count = try connection.number(sql)
      guard count > 0 else { continue }
      refuse(
        "the check (\(text)) stays, and \(count) \(count == 1 ? "row" : "rows") would not satisfy "
          + "it after the migration; change them in a `MigrationStep`, or drop the check",
        line: isDeclared(constraint) ? otherNameLine : constraint.removalLine,
        rowCount: count)
    }
  }

  // MARK: Keys and unique columns

  /// Columns that must be unique.
  private struct UniqueTerms {
    let terms: [ExistingTable.KeyTerm]
    /// The line that removes the constraint.
    let line: String
    var isKey = false
  }

  private func uniqueTerms(_ new: ExistingTable) -> [UniqueTerms] {
    var all: [UniqueTerms] = []
    if !new.hasRowIDKey || !existing.hasRowIDKey {
      all.append(UniqueTerms(terms: new.key.terms, line: "", isKey: true))
    }
    for constraint in new.constraints {
      guard case .unique(let terms) = constraint.kind else { continue }
      all.append(UniqueTerms(terms: terms, line: constraint.removalLine))
    }
    // Indexes over expressions are checked only by the run.
    for index in indexes where index.isUnique && index.condition.isEmpty {
      guard let columns = index.plainColumns,
        !steps.contains(where: { $0.step.action == .dropIndex(index.name) })
      else { continue }
      all.append(
        UniqueTerms(
          terms: columns.map { ExistingTable.KeyTerm(column: $0) },
          line: "Dropped(index: \(index.name.swiftLiteral))"))
    }
    for index in declared.indexes where index.isUnique && index.condition == nil {
      let columns = index.terms.map(\.normalSQL)
      guard columns.allSatisfy({ $0.count == 1 }) else { continue }
      let terms = columns.map { ExistingTable.KeyTerm(column: $0[0]) }
      let paths = columns.compactMap { declared.column($0[0])?.type.path }
      all.append(
        UniqueTerms(terms: terms, line: "Index(\(paths.joined(separator: ", ")))"))
    }
    return all
  }

  private mutating func verify(_ unique: UniqueTerms, _ rows: String, _ new: ExistingTable) throws {
    let columns = unique.terms.map(\.column)
    let folded = columns.map(\.lowercasedASCII)
    guard !refusedUnique.contains(folded),
      columns.allSatisfy({ name in
        existing.column(name) != nil && new.column(name).map { $0.generated == nil } == true
          && !isConvertedByModel(name)
      })
    else { return }
    let recollated = columns.filter { name in
      !(new.column(name)?.collation ?? "BINARY").isSame(
        as: existing.column(name)?.collation ?? "BINARY")
    }
    let isConverted = columns.contains { sources[$0.lowercasedASCII] != nil }
    guard !recollated.isEmpty || isConverted else { return }
    let terms = unique.terms.map { term in
      Identifier(term.column).quoted
        + (term.collation.map { " COLLATE \(Collation($0).sql)" } ?? "")
    }
    let isThere = terms.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
    let shared = try connection.number(
      "SELECT count(*) FROM (SELECT 1 FROM \(rows) WHERE \(isThere) "
        + "GROUP BY \(terms.joined(separator: ", ")) HAVING count(*) > 1)")
    let nulls =
      unique.isKey
      ? try connection.number(
        "SELECT count(*) FROM \(rows) WHERE "
          + terms.map { "\($0) IS NULL" }.joined(separator: " OR ")) : 0
    guard shared > 0 || nulls > 0 else { return }
    refusedUnique.insert(folded)
    let names = columns.joined(separator: ", ")
    let collated = recollated.compactMap { declared.column($0) }.first { $0.collation != nil }
    let why =
      collated.map { " under \(Collation($0.collation ?? "").sql)" } ?? " after the migration"
    refuse(
      "\(names) \(unique.isKey ? "is the key" : "is unique"), and \(shared) of its values would "
        + "occur more than once\(why)" + (nulls > 0 ? ", and \(nulls) would be NULL" : "")
        + "; make them different in a `MigrationStep` that runs `.before`, or use the line below",
      line: collated.map { "Collated(\($0.type.path), .binary)" }
        ?? (unique.isKey ? otherNameLine : unique.line), rowCount: try rowCount())
  }
}

extension ExistingTable {
  fileprivate var columnsByName: [String: Column] {
    Dictionary(columns.map { ($0.name.lowercasedASCII, $0) }) { first, _ in first }
  }
}
