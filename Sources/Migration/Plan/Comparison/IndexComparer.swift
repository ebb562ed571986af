import QueryDSL
import SQLCore

/// Compares the indexes, and decides which are dropped, which stay, and which are created.
struct IndexComparer: TableComparer {
  let table: TableComparison

  /// Returns the existing index for a declared one: the index with the declared name if it exists,
  /// otherwise an equal index that another program created under another name.
  private func found(_ index: TableDefinition.Index) -> ExistingIndex? {
    let name = declared.name(of: index)
    return table.indexes.first { $0.name.isSame(as: name) }
      ?? table.indexes.first { other in
        isSame(index, other) && !table.comesFromCode(other)
          && !declared.removes(.index(other.name))
          && !declared.indexes.contains { declared.name(of: $0).isSame(as: other.name) }
      }
  }

  private func isSame(_ index: TableDefinition.Index, _ found: ExistingIndex) -> Bool {
    let wanted = ExistingIndex(name: found.name, sql: declared.createIndex(index))
    return wanted.isUnique == found.isUnique && wanted.terms == found.terms
      && wanted.condition == found.condition
  }

  // MARK: Existing indexes

  /// Returns the steps that drop indexes, and the indexes that stay. An index is dropped if it is
  /// declared differently, if it is declared as dropped, or if it is no longer declared.
  func existingDifferences() -> [TableDifference] {
    let names = Set(declared.indexes.map { declared.name(of: $0).lowercasedASCII })
    let others = existing.columns.filter { column in
      !declared.declares(column.name)
        && !(planner.extent == .whole
          && declared.removes(.column(column.name.lowercasedASCII)))
    }.map(\.name.lowercasedASCII)
    return table.indexes.compactMap { index -> TableDifference? in
      if let line = declared.indexes.first(where: { found($0)?.name == index.name }) {
        return difference(of: index, declaredBy: line)
      }
      if declared.removes(.index(index.name)) { return drop(index, "the schema says so") }
      let isFromCode = table.comesFromCode(index)
      if isFromCode, !names.contains(index.name.lowercasedASCII),
        !others.contains(where: index.mentions)
      {
        return drop(index, "the schema no longer declares it")
      }
      // An index that an earlier schema declared stays if it has a column that no model declares.
      // The plan does not list it, because it stays together with the column.
      return isFromCode
        ? nil
        : keep("the index \(index.name)", line: "Dropped(index: \(index.name.swiftLiteral))")
    }
  }

  private func difference(
    of index: ExistingIndex, declaredBy line: TableDefinition.Index
  ) -> TableDifference? {
    guard isSame(line, index) else {
      return drop(index, "the schema declares another index of that name")
    }
    let name = declared.name(of: line)
    guard !index.name.isSame(as: name) else { return nil }
    return keep(
      "the index \(index.name)",
      reason: "it is the declared index \(name) under another name",
      line: "Dropped(index: \(index.name.swiftLiteral))")
  }

  private func drop(_ index: ExistingIndex, _ reason: String) -> TableDifference {
    .step(
      PlannedStep(
        running: MigrationPlan.Step(
          .dropIndex(index.name), table: declared.name,
          sql: "DROP INDEX \(Identifier(index.name).quoted)", reason: reason)))
  }

  // MARK: New indexes

  /// Returns the steps that create the declared indexes that do not exist.
  ///
  /// - Parameters:
  ///   - sources: the SQL for the values that a rebuild changes or adds. The keys are column names
  ///     in lower case.
  ///   - refused: the lists of columns, with names in lower case, that the plan already refuses
  ///     because their values are not unique.
  func newDifferences(
    sources: [String: TableRebuild.Source], refused: Set<[String]>
  ) throws -> [TableDifference] {
    try uniqued(declared.indexes).compactMap { index -> TableDifference? in
      if let found = found(index), isSame(index, found) { return nil }
      guard !isConstrained(index) else { return nil }
      // Unique indexes wait, because the user's own steps may still have to make the values unique.
      if planner.extent == .expanding, index.isUnique { return nil }
      let creation = IndexCreation(
        table: declared, index: index, schema: table.schema, former: names.table)
      if let refusal = creation.refusedName { return .refusal(TableRefusal(step: refusal)) }
      if index.isUnique {
        if refused.contains(index.terms.flatMap(\.normalSQL)) { return nil }
        if let count = try sharedValues(of: index, sources), count > 0 {
          return sharingRefusal(of: index, count)
        }
      }
      return .step(creation.step)
    }
  }

  private func sharingRefusal(of index: TableDefinition.Index, _ count: Int) -> TableDifference {
    let columns = index.terms.joined(separator: ", ").replacing("\"", with: "")
    return refusal(
      "\(columns) must be unique, and \(count) existing "
        + "\(count == 1 ? "value occurs" : "values occur") in several rows; make them "
        + "different in a `MigrationStep`, or declare an index that is not unique",
      line: "Index(\(uniqued(index.paths(in: declared)).joined(separator: ", ")))", rows: .all)
  }

  /// Returns whether an existing UNIQUE constraint makes a unique index unnecessary.
  private func isConstrained(_ index: TableDefinition.Index) -> Bool {
    guard index.isUnique, index.condition == nil, index.givenName == nil else { return false }
    let terms = index.terms.map(\.normalSQL)
    return existing.constraints.contains { constraint in
      guard case .unique(let found) = constraint.kind, !table.isRemoved(constraint) else {
        return false
      }
      return found.map(\.normal) == terms
    }
  }

  /// Returns how many values would occur more than once in a declared unique index; nil if the
  /// index names unknown columns.
  private func sharedValues(
    of index: TableDefinition.Index, _ sources: [String: TableRebuild.Source]
  ) throws -> Int? {
    let tokens = index.terms.flatMap { SQLTokens($0).tokens }
    let condition = index.condition ?? "1"
    let isKnown = (tokens + SQLTokens(condition).tokens).allSatisfy { token in
      token.kind != .quotedName || existing.column(token.value) != nil
        || sources[token.value.lowercasedASCII] != nil
    }
    guard isKnown else { return nil }
    var values: [String: String] = [:]
    for source in sources.values where existing.column(source.column) == nil {
      // The value is written as an expression. In GROUP BY, a plain number would mean the selected
      // column at this position.
      values[source.column.lowercasedASCII] = "coalesce(\(source.sql), NULL)"
    }
    let terms = index.terms.map { term in
      names.restoring(
        term.hasSuffix(" DESC") ? String(term.dropLast(" DESC".count)) : term, values)
    }
    let rows = names.restoring(condition, values)
    let isThere = terms.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
    return try self.rows.connection.number(
      """
      SELECT count(*) FROM (SELECT 1 FROM \(names.quotedTable) WHERE (\(rows)) AND \(isThere)
        GROUP BY \(terms.joined(separator: ", ")) HAVING count(*) > 1)
      """)
  }
}

extension ExistingTable.KeyTerm {
  /// The column and its collation, such as `["name", "collate", "nocase"]`, to compare with a term
  /// of an index. ASC and DESC are left out.
  fileprivate var normal: [String] {
    [column.lowercasedASCII] + (collation.map { ["collate", $0.lowercasedASCII] } ?? [])
  }
}
