import QueryDSL
import SQLCore

/// Tests, before a rebuild, whether the rows will meet the checks, keys and unique constraints of
/// the new table. If a row does not meet them, copying the rows would fail.
///
/// Reads the table once for each check. Also reads it once for each key and unique index over
/// columns whose values or collation change. A declared conversion runs only in the migration, once
/// for each row. Errors that depend on the converted values are found only then.
struct RebuildVerifier: TableComparer {
  let table: TableComparison
  let rebuild: TableRebuild
  /// The new table.
  let new: ExistingTable
  /// The SQL for the values that the rebuild changes or adds. The keys are column names in lower
  /// case.
  let sources: [String: TableRebuild.Source]
  /// The steps that run before the rebuild.
  let steps: [MigrationPlan.Step]

  func differences() throws -> [TableDifference] {
    // If a step deletes rows before the rebuild, these rows will not be in the new table. In this
    // case, the existing rows are not tested here.
    guard try rows.hasRow(), !steps.contains(where: { $0.action == .deleteRows }) else { return [] }
    let copied = projection
    var refused: Set<[String]> = []
    return try failedChecks(copied)
      + uniqueTerms.compactMap { unique -> TableDifference? in
        let folded = unique.terms.map(\.column.lowercasedASCII)
        guard !refused.contains(folded), let refusal = try refusal(of: unique, copied) else {
          return nil
        }
        refused.insert(folded)
        return refusal
      }
  }

  // MARK: Rows after the migration

  /// A subquery that selects the rows as they will be in the new table, with its names, values and
  /// collations.
  private var projection: String {
    let renamed = existing.columns.map {
      "\(names.quoted($0.name)) AS \(Identifier($0.name).quoted)"
    }
    let rowID = existing.rowIDName.map { ["\($0) AS \($0)"] } ?? []
    // A table may have up to 2,000 columns, so columns are looked up in dictionaries.
    let found = existing.columnsByName
    let columns = new.columnsByName
    let values = rebuild.sources.map { source in
      let name = source.column.lowercasedASCII
      let column = columns[name]
      var sql = isConvertedByModel(source.column) ? "NULL" : source.sql
      if !source.isSame, let type = column.flatMap({ StorageClass(declaredType: $0.type) }) {
        // The result of a function has no affinity, so CAST gives it the affinity of the new
        // column.
        sql = "CAST(\(sql) AS \(type.rawValue))"
      }
      let collation = column?.collation ?? "BINARY"
      if !collation.isSame(as: found[name]?.collation ?? "BINARY") {
        sql = "(\(sql)) COLLATE \(Collation(collation).sql)"
      }
      return "\(sql) AS \(Identifier(source.column).quoted)"
    }
    return "(SELECT \(values.joined(separator: ", ")) FROM "
      + "(SELECT \((renamed + rowID).joined(separator: ", ")) FROM \(names.quotedTable)))"
  }

  private func isConvertedByModel(_ column: String) -> Bool {
    sources[column.lowercasedASCII]?.sql.hasPrefix("apus_convert(") ?? false
  }

  // MARK: Checks

  private func failedChecks(_ copied: String) throws -> [TableDifference] {
    // The values of generated columns and the results of declared conversions are not known yet. If
    // a check names such a column, SQLite tests the check when the migration runs.
    let unknown = new.columns.filter { $0.generated != nil || isConvertedByModel($0.name) }
      .map(\.name.lowercasedASCII)
    return try new.constraints.compactMap { constraint -> TableDifference? in
      guard case .check(let text) = constraint.kind,
        !unknown.contains(where: { text.mentions($0) })
      else { return nil }
      let sql = "SELECT count(*) FROM \(copied) WHERE NOT (\(text)\n)"
      // In the definition of a table, a text in double quotes may be a string. In this query, the
      // same text is an unknown column, and the query does not compile. Such a check is left to the
      // migration.
      guard (try? rows.connection.prepare(SQL(unsafe: sql))) != nil else { return nil }
      let count = try rows.connection.number(sql)
      guard count > 0 else { return nil }
      return refusal(
        "the check (\(text)) stays, and \(count) \(count == 1 ? "row" : "rows") would not satisfy "
          + "it after the migration; change them in a `MigrationStep`, or drop the check",
        line: table.isDeclared(constraint) ? lines.otherName : constraint.removalLine,
        rows: .some(count))
    }
  }

  // MARK: Keys and unique columns

  /// The columns of a key, a constraint or an index, whose values must be unique together.
  private struct UniqueTerms {
    let terms: [ExistingTable.KeyTerm]
    /// The line to paste that removes the constraint.
    let line: String
    var isKey = false
  }

  private var uniqueTerms: [UniqueTerms] {
    var all: [UniqueTerms] = []
    if !new.hasRowIDKey || !existing.hasRowIDKey {
      all.append(UniqueTerms(terms: new.key.terms, line: "", isKey: true))
    }
    for constraint in new.constraints {
      guard case .unique(let terms) = constraint.kind else { continue }
      all.append(UniqueTerms(terms: terms, line: constraint.removalLine))
    }
    // Indexes over expressions are not checked here. SQLite checks them when the migration runs.
    for index in table.indexes where index.isUnique && index.condition.isEmpty {
      guard let columns = index.plainColumns,
        !steps.contains(where: { $0.action == .dropIndex(index.name) })
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

  /// Returns the refusal of values that would not be unique; nil if they would be unique, or if the
  /// rebuild does not change them.
  private func refusal(of unique: UniqueTerms, _ copied: String) throws -> TableDifference? {
    let columns = unique.terms.map(\.column)
    guard
      columns.allSatisfy({ name in
        existing.column(name) != nil && new.column(name).map { $0.generated == nil } == true
          && !isConvertedByModel(name)
      })
    else { return nil }
    let recollated = columns.filter { name in
      !(new.column(name)?.collation ?? "BINARY").isSame(
        as: existing.column(name)?.collation ?? "BINARY")
    }
    let isConverted = columns.contains { sources[$0.lowercasedASCII] != nil }
    guard !recollated.isEmpty || isConverted else { return nil }
    let terms = unique.terms.map { term in
      Identifier(term.column).quoted
        + (term.collation.map { " COLLATE \(Collation($0).sql)" } ?? "")
    }
    let isThere = terms.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
    let shared = try rows.connection.number(
      "SELECT count(*) FROM (SELECT 1 FROM \(copied) WHERE \(isThere) "
        + "GROUP BY \(terms.joined(separator: ", ")) HAVING count(*) > 1)")
    let nulls =
      unique.isKey
      ? try rows.connection.number(
        "SELECT count(*) FROM \(copied) WHERE "
          + terms.map { "\($0) IS NULL" }.joined(separator: " OR ")) : 0
    guard shared > 0 || nulls > 0 else { return nil }
    let list = columns.joined(separator: ", ")
    let collated = recollated.compactMap { declared.column($0) }.first { $0.collation != nil }
    let why =
      collated.map { " under \(Collation($0.collation ?? "").sql)" } ?? " after the migration"
    let step = refusedStep(
      "\(list) \(unique.isKey ? "is the key" : "is unique"), and \(shared) of its values would "
        + "occur more than once\(why)" + (nulls > 0 ? ", and \(nulls) would be NULL" : "")
        + "; make them different in a `MigrationStep` that runs `.before`, or use the line below",
      lines: [
        collated.map { "Collated(\($0.type.path), .binary)" }
          ?? (unique.isKey ? lines.otherName : unique.line)
      ], rows: .all)
    return .refusal(TableRefusal(step: step, uniqueColumns: columns.map(\.lowercasedASCII)))
  }
}

extension ExistingTable {
  fileprivate var columnsByName: [String: Column] {
    Dictionary(columns.map { ($0.name.lowercasedASCII, $0) }) { first, _ in first }
  }
}
