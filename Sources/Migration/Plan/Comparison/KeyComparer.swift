import QueryDSL
import SQLCore

/// Compares the primary key, and whether the table has a rowid.
struct KeyComparer: TableComparer {
  let table: TableComparison

  func differences() throws -> [TableDifference] {
    var differences: [TableDifference] = []
    let old = existing.key.columns
    let new = declared.keyNames
    let isSame = old.map(\.lowercasedASCII) == new.map(\.lowercasedASCII)
    if let isWithoutRowID = declared.isWithoutRowID, isWithoutRowID != existing.isWithoutRowID {
      differences.append(
        change(isWithoutRowID ? "the table becomes WITHOUT ROWID" : "the table gets a rowid"))
      if isSame, isWithoutRowID {
        guard !existing.key.isAutoincrement else {
          return differences + [
            refusal(
              "\(declared.model) is declared without a rowid, and the key in the database is "
                + "AUTOINCREMENT, which needs a rowid; keep the rowid", line: "WithRowID()")
          ]
        }
        // In a WITHOUT ROWID table, every column of the key is implicitly NOT NULL.
        differences += try refusedValues("the table becomes WITHOUT ROWID")
      }
    }
    guard !isSame else { return differences + (try rowIDKeyDifferences()) }
    let reason =
      "the primary key is (\(old.joined(separator: ", "))) in the database and "
      + "(\(new.joined(separator: ", "))) in \(declared.model)"
    return differences + [change(reason + lostWithKey)] + (try refusedValues(reason))
      + refusedReferences(reason)
  }

  /// The clauses of the existing key that the new key loses, such as AUTOINCREMENT, as a plan
  /// prints them.
  private var lostWithKey: String {
    var lost = existing.key.conflict.isEmpty ? [] : [String(existing.key.conflict.dropFirst())]
    if existing.key.isAutoincrement, !declared.hasRowIDKey { lost.append("AUTOINCREMENT") }
    return lost.isEmpty ? "" : ", and the new key has no \(lost.joined(separator: " and no "))"
  }

  /// Returns the change that makes the key an alias of the rowid, if SQLite must assign the key's
  /// values. SQLite assigns values only to such an alias. `INT PRIMARY KEY` and
  /// `INTEGER PRIMARY KEY DESC` are not aliases.
  private func rowIDKeyDifferences() throws -> [TableDifference] {
    guard declared.hasRowIDKey, declared.isWithoutRowID ?? existing.isWithoutRowID == false,
      !existing.hasRowIDKey, let column = declared.column(declared.keyNames[0]), column.isOptional
    else { return [] }
    let reason = "\(column.name) is assigned by the database"
    return [change(reason)] + (try refusedValues(reason))
  }

  /// Returns a refusal if the new key would be NULL or not unique in existing rows.
  private func refusedValues(_ reason: String) throws -> [TableDifference] {
    let columns = declared.keyNames.compactMap { name -> String? in
      guard existing.column(name) != nil else {
        // If the new column is the rowid, each row has its own value. Any other new column is left
        // out, because it would have the same value in every row.
        return declared.hasRowIDKey ? existing.rowIDName : nil
      }
      return names.quoted(name)
    }
    guard try rows.hasRow() else { return [] }
    guard !columns.isEmpty else {
      guard try rows.hasSeveralRows() else { return [] }
      return [
        refusal(
          "\(reason), whose columns are new, so all rows would have the same key; fill them in a "
            + "`MigrationStep` that runs `.before`", lines: lines.addingKey(), rows: .all)
      ]
    }
    let nulls = try rows.count(
      where: columns.map { "\($0) IS NULL" }.joined(separator: " OR "))
    let list = columns.joined(separator: ", ")
    let shared = try rows.connection.number(
      "SELECT count(*) FROM (SELECT 1 FROM \(names.quotedTable) GROUP BY \(list) "
        + "HAVING count(*) > 1)")
    guard nulls > 0 || shared > 0 else { return [] }
    return [
      refusal(
        "\(reason), and in the existing rows \(nulls) of its values \(nulls == 1 ? "is" : "are") "
          + "NULL and \(shared) \(shared == 1 ? "occurs" : "occur") more than once; fix them in a "
          + "`MigrationStep` that runs `.before`",
        lines: [lines.ownTable, try lines.deletingKeys(columns)], rows: .all)
    ]
  }

  /// Returns a refusal of the new key for each foreign key that it would break. Such a foreign key
  /// refers to the old key without naming its columns, or to columns that would no longer be
  /// unique.
  private func refusedReferences(_ reason: String) -> [TableDifference] {
    table.schema.references(to: declared.name).compactMap { reference -> TableDifference? in
      guard !table.others.removes(reference) else { return nil }
      let targets = reference.key.targetColumns
      guard !targets.isEmpty else {
        return refusal(
          "\(reason), and \(reference.table) refers to the key without naming its columns, so it "
            + "would refer to the new key", line: lines.ownTable)
      }
      guard !isUnique(targets) else { return nil }
      return refusal(
        "\(reason), and \(reference.table) refers to (\(targets.joined(separator: ", "))), which must "
          + "stay unique", line: lines.unique(targets))
    }
  }

  private func isUnique(_ columns: [String]) -> Bool {
    let folded = Set(columns.map(\.lowercasedASCII))
    if Set(declared.keyNames.map(\.lowercasedASCII)) == folded { return true }
    let isIndexed = declared.indexes.contains { index in
      index.isUnique && index.condition == nil
        && Set(index.terms.flatMap(\.normalSQL)) == folded
    }
    // An index that no model declares stays, so it still keeps the columns unique.
    let hasIndex = table.indexes.contains { index in
      index.isUnique && index.condition.isEmpty && Set(index.plainColumns ?? []) == folded
        && !declared.removes(.index(index.name)) && !table.comesFromCode(index)
    }
    return isIndexed || hasIndex
      || existing.constraints.contains { constraint in
        guard case .unique(let terms) = constraint.kind else { return false }
        return Set(terms.map(\.column.lowercasedASCII)) == folded
          && !table.isRemoved(constraint)
      }
  }
}
