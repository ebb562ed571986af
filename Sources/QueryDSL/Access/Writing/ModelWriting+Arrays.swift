import SQLCore

/// Inserts arrays of models: either all models of an array or none. The models lie next to each
/// other in memory.
extension ModelWriting {
  /// Inserts models in the order of the array.
  ///
  /// If the database assigns no keys and there are enough models, each statement inserts several
  /// rows. Otherwise the models are inserted one by one. An INSERT with the key columns is used for
  /// a model that has a key, and an INSERT without them for a model whose key the database assigns.
  /// If a model refers to a later model of the array, one statement inserts all remaining models,
  /// because SQLite checks the foreign keys only at the end of a statement.
  @usableFromInline
  func insert(_ models: UnsafeMutableRawBufferPointer) throws {
    let count = models.count / layout.slots.stride
    guard let first = models.baseAddress, count > 0 else { return }
    guard count > 1 else { return try insert(first, row: 0) }
    try core.allOrNothing {
      if let chunk = layout.rowsOfOneInsert(count, on: core) {
        try insert(first, count: count, chunk: chunk)
      } else {
        try insertEach(first, count: count)
      }
    }
  }

  private func insertEach(_ models: UnsafeMutableRawPointer, count: Int) throws {
    var model = models
    var assignsKey = assignsKey(of: model)
    var statement = try insertStatement(assigningKey: assignsKey)
    defer { core.giveBack(statement) }
    for row in 0..<count {
      if self.assignsKey(of: model) != assignsKey {
        let other = try insertStatement(assigningKey: !assignsKey)
        core.giveBack(statement)
        statement = other
        assignsKey.toggle()
      }
      do {
        try insert(model, by: statement, assigningKey: assignsKey, row: row)
      } catch  where row + 1 < count && layout.mayReferForward(error, on: core) {
        return try insertAtOnce(models, row..<count)
      }
      model += layout.slots.stride
    }
  }

  /// Inserts models with known keys. Each statement inserts `chunk` models. The models that remain
  /// at the end are inserted one by one.
  ///
  /// If a statement fails and SQLite has undone it, its models are inserted one by one, up to the
  /// failing model. The error then names this model.
  private func insert(_ models: UnsafeMutableRawPointer, count: Int, chunk: Int) throws {
    let single = try insertStatement(assigningKey: false)
    defer { core.giveBack(single) }
    let several = try insertStatement(rows: chunk)
    defer { core.giveBack(several) }
    let order = layout.orders.all
    var row = 0
    while row < count {
      let model = models + row * layout.slots.stride
      guard count - row >= chunk else {
        do {
          try insert(model, by: single, assigningKey: false, row: row)
        } catch  where row + 1 < count && layout.mayReferForward(error, on: core) {
          return try insertAtOnce(models, row..<count)
        }
        row += 1
        continue
      }
      let wasInTransaction = core.isInTransaction
      do {
        try core.run(several, binding: layout.slots, order: order, of: model, count: chunk)
      } catch {
        guard Self.hasWrittenNothing(error, on: core, wasInTransaction) else { throw error }
        if layout.mayReferForward(error, on: core) {
          return try insertAtOnce(models, row..<count)
        }
        try Self.oneByOne(row..<row + chunk, after: error) {
          try insert(
            models + $0 * layout.slots.stride, by: single, assigningKey: false, row: $0)
        }
        row += chunk
        continue
      }
      if core.changeCount != chunk { throw try ignored(among: row..<row + chunk, of: models) }
      for offset in 0..<chunk {
        try settle(model + offset * layout.slots.stride, written: order)
      }
      row += chunk
    }
  }

  /// Inserts the models that already have keys, by one statement. Then inserts the others one by
  /// one. The database assigns their keys, so no model of the array can refer to them.
  private func insertAtOnce(_ models: UnsafeMutableRawPointer, _ rows: Range<Int>) throws {
    let known = rows.filter { !assignsKey(of: models + $0 * layout.slots.stride) }
    let order = layout.orders.all
    let table = TableID(layout: layout.number, source: TableID.declared)
    let insert = InsertStatement(
      table: table,
      source: .arrays(
        order.map { .column(ColumnID(table: table, index: $0)) },
        try order.map { try array(ofColumn: $0, known, of: models) }),
      conflicts: [])
    let statement = try core.lendStatement(for: insert)
    defer { core.giveBack(statement) }
    let wasInTransaction = core.isInTransaction
    do {
      try core.run(statement)
    } catch let error as DatabaseError {
      guard Self.hasWrittenNothing(error, on: core, wasInTransaction) else { throw error }
      if error.constraint?.kind == .foreignKey {
        throw layout.locate(error, writing: known, on: core) { row, column in
          layout.databaseValue(ofColumn: column, in: models + row * layout.slots.stride)
        }
      }
      try Self.oneByOne(known, after: error) {
        try self.insert(models + $0 * layout.slots.stride, row: $0)
      }
      throw error
    }
    if core.changeCount != known.count { throw try ignored(among: known, of: models) }
    for row in known { try settle(models + row * layout.slots.stride, written: order) }
    for row in rows where assignsKey(of: models + row * layout.slots.stride) {
      try self.insert(models + row * layout.slots.stride, row: row)
    }
  }

  private func array(
    ofColumn column: UInt16, _ rows: [Int], of models: UnsafeRawPointer
  ) throws -> BoundArray {
    let slot = layout.slots.slots[Int(column)]
    return BoundArray(
      try rows.map { row in
        do {
          return try slot.type._databaseValue(
            ofColumnAt: models + row * layout.slots.stride + Int(slot.offset), as: slot.form)
        } catch {
          throw layout.locate(error, column: Int(column), row: row)
        }
      })
  }

  /// Returns the error to throw after SQLite ignored some of the models. The error names the first
  /// model that is not in the table.
  private func ignored(
    among rows: some Sequence<Int>, of models: UnsafeMutableRawPointer
  ) throws -> WriteIgnored {
    let statement = try core.lendFindStatement(layout)
    defer { core.giveBack(statement) }
    let row =
      layout.keyColumns.isEmpty
      ? nil
      : try rows.first { row in
        core.reset(statement)
        return try !find(models + row * layout.slots.stride, by: statement, row: row)
      }
    return WriteIgnored(table: layout.tableName, row: row)
  }

  /// Inserts rows one by one, after the statement that should insert all of them failed. The error
  /// then names the row that made the statement fail.
  ///
  /// If the statement for all rows did not violate a foreign key, but a row on its own does, the
  /// row refers to a later row. Such a row is left out. If no other row fails, this function throws
  /// the error of the statement for all rows.
  static func oneByOne(
    _ rows: some Sequence<Int>, after error: any Error, _ insert: (Int) throws -> Void
  ) throws {
    var isIncomplete = false
    for row in rows {
      do {
        try insert(row)
      } catch let failure as DatabaseError
        where failure.constraint?.kind == .foreignKey
        && (error as? DatabaseError)?.constraint?.kind != .foreignKey
      {
        isIncomplete = true
      }
    }
    if isIncomplete { throw error }
  }

  /// Returns whether SQLite has undone a failed statement completely, but not the whole
  /// transaction. This is so if a value or a constraint made the statement fail. However, if a
  /// trigger raised FAIL, some changes remain. If a trigger raised ROLLBACK, the whole transaction
  /// is undone.
  static func hasWrittenNothing(
    _ error: any Error, on core: ConnectionCore, _ wasInTransaction: Bool
  ) -> Bool {
    guard core.isInTransaction == wasInTransaction else { return false }
    if error is ColumnValueError { return true }
    return (error as? DatabaseError)?.code.primary == .constraint && core.changeCount == 0
  }
}

extension ModelLayout {
  /// Returns the number of models that one INSERT takes; nil if models are inserted one by one.
  ///
  /// In measurements, one statement for fewer than ten rows was not faster. Each text and each BLOB
  /// is bound inside one more nested closure, which limits their number in one statement.
  func rowsOfOneInsert(_ count: Int, on core: ConnectionCore) -> Int? {
    guard count >= 10, !orders.mayAssignKey, generatedColumns.isEmpty, !orders.all.isEmpty else {
      return nil
    }
    let nested = orders.all.count { slots.slots[Int($0)].kind.isEntered }
    let rows = min(32, 96 / max(1, nested), core.maximumParameterCount / orders.all.count)
    return rows >= 10 && count >= rows ? rows : nil
  }
}
