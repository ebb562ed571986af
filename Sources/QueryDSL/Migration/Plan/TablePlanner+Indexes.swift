import SQLCore

extension TablePlanner {
  /// Returns the names, folded, that Apus may have given to an index with these terms.
  func generatedNames(of index: LiveIndex, columns: [String]? = nil) -> Set<String> {
    let columns = columns ?? live.columns.map(\.name)
    var names: Set<String> = []
    for table in [declared.name, oldName] + declared.formerNames {
      let name = TableDefinition.indexName(
        table: table, isUnique: index.isUnique, index, columns: columns
      ).lowercasedASCII
      names.insert(name)
      if let columns = index.plainColumns { names.insert("\(name)_\(columns.count)") }
    }
    return names
  }

  /// Whether the name of an index shows that a schema declared it. If the schema no longer declares
  /// it, such an index is dropped, unless a newer program may have created it.
  func comesFromCode(_ index: LiveIndex) -> Bool {
    let name = index.name.lowercasedASCII
    return formerIndexNames[index.name, default: []].contains(name)
      || generatedNames(of: index).contains(name)
  }

  /// Returns the existing index for a declared one: the index of that name, else an equal index
  /// that another program named.
  private func found(_ index: TableDefinition.Index) -> LiveIndex? {
    let name = declared.name(of: index)
    return indexes.first { $0.name.isSame(as: name) }
      ?? indexes.first { other in
        isSame(index, other) && !comesFromCode(other) && !declared.removes(.index(other.name))
          && !declared.indexes.contains { declared.name(of: $0).isSame(as: other.name) }
      }
  }

  private func isSame(_ index: TableDefinition.Index, _ found: LiveIndex) -> Bool {
    let wanted = LiveIndex(name: found.name, sql: declared.createIndex(index))
    return wanted.isUnique == found.isUnique && wanted.terms == found.terms
      && wanted.condition == found.condition
  }

  /// Plans to drop indexes that are declared differently, declared as dropped, or no longer
  /// declared.
  mutating func dropIndexes() {
    let names = Set(declared.indexes.map { declared.name(of: $0).lowercasedASCII })
    let others = live.columns.map(\.name.lowercasedASCII).filter { name in
      !declared.declares(name) && !(planner.extent == .whole && declared.removes(.column(name)))
    }
    for index in indexes {
      let reason: String
      var keeping: MigrationPlan.Step?
      if let line = declared.indexes.first(where: { self.found($0)?.name == index.name }) {
        guard !isSame(line, index) else {
          let name = declared.name(of: line)
          if !index.name.isSame(as: name) {
            keep(
              "the index \(index.name)",
              reason: "it is the declared index \(name) under another name",
              line: "Dropped(index: \(index.name.swiftLiteral))")
          }
          continue
        }
        reason = "the schema declares another index of that name"
      } else if declared.removes(.index(index.name)) {
        reason = "the schema says so"
      } else if comesFromCode(index), !names.contains(index.name.lowercasedASCII),
        !others.contains(where: index.mentions)
      {
        reason = "the schema no longer declares it"
        // An equal index takes its place, or an index of another table takes its name.
        if !declared.indexes.contains(where: { isSame($0, index) }), !self.others.names(index.name)
        {
          keeping = MigrationPlan.Step(
            .keepDeclaration("the index \(index.name)"), table: declared.name,
            reason: "no model declares it, and a newer program may have created it",
            line: "Dropped(index: \(index.name.swiftLiteral))")
        }
      } else {
        // An index over columns that no model declares is kept with them.
        if !comesFromCode(index) {
          keep("the index \(index.name)", line: "Dropped(index: \(index.name.swiftLiteral))")
        }
        continue
      }
      var step = PlannedStep(
        running: MigrationPlan.Step(
          .dropIndex(index.name), table: declared.name,
          sql: "DROP INDEX \(Identifier(index.name).quoted)", reason: reason))
      step.keeping = keeping
      steps.append(step)
    }
  }

  mutating func createIndexes() throws {
    for index in declared.indexes.uniqued() {
      if let found = found(index), isSame(index, found) { continue }
      guard !isConstrained(index) else { continue }
      // The user's own steps may still have to make the values unique.
      if planner.extent == .expanding, index.isUnique { continue }
      if refusesName(of: index) { continue }
      if index.isUnique, refusedUnique.contains(index.terms.flatMap(\.normalSQL)) { continue }
      if index.isUnique, let count = try sharedValues(of: index), count > 0 {
        let columns = index.terms.joined(separator: ", ").replacing("\"", with: "")
        refuse(
          "\(columns) must be unique, and \(count) existing "
            + "\(count == 1 ? "value occurs" : "values occur") in several rows; make them "
            + "different in a `MigrationStep`, or declare an index that is not unique",
          line: "Index(\(index.paths(in: declared).uniqued().joined(separator: ", ")))",
          rowCount: try rowCount())
        continue
      }
      steps.append(create(index))
    }
  }

  /// Refuses an index whose name is taken. Returns whether it refused.
  mutating func refusesName(of index: TableDefinition.Index) -> Bool {
    let name = declared.name(of: index)
    guard let taken = schema.entry(name), oldName.isEmpty || !taken.table.isSame(as: oldName),
      !schema.renames.isGivenAway(taken.table)
    else { return false }
    let free = name.numbered(separator: "_") { schema.entry($0) != nil }
    refuse(
      "the index \(name) cannot be created: \(taken.kind.rawValue) \(taken.name) has that name; "
        + "give the index another name with `name:`",
      line: index.line(in: declared, name: free) ?? "name: \(free.swiftLiteral)")
    return true
  }

  /// Whether an existing UNIQUE constraint does the work of a unique index.
  private func isConstrained(_ index: TableDefinition.Index) -> Bool {
    guard index.isUnique, index.condition == nil, index.givenName == nil else { return false }
    let terms = index.terms.map(\.normalSQL)
    return live.constraints.contains { constraint in
      guard case .unique(let found) = constraint.kind, !isRemoved(constraint) else {
        return false
      }
      return found.map(\.normal) == terms
    }
  }

  /// Returns how many values of a unique index occur more than once; nil if it names unknown
  /// columns.
  private func sharedValues(of index: TableDefinition.Index) throws -> Int? {
    let tokens = index.terms.flatMap { SQLTokens($0).tokens }
    let condition = index.condition ?? "1"
    let isKnown = (tokens + SQLTokens(condition).tokens).allSatisfy { token in
      token.kind != .quotedName || live.column(token.value) != nil
        || sources[token.value.lowercasedASCII] != nil
    }
    guard isKnown else { return nil }
    var terms = index.terms.map { term in
      term.hasSuffix(" DESC") ? String(term.dropLast(" DESC".count)) : term
    }
    var values = oldColumnNames.mapValues { Identifier($0).quoted }
    for source in sources.values where live.column(source.column) == nil {
      // In GROUP BY, a plain number would be the index of a result column.
      values[source.column.lowercasedASCII] = "coalesce(\(source.sql), NULL)"
    }
    terms = terms.map { $0.replacing(values) }
    let rows = condition.replacing(values)
    let isThere = terms.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
    return try connection.number(
      """
      SELECT count(*) FROM (SELECT 1 FROM \(Identifier(oldName).quoted) WHERE (\(rows)) AND \(isThere)
        GROUP BY \(terms.joined(separator: ", ")) HAVING count(*) > 1)
      """)
  }
}

extension LiveTable.KeyTerm {
  /// The normalised tokens of the term as an index would have it, without the direction.
  fileprivate var normal: [String] {
    [column.lowercasedASCII] + (collation.map { ["collate", $0.lowercasedASCII] } ?? [])
  }
}

extension Declarations {
  /// Returns whether a table declares an index with that name.
  fileprivate func names(_ index: String) -> Bool {
    tables.contains { table in
      table.indexes.contains { table.name(of: $0).isSame(as: index) }
    }
  }
}

extension TableDefinition.Index {
  /// The index as a line of a schema; nil if it has more than plain columns.
  fileprivate func line(in table: TableDefinition, name: String) -> String? {
    guard condition == nil, terms.allSatisfy({ $0.normalSQL.count == 1 }) else { return nil }
    return "\(isUnique ? "Unique" : "Index")(\(paths(in: table).joined(separator: ", ")), "
      + "name: \(name.swiftLiteral))"
  }

  /// The columns of the index as key paths, for a line to paste.
  fileprivate func paths(in table: TableDefinition) -> [String] {
    terms.flatMap { SQLTokens($0).tokens }.compactMap { token in
      table.column(token.value).map(\.type.path)
    }
  }
}
