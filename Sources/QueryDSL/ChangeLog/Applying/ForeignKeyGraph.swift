import SQLCore

/// The foreign keys of a database, to check the rows that were written while SQLite did not enforce
/// them. Only these rows are checked, not the whole tables.
struct ForeignKeyGraph {
  private struct Key {
    let child: String
    let columns: [String]
    let parent: String
    let parentColumns: [String]

    var failure: ConstraintFailure {
      ConstraintFailure(kind: .foreignKey, table: child, columns: columns)
    }

    /// The condition that the row `c` of the child refers to a row that does not exist.
    var isDangling: String {
      let pairs = zip(columns, parentColumns).map { child, parent in
        (child: "c.\(Identifier(child).quoted)", parent: "p.\(Identifier(parent).quoted)")
      }
      let isSet = pairs.map { "\($0.child) IS NOT NULL" }.joined(separator: " AND ")
      let isEqual = pairs.map { "\($0.parent) = \($0.child)" }.joined(separator: " AND ")
      return "\(isSet) AND NOT EXISTS (SELECT 1 FROM \(Identifier(parent).quoted) AS p "
        + "WHERE \(isEqual))"
    }
  }

  private var keys: [Key] = []

  init(of connection: Connection) throws {
    let rows = try connection.fetch(
      (String, Int, String, String, String?).self,
      """
      SELECT m.name, f.id, f."table", f."from", f."to" FROM sqlite_schema AS m \
      JOIN pragma_foreign_key_list(m.name) AS f WHERE m.type = 'table' ORDER BY m.name, f.id, f.seq
      """)
    var index = 0
    while index < rows.count {
      let (child, id, parent, _, target) = rows[index]
      let parts = rows[index...].prefix { $0.0 == child && $0.1 == id }
      index += parts.count
      let targets =
        target == nil
        ? try AppliedTable(named: parent, on: connection)?.keys ?? [] : parts.compactMap(\.4)
      keys.append(
        Key(
          child: child, columns: parts.map(\.3), parent: parent, parentColumns: targets))
    }
  }

  /// Returns the foreign key by which a row refers to a row that does not exist; nil if there is
  /// none.
  func violation(
    ofRow values: [AppliedValue], in table: String, on connection: Connection
  ) throws -> ConstraintFailure? {
    for key in keys where key.child.isSame(as: table) {
      var sql: SQL = "SELECT 1 FROM \(identifier: key.child) AS c WHERE "
      for value in values { sql.append("c.\(identifier: value.column) = \(value.value) AND ") }
      sql.append(SQL(unsafe: key.isDangling))
      if try connection.row(sql) != nil { return key.failure }
    }
    return nil
  }

  /// Returns the foreign key by which a row still refers to values that a row of `table` had and no
  /// row has now; nil if there is none.
  func violation(
    afterChangeOf row: AppliedRow, in table: String, on connection: Connection
  ) throws -> ConstraintFailure? {
    for key in keys where key.parent.isSame(as: table) {
      let values = key.parentColumns.compactMap { row[$0] }
      guard values.count == key.columns.count, !values.contains(where: \.isNull) else { continue }
      var sql: SQL = "SELECT 1 FROM \(identifier: key.child) AS c WHERE "
      for (column, value) in zip(key.columns, values) {
        sql.append("c.\(identifier: column) = \(value) AND ")
      }
      sql.append(SQL(unsafe: key.isDangling + " LIMIT 1"))
      if try connection.row(sql) != nil { return key.failure }
    }
    return nil
  }
}
