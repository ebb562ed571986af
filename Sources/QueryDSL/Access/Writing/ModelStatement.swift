import SQLCore

/// The kinds of cached statements for one type of model. A connection finds such a statement by its
/// kind and the number of the model's layout.
enum ModelStatement: UInt8 {
  case find, findWithRowID, insert, insertAssigningKey, insertSeveral, upsert, delete, update

  /// The first byte of the shape, by which the cache finds the statement. It is greater than the
  /// first byte of any query's shape.
  var mark: UInt8 { 0xF8 + rawValue }

  /// The count of statement numbers that each layout has. The first numbers are for the kinds of
  /// statements. Each of the other numbers is for the updates of one column.
  private static let numbersPerLayout = 32

  /// The statement numbers of all layouts together.
  static let numbers = 0..<(Int(UInt16.max) + 1) * numbersPerLayout

  /// Returns the number of this kind of statement for a layout.
  func number(for layout: ModelLayout) -> Int {
    Int(layout.number) * Self.numbersPerLayout + Int(rawValue)
  }

  /// Returns the number of the statement that updates one column. Returns nil if the index of the
  /// column is so high that the layout has no number for it.
  static func number(forUpdateOf column: UInt16, of layout: ModelLayout) -> Int? {
    let place = Int(update.rawValue) + Int(column)
    return place < numbersPerLayout ? Int(layout.number) * numbersPerLayout + place : nil
  }
}

extension ConnectionCore {
  /// Returns the cached statement of this kind for a layout. The caller must give the statement
  /// back.
  func lendStatement(
    _ kind: ModelStatement, of layout: ModelLayout, sql: () -> String
  ) throws -> StatementPointer {
    try lendStatement(
      number: kind.number(for: layout),
      shape: { key in
        key.append(kind.mark)
        key.append(layout.number)
      },
      sql: sql)
  }
}

/// Methods that return the cached statements for writing models. The cache finds a statement by its
/// shape, which has only a few bytes. The caller must give each statement back.
extension ModelWriting {
  /// Returns `INSERT INTO "T" (…) VALUES (…)`, without the key column if the database assigns the
  /// key.
  func insertStatement(assigningKey: Bool) throws -> StatementPointer {
    try layout.requireTable()
    return try core.lendStatement(assigningKey ? .insertAssigningKey : .insert, of: layout) {
      insertSQL(layout.orders.inserted(assigningKey: assigningKey))
    }
  }

  /// Returns `INSERT INTO "T" (…) VALUES (…), (…), …`.
  func insertStatement(rows: Int) throws -> StatementPointer {
    try layout.requireTable()
    return try core.lendStatement(
      shape: { key in
        key.append(ModelStatement.insertSeveral.mark)
        key.append(layout.number)
        key.append(UInt16(truncatingIfNeeded: rows))
      },
      sql: {
        let columns = layout.orders.all
        let marks = "(" + columns.map { _ in "?" }.joined(separator: ", ") + ")"
        return insertSQL(columns) + String(repeating: ", " + marks, count: rows - 1)
      })
  }

  /// Returns an INSERT with an ON CONFLICT clause. If a row with the same key exists, the statement
  /// updates this row.
  func upsertStatement() throws -> StatementPointer {
    try layout.requireTable()
    return try core.lendStatement(.upsert, of: layout) {
      let keys = layout.keyColumns.map { layout.columns[$0].quotedName }.joined(separator: ", ")
      let others = layout.columns.filter { !$0.isPrimaryKey && !$0.isGenerated }
      let action =
        others.isEmpty
        ? "NOTHING"
        : "UPDATE SET "
          + others.map { "\($0.quotedName) = excluded.\($0.quotedName)" }.joined(separator: ", ")
      return insertSQL(layout.orders.all) + " ON CONFLICT (\(keys)) DO \(action)"
    }
  }

  /// Returns `UPDATE "T" SET … WHERE key = ?`. The last elements of `columns` are the key columns;
  /// the elements before them are the columns to set.
  func updateStatement(_ columns: UnsafeBufferPointer<UInt16>) throws -> StatementPointer {
    try layout.requireTable()
    func writeShape(_ key: inout StatementKey) {
      key.append(ModelStatement.update.mark)
      key.append(layout.number)
      for column in columns { key.append(column) }
    }
    func sql() -> String {
      let set = columns.dropLast(layout.keyColumns.count)
        .map { "\(layout.columns[Int($0)].quotedName) = ?" }.joined(separator: ", ")
      return "UPDATE \(layout.quotedTableName) SET \(set) WHERE \(layout.keyCondition)"
    }
    guard columns.count == layout.keyColumns.count + 1,
      let number = ModelStatement.number(forUpdateOf: columns[0], of: layout)
    else { return try core.lendStatement(shape: writeShape, sql: sql) }
    return try core.lendStatement(number: number, shape: writeShape, sql: sql)
  }

  /// Returns `DELETE FROM "T" WHERE key = ?`.
  func deleteStatement() throws -> StatementPointer {
    try layout.requireTable()
    return try core.lendStatement(.delete, of: layout) {
      "DELETE FROM \(layout.quotedTableName) WHERE \(layout.keyCondition)"
    }
  }

  private func insertSQL(_ columns: UnsafeBufferPointer<UInt16>) -> String {
    guard !columns.isEmpty else { return "INSERT INTO \(layout.quotedTableName) DEFAULT VALUES" }
    let names = columns.map { layout.columns[Int($0)].quotedName }.joined(separator: ", ")
    let marks = columns.map { _ in "?" }.joined(separator: ", ")
    return "INSERT INTO \(layout.quotedTableName) (\(names)) VALUES (\(marks))"
  }
}

extension ModelLayout {
  /// Throws `QueryError` if the model is a view. SQLite does not count the changed rows of a view,
  /// so it would be unknown whether a model's row existed.
  @inline(__always)
  fileprivate func requireTable() throws {
    if isView { throw isViewError }
  }

  private var isViewError: QueryError {
    QueryError(
      "\(tableName) is a view, which has no rows of its own: write its tables; or declare "
        + "INSTEAD OF triggers, `Trigger(_:insteadOf:)`, and run the commands "
        + "\(model).insert(row), \(model).update { … } and \(model).delete()")
  }
}
