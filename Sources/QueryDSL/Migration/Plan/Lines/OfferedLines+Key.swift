import SQLCore

extension OfferedLines {
  /// The steps of these lines run before tables are renamed.
  private var formerTable: String { names.quotedTable }

  /// - Parameter count: how many rows the step deletes.
  private func step(_ name: String, _ sql: String, deleting count: Int = 0) -> String {
    "MigrationStep(\("\(name) of \(names.table)".swiftLiteral), .before) "
      + "{ try $0.execute(\(sql.swiftLiteral)) }"
      + (count > 0 ? "  // deletes \(count) \(count == 1 ? "row" : "rows")" : "")
  }

  /// Returns the lines for a key with new columns. One of them is a step that adds the columns and
  /// gives each row a distinct value.
  func addingKey() -> [String] {
    let new = declared.keyNames.compactMap { declared.column($0) }
      .filter { existing.column($0.name) == nil }
    let values = new.map { ($0, $0.type.distinctSQL($0.storageClass, rowID: existing.rowIDName)) }
    // If the values cannot be generated, the rows cannot stay.
    guard values.allSatisfy({ $0.1 != nil }) else {
      return [
        ownTable,
        step(
          "no rows", "DELETE FROM \(formerTable)", deleting: (try? rows.count(where: "1")) ?? 0),
      ]
    }
    let added = values.map { column, _ in
      "ALTER TABLE \(formerTable) ADD COLUMN \(column.quotedName) \(column.storageClass.rawValue); "
    }
    let set = values.map { column, value in "\(column.quotedName) = \(value ?? "NULL")" }
    return [
      step("keys", added.joined() + "UPDATE \(formerTable) SET \(set.joined(separator: ", "))")
    ]
  }

  /// Returns the line of a step that deletes rows without a key, and all but the first of the rows
  /// that share a key.
  func deletingKeys(_ columns: [String]) throws -> String {
    let isNull = columns.map { "\($0) IS NULL" }.joined(separator: " OR ")
    let isLater: String
    var alias = ""
    if let rowID = existing.rowIDName {
      isLater =
        "\(rowID) NOT IN (SELECT min(\(rowID)) FROM \(formerTable) "
        + "GROUP BY \(columns.joined(separator: ", ")))"
    } else {
      let isSame = columns.map { "o.\($0) = k.\($0)" }.joined(separator: " AND ")
      func key(_ table: String) -> String {
        "(" + existing.key.columns.map { "\(table).\(names.quoted($0))" }.joined(separator: ", ")
          + ")"
      }
      alias = " AS k"
      isLater =
        "EXISTS (SELECT 1 FROM \(formerTable) AS o WHERE \(isSame) AND \(key("o")) < \(key("k")))"
    }
    let found = "FROM \(formerTable)\(alias) WHERE \(isNull) OR \(isLater)"
    return step(
      "keys", "DELETE \(found)", deleting: try rows.connection.number("SELECT count(*) \(found)"))
  }

  /// Returns a line that keeps columns unique: a line of the schema, or a step if not all columns
  /// have properties.
  func unique(_ columns: [String]) -> String {
    let properties = columns.compactMap { declared.column($0)?.type.path }
    if properties.count == columns.count {
      return "Unique(\(properties.joined(separator: ", ")))"
    }
    let name = Identifier(([names.table] + columns + ["unique"]).joined(separator: "_")).quoted
    return step(
      "unique \(columns.joined(separator: ", "))",
      "CREATE UNIQUE INDEX \(name) ON \(formerTable) "
        + "(\(columns.map { names.quoted($0) }.joined(separator: ", ")))")
  }
}
