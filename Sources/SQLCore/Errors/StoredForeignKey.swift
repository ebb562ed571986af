/// A foreign key as a database declares it.
package struct StoredForeignKey: Hashable, CustomStringConvertible {
  /// The child table, which refers to `parent`.
  package let table: String
  package fileprivate(set) var columns: [String] = []
  package let parent: String
  /// The columns of the parent table to which the key refers. If the declaration names none, these
  /// are the columns of the parent's primary key. This array is shorter than `columns` if the
  /// primary key is missing or has fewer columns.
  package fileprivate(set) var parentColumns: [String] = []
  package let onDelete: String
  package let onUpdate: String

  /// Whether the foreign key prevents the deletion of a row to which other rows refer.
  package var preventsDeletion: Bool { onDelete == "NO ACTION" || onDelete == "RESTRICT" }

  /// The table and its columns, such as `Post.authorID` or `Post (day, number)`.
  package var description: String {
    columns.count == 1
      ? "\(table).\(columns[0])" : "\(table) (\(columns.joined(separator: ", ")))"
  }
}

extension ConnectionCore {
  /// Returns the foreign keys that a table declares, in the order of their declaration. If
  /// `isChild` is false, returns the foreign keys that refer to the table. If `table` is nil,
  /// returns the foreign keys of all tables.
  ///
  /// Runs one statement, which bypasses the statement cache and the observers.
  package func foreignKeys(
    of table: String? = nil, in database: String = "main", isChild: Bool = true
  ) throws -> [StoredForeignKey] {
    let condition =
      table == nil ? "" : "AND \(isChild ? "m.name" : "f.\"table\"") = ?2 COLLATE NOCASE"
    // REFERENCES without columns means the parent's primary key.
    let rows = try ownRows(
      """
      SELECT m.name, f.seq, f."from", f."table", coalesce(f."to", \
      (SELECT name FROM pragma_table_xinfo(f."table", ?1) WHERE pk = f.seq + 1)), \
      f.on_delete, f.on_update
      FROM \(Identifier(database).quoted).sqlite_schema AS m
      JOIN pragma_foreign_key_list(m.name, ?1) AS f
      WHERE m.type = 'table' \(condition) ORDER BY m.name, f.id DESC, f.seq
      """, [database] + (table.map { [$0] } ?? []))
    var keys: [StoredForeignKey] = []
    for row in rows {
      guard let child = row[0], let column = row[2], let parent = row[3], let onDelete = row[5],
        let onUpdate = row[6]
      else { continue }
      if row[1] == "0" {
        keys.append(
          StoredForeignKey(table: child, parent: parent, onDelete: onDelete, onUpdate: onUpdate))
      }
      guard let last = keys.indices.last else { continue }
      keys[last].columns.append(column)
      if let target = row[4] { keys[last].parentColumns.append(target) }
    }
    return keys
  }

  /// Returns the foreign keys with a child row whose parent row is missing, in all databases of the
  /// connection. Reads all rows of all tables with foreign keys.
  func foreignKeysOfDanglingRows() -> [StoredForeignKey] {
    readRows(
      """
      SELECT DISTINCT d.name, c."table", c.fkid FROM pragma_database_list AS d
      CROSS JOIN pragma_foreign_key_check(NULL, d.name) AS c ORDER BY d.seq, 2, 3 DESC
      """
    ).compactMap { row in
      guard let database = row[0], let table = row[1], let id = row[2].flatMap({ Int($0) }) else {
        return nil
      }
      // SQLite numbers the foreign keys of a table in the reverse order of their declaration.
      let keys = (try? foreignKeys(of: table, in: database)) ?? []
      return keys.indices.contains(keys.count - 1 - id) ? keys[keys.count - 1 - id] : nil
    }
  }
}
