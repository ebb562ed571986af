import SQLCore

extension TableDefinition {
  /// Returns the table that several models declare together. Each model adds to the table, and no
  /// model removes what another declares.
  static func merged(_ facets: [TableDefinition]) -> TableDefinition {
    var table = facets[0]
    for facet in facets.dropFirst() { table.add(facet) }
    for index in table.columns.indices {
      let column = table.columns[index]
      guard !column.isOptional, column.defaultSQL == nil, column.generated == nil,
        !table.isKey(column.name),
        let other = facets.first(where: { !$0.declares(column.name) })
      else { continue }
      // A model that does not declare the column inserts rows without it, so the column needs a
      // default.
      table.columns[index].defaultSQL = column.fallbackLiteral
      table.columns[index].hasImpliedDefault = true
      if column.fallbackLiteral == nil,
        let first = facets.first(where: { $0.declares(column.name) })
      {
        table.problems.append(
          Problem(
            reason:
              "\(column.name) is not optional and has no default, and \(other.model), which does "
              + "not declare it, could not insert rows; write `Default(\(column.type.path), …)` in the "
              + "schema of \(first.model), or make the property optional",
            line: column.type.declaration(isOptional: true)))
      }
    }
    table.model = facets.map(\.model).joined(separator: ", ")
    return table
  }

  private mutating func add(_ facet: TableDefinition) {
    // A model may omit the key. Then another model gives the table its key.
    if keyNames.isEmpty { keyNames = facet.keyNames }
    if !facet.keyNames.isEmpty,
      facet.keyNames.map(\.lowercasedASCII) != keyNames.map(\.lowercasedASCII)
    {
      problems.append(
        Problem(
          reason: "the primary key is (\(keyNames.joined(separator: ", "))) in \(model) and "
            + "(\(facet.keyNames.joined(separator: ", "))) in \(facet.model); declare the same key "
            + "in both, or give one of them a table of its own",
          line: otherNameLine()))
    }
    for column in facet.columns {
      guard let index = columns.firstIndex(where: { $0.name.isSame(as: column.name) }) else {
        columns.append(column)
        continue
      }
      merge(column, at: index, of: facet.model)
    }
    for index in facet.indexes where !indexes.contains(index) { indexes.append(index) }
    for key in facet.foreignKeys where !foreignKeys.contains(key) { foreignKeys.append(key) }
    for check in facet.checks where !checks.contains(check) { checks.append(check) }
    triggers += facet.triggers
    searchIndexes += facet.searchIndexes
    ownedLines += facet.ownedLines
    isWithoutRowID = isWithoutRowID ?? facet.isWithoutRowID
    // If another model declares a column, the column is not dropped.
    removals = removals.union(facet.removals).filter { removal in
      if case .column(let name) = removal { !declares(name) } else { true }
    }
    for line in facet.renamedColumns
    where !renamedColumns.contains(where: {
      $0.name.isSame(as: line.name) && $0.from.isSame(as: line.from)
    }) { renamedColumns.append(line) }
    formerNames += facet.formerNames.filter { !formerNames.contains($0) }
  }

  private mutating func merge(_ column: Column, at index: Int, of other: String) {
    let mine = columns[index]
    if mine.storageClass != column.storageClass {
      problems.append(
        Problem(
          reason: "\(mine.name) is \(mine.storageClass.rawValue) in \(model) and "
            + "\(column.storageClass.rawValue) in \(other); declare the same type in both",
          line: mine.type.declaration()))
    } else if mine.isOptional != column.isOptional {
      let (optional, required) = mine.isOptional ? (model, other) : (other, model)
      problems.append(
        Problem(
          reason:
            "\(mine.name) is optional in \(optional) and not in \(required); declare it in "
            + "the same way in both", line: mine.type.declaration(isOptional: true)))
    }
    columns[index].defaultSQL = mine.defaultSQL ?? column.defaultSQL
    columns[index].collation = mine.collation ?? column.collation
    columns[index].generated = mine.generated ?? column.generated
    columns[index].conversion = mine.conversion ?? column.conversion
    if let first = mine.conversion, let second = column.conversion,
      !first.source.isSame(as: second.source)
    {
      problems.append(
        Problem(
          reason:
            "\(mine.name) is converted from \(first.source.name) in \(model) and from "
            + "\(second.source.name) in \(other); declare the same conversion in both",
          line: mine.type.declaration()))
    }
  }
}
