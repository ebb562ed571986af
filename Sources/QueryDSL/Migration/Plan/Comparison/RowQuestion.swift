import SQLCore

/// A question about the existing rows: an expression of a declaration, with the values that its
/// columns will have after the migration.
///
/// All names are replaced at once, since columns may exchange their names, and a new column may
/// take the former name of another.
struct RowQuestion {
  let table: TableComparison
  /// The sources of the values that change, by the folded names of their columns.
  let sources: [String: TableRebuild.Source]

  /// Returns the expression with the names before any step runs.
  ///
  /// Returns nil if a value is not known yet: that of a declared conversion, of a new column or of
  /// one that will be calculated.
  func asked(_ expression: String) -> String? { sql(expression, table.names) }

  /// Returns the expression with the names after all renamings, before the table is rebuilt; nil as
  /// above.
  func renamed(_ expression: String) -> String? {
    sql(expression, FormerNames(table: table.existing.name))
  }

  private func sql(_ expression: String, _ names: FormerNames) -> String? {
    var values: [String: String] = [:]
    for token in SQLTokens(expression).tokens where token.isName {
      guard let column = table.declared.column(token.value) else { continue }
      let existing = table.existing.column(column.name)
      let isSameGeneration =
        column.generated.map { generated in
          existing?.generated.map(generated.isSame) == true
        } ?? true
      guard isSameGeneration else { return nil }
      let name = column.name.lowercasedASCII
      guard let source = sources[name], !source.isSame else {
        guard existing != nil else { return nil }
        continue
      }
      guard !source.sql.contains("apus_convert(") else { return nil }
      values[name] = "(\(names.restoring(source.sql, onlyQuoted: true)))"
    }
    return names.restoring(expression, values)
  }
}
