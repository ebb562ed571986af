import SQLCore

/// The statements that write one model, each found by a few bytes of shape.
extension ModelWriting {
  /// Marks of the shapes, behind those of queries.
  private enum Shape: UInt8 {
    case insertSeveral = 0xF9
    case insertAssigningKey = 0xFA
    case insert = 0xFB
    case upsert = 0xFC
    case update = 0xFD
    case delete = 0xFE
  }

  /// `INSERT INTO "T" (…) VALUES (…)`; without a key that the database assigns.
  func insertStatement(assigningKey: Bool) throws -> StatementPointer {
    try lendStatement(assigningKey ? .insertAssigningKey : .insert) {
      insertSQL(layout.orders.inserted(assigningKey: assigningKey))
    }
  }

  /// `INSERT INTO "T" (…) VALUES (…), (…), …`
  func insertStatement(rows: Int) throws -> StatementPointer {
    try core.lendStatement(
      shape: { key in
        key.append(Shape.insertSeveral.rawValue)
        key.append(layout.number)
        key.append(UInt16(truncatingIfNeeded: rows))
      },
      sql: {
        let columns = layout.orders.all
        let marks = "(" + columns.map { _ in "?" }.joined(separator: ", ") + ")"
        return insertSQL(columns) + String(repeating: ", " + marks, count: rows - 1)
      })
  }

  /// An INSERT that updates the row that has the key already.
  func upsertStatement() throws -> StatementPointer {
    try lendStatement(.upsert) {
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

  /// `UPDATE "T" SET … WHERE key = ?`: the first of the columns are set, the last are the key.
  func updateStatement(_ columns: UnsafeBufferPointer<UInt16>) throws -> StatementPointer {
    try core.lendStatement(
      shape: { key in
        key.append(Shape.update.rawValue)
        key.append(layout.number)
        for column in columns { key.append(column) }
      },
      sql: {
        let set = columns.dropLast(layout.keyColumns.count)
          .map { "\(layout.columns[Int($0)].quotedName) = ?" }.joined(separator: ", ")
        return "UPDATE \(layout.quotedTableName) SET \(set) WHERE \(layout.keyCondition)"
      })
  }

  /// `DELETE FROM "T" WHERE key = ?`
  func deleteStatement() throws -> StatementPointer {
    try lendStatement(.delete) {
      "DELETE FROM \(layout.quotedTableName) WHERE \(layout.keyCondition)"
    }
  }

  private func lendStatement(_ shape: Shape, sql: () -> String) throws -> StatementPointer {
    try core.lendStatement(
      shape: { key in
        key.append(shape.rawValue)
        key.append(layout.number)
      },
      sql: sql)
  }

  private func insertSQL(_ columns: UnsafeBufferPointer<UInt16>) -> String {
    guard !columns.isEmpty else { return "INSERT INTO \(layout.quotedTableName) DEFAULT VALUES" }
    let names = columns.map { layout.columns[Int($0)].quotedName }.joined(separator: ", ")
    let marks = columns.map { _ in "?" }.joined(separator: ", ")
    return "INSERT INTO \(layout.quotedTableName) (\(names)) VALUES (\(marks))"
  }
}
