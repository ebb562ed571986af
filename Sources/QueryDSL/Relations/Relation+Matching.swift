import SQLCore

extension Relation {
  /// Whether SQLite treats values of the columns as equal only if they are identical: if both
  /// columns compare text by bytes, and store the values of Swift unchanged.
  ///
  /// The columns of the database file decide this, not those that the models declare.
  package func comparesStoredValues(on core: ConnectionCore) -> Bool {
    pairs.allSatisfy { pair in
      [pair.owner, pair.parent].allSatisfy { column in
        guard let known = core.comparison(ofColumn: column.name, in: column.table) else {
          return false
        }
        return known.isBinary && known.storageClass == pair.storageClass
      }
    }
  }

  /// Returns the values, as the children store them, that refer to each parent, with the indices of
  /// those parents.
  ///
  /// SQLite finds them by a join. The join compares as a foreign key does, by the collation of the
  /// parent's column; if that compares bytes, it uses the collation of the child's column.
  /// - SeeAlso: <https://www.sqlite.org/foreignkeys.html>
  func matches(
    of keys: [RelationKey], on core: ConnectionCore
  ) throws -> [RelationKey: [Int]] {
    let arrays = pairs.indices.map { index in
      BoundValue.array(BoundArray(keys.map { $0.value(at: index) }))
    }
    let sql = SQL(text: matchingText(on: core), bindings: arrays)
    var matches: [RelationKey: [Int]] = [:]
    try core.lend().forEach(sql) { row in
      let index = try row.get(Int.self, at: 0)
      var values: [DatabaseValue] = []
      for place in pairs.indices { values.append(try row.databaseValue(at: place + 1)) }
      matches[RelationKey(values), default: []].append(index)
    }
    return matches
  }

  /// Returns the SQL of the join that finds the values that refer to some parents.
  package func matchingText(on core: ConnectionCore) -> String {
    // COLLATE BINARY and typeof keep DISTINCT from merging values that the column's collation makes
    // equal, and 1 and 1.0.
    let columns =
      pairs.map { "child.\(Identifier($0.owner.name).quoted) COLLATE BINARY" }
      + pairs.map { "typeof(child.\(Identifier($0.owner.name).quoted))" }
    var text =
      "SELECT DISTINCT k0.rowid, \(columns.joined(separator: ", ")) FROM apus_array(?) AS k0"
    for index in pairs.indices.dropFirst() {
      text += " JOIN apus_array(?) AS k\(index) ON k\(index).rowid = k0.rowid"
    }
    text += " JOIN \(Identifier(pairs[0].parent.table).quoted) AS parent ON "
    text += pairs.enumerated().map { index, pair in
      "parent.\(Identifier(pair.parent.name).quoted) = k\(index).value"
    }.joined(separator: " AND ")
    text += " JOIN \(Identifier(pairs[0].owner.table).quoted) AS child ON "
    text += pairs.map { pair in
      let parent = "parent.\(Identifier(pair.parent.name).quoted)"
      let child = "child.\(Identifier(pair.owner.name).quoted)"
      // The collation of the left operand is used.
      let known = core.comparison(ofColumn: pair.parent.name, in: pair.parent.table)
      return known?.isBinary == true ? "\(child) = \(parent)" : "\(parent) = \(child)"
    }.joined(separator: " AND ")
    return text
  }
}
