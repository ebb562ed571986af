import SQLCore

/// The renamings of tables and columns that the schemas declare and that have not run in the
/// database yet.
package struct Renames {
  /// A table that gets another name, or has columns that get other names.
  package struct Table {
    package let formerName: String
    let name: String
    package var columns: [(name: String, from: String)] = []
    /// The renamings of columns in the order in which they run, including those to and from a
    /// temporary name.
    package var renamings: [(name: String, from: String)] = []

    package init(formerName: String, name: String) {
      self.formerName = formerName
      self.name = name
    }
  }

  package var tables: [Table] = []

  package init() {}

  /// Returns the name that a table has after the renamings. `formerName` is its name before them.
  package func name(ofTable formerName: String) -> String {
    tables.first { $0.formerName.isSame(as: formerName) }?.name ?? formerName
  }

  /// Returns the name that a table has before the renamings. `name` is its name after them. If
  /// Article is renamed to Post, the result for Post is Article. The result for Article is then
  /// nil, unless another table is renamed to Article.
  package func formerName(ofTable name: String) -> String? {
    if let table = tables.first(where: { $0.name.isSame(as: name) }) { return table.formerName }
    return isGivenAway(name) ? nil : name
  }

  /// Returns whether the table that is called `formerName` before the renamings gets another name.
  package func isGivenAway(_ formerName: String) -> Bool {
    tables.contains {
      $0.formerName.isSame(as: formerName) && !$0.name.isSame(as: formerName)
    }
  }

  /// Returns the renamed columns of an existing table, each with its name before and after all
  /// renamings. Temporary names are left out.
  package func columns(ofFormer table: String) -> [(name: String, from: String)] {
    tables.first { $0.formerName.isSame(as: table) }?.columns ?? []
  }

  /// Returns the renamings of the columns in the order in which they run, including those to and
  /// from a temporary name.
  package func renamings(ofFormer table: String) -> [(name: String, from: String)] {
    tables.first { $0.formerName.isSame(as: table) }?.renamings ?? []
  }

  /// Returns the new name of each renamed column of a table. The keys of the dictionary are the
  /// names that the columns have before the renamings, in lower case.
  func newNames(ofColumnsOfFormer table: String) -> [String: String] {
    Dictionary(columns(ofFormer: table).map { ($0.from.lowercasedASCII, $0.name) }) { first, _ in
      first
    }
  }

  /// Returns whether a renaming may change the text of a definition.
  package func mayChange(_ entry: ExistingSchema.Entry) -> Bool {
    guard let sql = entry.sql else { return false }
    return tables.contains { table in
      var formerNames = table.columns.map(\.from)
      if isGivenAway(table.formerName) { formerNames.append(table.formerName) }
      return formerNames.contains { sql.mentions($0.lowercasedASCII, orBeforePoint: true) }
    }
  }
}

extension ExistingTable {
  /// Renames a column wherever the table's own definition names it. The columns that foreign keys
  /// reference are changed by `follow(_:)`.
  mutating func rename(_ column: String, to name: String) {
    let folded = column.lowercasedASCII
    func renamed(_ names: [String]) -> [String] {
      names.map { $0.lowercasedASCII == folded ? name : $0 }
    }
    for index in columns.indices {
      if columns[index].name.lowercasedASCII == folded { columns[index].name = name }
      if let expression = columns[index].generated?.expression {
        columns[index].generated?.expression = expression.renaming(column, to: name)
      }
      for clause in columns[index].clauses.indices {
        let text = columns[index].clauses[clause].text
        switch columns[index].clauses[clause].kind {
        case .generated: columns[index].clauses[clause].text = text.renaming(column, to: name)
        case .constraint(let constraint) where !constraints[constraint].kind.isForeignKey:
          columns[index].clauses[clause].text = text.renaming(column, to: name)
        case .name, .key, .notNull, .null, .defaultValue, .collation, .constraint: break
        }
      }
    }
    for index in key.terms.indices where key.terms[index].column.lowercasedASCII == folded {
      key.terms[index].column = name
    }
    key.text = key.text?.renaming(column, to: name)
    for index in constraints.indices {
      let text = constraints[index].text
      switch constraints[index].kind {
      case .unique(var terms):
        for term in terms.indices where terms[term].column.lowercasedASCII == folded {
          terms[term].column = name
        }
        constraints[index].kind = .unique(terms)
        constraints[index].text = text.renaming(column, to: name)
      case .check(let condition):
        constraints[index].kind = .check(condition.renaming(column, to: name))
        constraints[index].text = text.renaming(column, to: name)
      case .foreignKey(var key):
        key.columns = renamed(key.columns)
        constraints[index].kind = .foreignKey(key)
        constraints[index].text = text.renamingForeignKey(columns: [folded: name])
      }
    }
  }

  /// Updates the foreign keys with the new names of the tables and columns that they reference.
  mutating func follow(_ renames: Renames) {
    for index in constraints.indices {
      guard case .foreignKey(var key) = constraints[index].kind else { continue }
      let table = renames.name(ofTable: key.target)
      let names = renames.newNames(ofColumnsOfFormer: key.target)
      guard table != key.target || !names.isEmpty else { continue }
      key.target = table
      key.targetColumns = key.targetColumns.map { names[$0.lowercasedASCII] ?? $0 }
      constraints[index].kind = .foreignKey(key)
      constraints[index].text = constraints[index].text
        .renamingForeignKey(table: table, targetColumns: names)
      for column in columns.indices {
        for clause in columns[column].clauses.indices {
          guard case .constraint(index) = columns[column].clauses[clause].kind else { continue }
          columns[column].clauses[clause].text = columns[column].clauses[clause].text
            .renamingForeignKey(table: table, targetColumns: names)
        }
      }
    }
  }
}

extension String {
  /// Returns the text of a foreign key, with new names of its columns, of the referenced table and
  /// of the referenced columns. The keys of the dictionaries are the names before the renamings, in
  /// lower case.
  fileprivate func renamingForeignKey(
    columns: [String: String] = [:], table: String? = nil, targetColumns: [String: String] = [:]
  ) -> String {
    let sql = SQLTokens(self)
    let tokens = sql.tokens
    guard let refers = tokens.firstIndex(where: { $0.isWord("references") }),
      refers + 1 < tokens.endIndex
    else { return self }
    var names: [(token: SQLTokens.Token, name: String)] = []
    func rename(_ list: ArraySlice<SQLTokens.Token>, by newNames: [String: String]) {
      guard let open = list.firstIndex(where: { $0.isSign("(") }) else { return }
      for token in list[open...].prefix(while: { !$0.isSign(")") }) where token.isName {
        if let name = newNames[token.value.lowercasedASCII] { names.append((token, name)) }
      }
    }
    rename(tokens[..<refers], by: columns)
    if let table { names.append((tokens[refers + 1], table)) }
    let behind = tokens[(refers + 2)...]
    if behind.first?.isSign("(") == true { rename(behind, by: targetColumns) }
    var renamed = ""
    var end = 0
    for (token, name) in names {
      renamed += String(decoding: sql.bytes[end..<token.range.lowerBound], as: UTF8.self)
      renamed += Identifier(name).quoted
      end = token.range.upperBound
    }
    return renamed + String(decoding: sql.bytes[end...], as: UTF8.self)
  }
}
