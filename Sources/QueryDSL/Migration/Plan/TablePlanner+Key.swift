import SQLCore

extension TablePlanner {
  /// Compares the primary key, and whether the table has a rowid.
  mutating func compareKey() throws {
    if let isWithoutRowID = declared.isWithoutRowID, isWithoutRowID != live.isWithoutRowID {
      changes.append(Change(reason: isWithoutRowID ? "it has no rowid" : "it has a rowid"))
    }
    let old = live.key.columns
    let new = declared.keyNames
    guard old.map(\.lowercasedASCII) != new.map(\.lowercasedASCII) else { return }
    let reason =
      "the primary key is (\(old.joined(separator: ", "))) in the database and "
      + "(\(new.joined(separator: ", "))) in \(declared.model)"
    changes.append(Change(reason: reason))
    try checkKeyValues(reason)
    try checkReferences(reason)
  }

  /// A key has no NULL, and no value twice.
  private mutating func checkKeyValues(_ reason: String) throws {
    let columns = declared.keyNames.compactMap { name -> String? in
      guard live.column(name) != nil else {
        // A new column has the same value in every row; a rowid has not.
        return declared.hasRowIDKey ? liveRowIDName : nil
      }
      return oldName(of: name)
    }
    guard try rowCount() > 0 else { return }
    guard !columns.isEmpty else {
      guard try rowCount() > 1 else { return }
      return refuse(
        "\(reason), whose columns are new: all rows would have one key; fill them in a "
          + "`MigrationStep` that runs before", rowCount: try rowCount())
    }
    let nulls = try rows(where: columns.map { "\($0) IS NULL" }.joined(separator: " OR "))
    let list = columns.joined(separator: ", ")
    let shared = try connection.number(
      "SELECT count(*) FROM (SELECT 1 FROM \(Identifier(oldName).quoted) GROUP BY \(list) "
        + "HAVING count(*) > 1)")
    guard nulls > 0 || shared > 0 else { return }
    refuse(
      "\(reason), and in the rows there \(nulls) of its values "
        + "\(nulls == 1 ? "is" : "are") NULL and \(shared) \(shared == 1 ? "comes" : "come") more "
        + "than once; make them right by a `MigrationStep` that runs before",
      rowCount: try rowCount())
  }

  /// What refers to the old key must find it still: as a key, or as something unique.
  private mutating func checkReferences(_ reason: String) throws {
    for entry in schema.entries where entry.kind == .table {
      guard let table = try? schema.table(entry.name) else { continue }
      for case .foreignKey(let key) in table.constraints.map(\.kind)
      where key.target.isSame(as: oldName) {
        var targets = key.targetColumns.isEmpty ? live.key.columns : key.targetColumns
        if !key.targetColumns.isEmpty {
          targets = targets.map { target in
            oldColumnNames.first { $0.value.isSame(as: target) }?.key ?? target
          }
        }
        guard !isUnique(targets) else { continue }
        let paths = targets.map { "\\.$\(declared.column($0)?.type.property ?? $0)" }
        refuse(
          "\(reason), and \(entry.name) refers to (\(targets.joined(separator: ", "))), which must "
            + "stay unique", line: "Unique(\(paths.joined(separator: ", ")))")
      }
    }
  }

  private func isUnique(_ columns: [String]) -> Bool {
    let folded = Set(columns.map(\.lowercasedASCII))
    if Set(declared.keyNames.map(\.lowercasedASCII)) == folded { return true }
    let isIndexed = declared.indexes.contains { index in
      index.isUnique && index.condition == nil
        && Set(index.terms.flatMap(\.normalSQL)) == folded
    }
    return isIndexed
      || live.constraints.contains { constraint in
        guard case .unique(let names) = constraint.kind else { return false }
        return Set(names.map(\.lowercasedASCII)) == folded && !isRemoved(constraint)
      }
  }
}
