import SQLCore

/// The statements that write one model: which columns, and by which key.
struct ModelWriting {
  let layout: ModelLayout

  /// Marks of the shapes, behind those of queries.
  private enum Shape: UInt8 {
    case insert = 0xFB
    case upsert = 0xFC
    case update = 0xFD
    case delete = 0xFE
  }

  /// `INSERT INTO "T" (…) VALUES (…)`; without a key that the database assigns.
  func insertStatement(
    on core: ConnectionCore, columns: UnsafeBufferPointer<UInt16>
  ) throws -> StatementPointer {
    try core.lendStatement(
      shape: { write(.insert, columns, to: &$0) },
      sql: { insertSQL(columns) })
  }

  /// The same, updating the row that has the key already.
  func upsertStatement(
    on core: ConnectionCore, columns: UnsafeBufferPointer<UInt16>
  ) throws -> StatementPointer {
    try core.lendStatement(
      shape: { write(.upsert, columns, to: &$0) },
      sql: {
        let keys = layout.keyColumns.map { layout.columns[$0].quotedName }.joined(separator: ", ")
        let others = columns.map { layout.columns[Int($0)] }.filter { !$0.isPrimaryKey }
        let action =
          others.isEmpty
          ? "NOTHING"
          : "UPDATE SET "
            + others.map { "\($0.quotedName) = excluded.\($0.quotedName)" }.joined(separator: ", ")
        return insertSQL(columns) + " ON CONFLICT (\(keys)) DO \(action)"
      })
  }

  /// `UPDATE "T" SET … WHERE key = ?`: the first of the columns are set, the last are the key.
  func updateStatement(
    on core: ConnectionCore, columns: UnsafeBufferPointer<UInt16>
  ) throws -> StatementPointer {
    try core.lendStatement(
      shape: { write(.update, columns, to: &$0) },
      sql: {
        let set = columns.dropLast(layout.keyColumns.count)
          .map { "\(layout.columns[Int($0)].quotedName) = ?" }.joined(separator: ", ")
        return "UPDATE \(layout.quotedTableName) SET \(set) WHERE \(layout.keyCondition)"
      })
  }

  /// `DELETE FROM "T" WHERE key = ?`
  func deleteStatement(on core: ConnectionCore) throws -> StatementPointer {
    try core.lendStatement(
      shape: { key in
        key.append(Shape.delete.rawValue)
        key.append(layout.number)
      },
      sql: { "DELETE FROM \(layout.quotedTableName) WHERE \(layout.keyCondition)" })
  }

  private func insertSQL(_ columns: UnsafeBufferPointer<UInt16>) -> String {
    guard !columns.isEmpty else { return "INSERT INTO \(layout.quotedTableName) DEFAULT VALUES" }
    let names = columns.map { layout.columns[Int($0)].quotedName }.joined(separator: ", ")
    let marks = columns.map { _ in "?" }.joined(separator: ", ")
    return "INSERT INTO \(layout.quotedTableName) (\(names)) VALUES (\(marks))"
  }

  private func write(
    _ shape: Shape, _ columns: UnsafeBufferPointer<UInt16>, to key: inout StatementKey
  ) {
    key.append(shape.rawValue)
    key.append(layout.number)
    for column in columns { key.append(column) }
  }

  // MARK: Columns

  /// Lends a list of columns, in memory on the stack.
  func withColumns<Result>(
    _ choose: (UnsafeMutableBufferPointer<UInt16>) -> Int,
    _ body: (UnsafeBufferPointer<UInt16>) throws -> Result
  ) throws -> Result {
    try withUnsafeTemporaryAllocation(of: UInt16.self, capacity: layout.columns.count * 2) { list in
      let count = choose(list)
      return try body(UnsafeBufferPointer(rebasing: UnsafeBufferPointer(list)[..<count]))
    }
  }

  /// The columns that an insertion writes: all, but for a key that the database assigns.
  func insertColumns(
    of model: UnsafeRawPointer, into list: UnsafeMutableBufferPointer<UInt16>
  ) -> Int {
    let assigned = assignsKey(of: model) ? layout.rowIDColumn : nil
    var count = 0
    for index in layout.columns.indices where index != assigned {
      list[count] = UInt16(truncatingIfNeeded: index)
      count += 1
    }
    return count
  }

  /// Whether the model has no key yet: the database assigns it.
  func assignsKey(of model: UnsafeRawPointer) -> Bool {
    guard let key = layout.rowIDColumn, layout.columns[key].isOptional else { return false }
    let column = model + Int(layout.slots.slots[key].offset)
    let value = try? layout.columns[key].type.databaseValue(ofColumnAt: column, as: .standard)
    return value?.isNull ?? false
  }

  /// The columns that were changed, the key not among them, and behind them those of the key.
  ///
  /// Where the key itself was changed, that is another row, of which nothing is known: all columns.
  func updateColumns(
    of model: UnsafeRawPointer, into list: UnsafeMutableBufferPointer<UInt16>
  ) -> Int {
    var count = 0
    let isOther = !wasLoaded(model)
    for index in layout.columns.indices
    where (isOther || layout.slots.isChanged(index, in: model))
      && !layout.columns[index].isPrimaryKey
    {
      list[count] = UInt16(truncatingIfNeeded: index)
      count += 1
    }
    for index in layout.keyColumns {
      list[count] = UInt16(truncatingIfNeeded: index)
      count += 1
    }
    return count
  }

  /// Whether the key is as it was loaded: then the row was there once.
  func wasLoaded(_ model: UnsafeRawPointer) -> Bool {
    layout.keyColumns.allSatisfy { !layout.slots.isChanged($0, in: model) }
  }
}
