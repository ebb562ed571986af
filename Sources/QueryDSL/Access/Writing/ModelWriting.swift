import SQLCore

/// Writes models of one type through one connection, working on the memory of the models.
///
/// The type is not generic, so that all models share the same code, which stays in the instruction
/// cache. Each method binds the columns from the model's memory. If the statement succeeds, the
/// method then marks the columns as loaded.
@usableFromInline
struct ModelWriting {
  @usableFromInline let core: ConnectionCore
  @usableFromInline let layout: ModelLayout

  @inlinable
  init(core: ConnectionCore, layout: ModelLayout) {
    self.core = core
    self.layout = layout
  }

  /// Inserts a model. This is a separate function with the layout and the core as parameters, so
  /// that neither the layout nor the core is retained.
  @usableFromInline
  @inline(never)
  static func insert(
    _ model: UnsafeMutableRawPointer, of layout: ModelLayout, on core: ConnectionCore
  ) throws {
    try ModelWriting(core: core, layout: layout).insert(model, row: nil)
  }

  /// Updates a model, and returns false if its row is gone. This is a separate function for the
  /// same reason as `insert(_:of:on:)`.
  @usableFromInline
  @inline(never)
  static func update(
    _ model: UnsafeMutableRawPointer, of layout: ModelLayout, on core: ConnectionCore
  ) throws -> Bool {
    try ModelWriting(core: core, layout: layout).update(model, row: nil)
  }

  /// Inserts a model. If the database assigns the key, stores the key in the model.
  @usableFromInline
  func insert(_ model: UnsafeMutableRawPointer, row: Int?) throws {
    try wholly {
      let assignsKey = assignsKey(of: model)
      let statement = try insertStatement(assigningKey: assignsKey)
      defer { core.giveBack(statement) }
      try insert(model, by: statement, assigningKey: assignsKey, row: row)
    }
  }

  func insert(
    _ model: UnsafeMutableRawPointer, by statement: StatementPointer, assigningKey: Bool, row: Int?
  ) throws {
    let columns = layout.orders.inserted(assigningKey: assigningKey)
    try run(statement, columns, model, row)
    // If SQLite ignored this row, the last inserted rowid belongs to another row.
    if core.changeCount == 0 { throw WriteIgnored(table: layout.tableName, row: row) }
    if assigningKey, let key = layout.rowIDColumn {
      try layout.slots.assign(.integer(core.lastInsertRowID), toColumn: key, of: model)
    }
    try settle(model, written: columns)
  }

  /// Writes one model. A model with generated columns takes two statements, because these columns
  /// are read after the write. If the second statement fails, the write is undone.
  @inline(__always)
  private func wholly<Result>(_ write: () throws -> Result) throws -> Result {
    if layout.generatedColumns.isEmpty { return try write() }
    return try core.allOrNothing(write)
  }

  /// Updates the changed columns of a model, and returns false if the row is gone. Throws
  /// `KeyChanged` if the model was loaded with another key, and `WriteIgnored` if SQLite left the
  /// row unchanged.
  @usableFromInline
  func update(_ model: UnsafeMutableRawPointer, row: Int?) throws -> Bool {
    try wholly { try updated(model, row: row) }
  }

  private func updated(_ model: UnsafeMutableRawPointer, row: Int?) throws -> Bool {
    let wasLoaded = try wasLoaded(model)
    return try withUnsafeTemporaryAllocation(of: UInt16.self, capacity: layout.orders.all.count) {
      list in
      let columns = changedColumns(of: model, wasLoaded: wasLoaded, into: list)
      guard columns.count > layout.keyColumns.count else { return try exists(model, row: row) }
      let statement = try updateStatement(columns)
      defer { core.giveBack(statement) }
      try run(statement, columns, model, row)
      if core.changeCount == 0 {
        guard try runOtherwise(statement, columns, model, row) else {
          guard try !exists(model, row: row) else {
            throw WriteIgnored(table: layout.tableName, row: row)
          }
          return false
        }
      }
      try settle(
        model,
        written: UnsafeBufferPointer(rebasing: columns.dropLast(layout.keyColumns.count)))
      return true
    }
  }

  /// Updates the row with the model's key, or inserts the model. Throws `KeyChanged` if the model
  /// was loaded with another key, and `WriteIgnored` if SQLite ignored the row.
  @usableFromInline
  func save(_ model: UnsafeMutableRawPointer, row: Int?) throws {
    if assignsKey(of: model) { return try insert(model, row: row) }
    if try wasLoaded(model), try update(model, row: row) { return }
    if !layout.keySpellings.isEmpty, try existsOtherwise(model, row: row),
      try update(model, row: row)
    {
      return
    }
    try wholly {
      let statement = try upsertStatement()
      defer { core.giveBack(statement) }
      try run(statement, layout.orders.all, model, row)
      // If the table has only key columns, the upsert leaves an existing row unchanged.
      if core.changeCount == 0,
        try !layout.orders.others.isEmpty || !exists(model, row: row)
      {
        throw WriteIgnored(table: layout.tableName, row: row)
      }
      try settle(model, written: layout.orders.all)
    }
  }

  /// Returns whether a row with the model's key exists.
  func exists(_ model: UnsafeRawPointer, row: Int?) throws -> Bool {
    let statement = try core.lendFindStatement(layout)
    defer { core.giveBack(statement) }
    return try find(model, by: statement, row: row)
  }

  /// Returns whether a row has the model's key in another spelling, such as a UUID in upper case.
  private func existsOtherwise(_ model: UnsafeMutableRawPointer, row: Int?) throws -> Bool {
    let statement = try core.lendFindStatement(layout)
    defer { core.giveBack(statement) }
    return try findOtherwise(model, by: statement, row: row)
  }

  /// Steps the statement to the row with the model's key, and returns false if it does not exist.
  func find(
    _ model: UnsafeRawPointer, by statement: StatementPointer, row: Int?
  ) throws -> Bool {
    try find(model, layout.slots, by: statement, row: row)
      || findOtherwise(model, by: statement, row: row)
  }

  private func findOtherwise(
    _ model: UnsafeRawPointer, by statement: StatementPointer, row: Int?
  ) throws -> Bool {
    try layout.keySpellings.contains { spelling in
      core.reset(statement)
      return try find(model, spelling.slots, by: statement, row: row)
    }
  }

  private func find(
    _ model: UnsafeRawPointer, _ slots: ColumnSlots, by statement: StatementPointer,
    row: Int?
  ) throws -> Bool {
    var parameter: Int32 = 0
    for column in layout.orders.key {
      parameter += 1
      let slot = slots.slots[Int(column)]
      do {
        let value = try slot.type._databaseValue(
          ofColumnAt: model + Int(slot.offset), as: slot.form)
        try core.bind(value, to: statement, at: parameter)
      } catch {
        throw layout.locate(error, column: Int(column), row: row)
      }
    }
    return try core.step(statement)
  }

  /// Gives a written model the state that it would have if it were read from the database: values
  /// are rounded to their stored precision, columns are marked as loaded, and generated columns are
  /// read.
  func settle(
    _ model: UnsafeMutableRawPointer, written columns: UnsafeBufferPointer<UInt16>
  ) throws {
    if !layout.roundedColumns.isEmpty { try layout.round(model, written: columns) }
    layout.slots.markClean(model)
    if !layout.generatedColumns.isEmpty { try readGeneratedColumns(of: model) }
  }

  private func readGeneratedColumns(of model: UnsafeMutableRawPointer) throws {
    let statement = try core.lendFindStatement(layout)
    defer { core.giveBack(statement) }
    guard try findWritten(model, by: statement) else { return }
    for index in layout.generatedColumns {
      do {
        let value = try StatementRow(statement: statement).databaseValue(at: index)
        try layout.slots.assign(value, toColumn: index, of: model)
      } catch {
        throw layout.locate(error, column: index, row: nil)
      }
    }
  }

  /// Steps the statement to the row that was just written. If the model has no key, this is the
  /// last inserted row.
  private func findWritten(
    _ model: UnsafeMutableRawPointer, by statement: StatementPointer
  ) throws -> Bool {
    guard layout.keyColumns.isEmpty else { return try find(model, by: statement, row: nil) }
    try core.bind(.integer(core.lastInsertRowID), to: statement, at: 1)
    return try core.step(statement)
  }

  func run(
    _ statement: StatementPointer, _ columns: UnsafeBufferPointer<UInt16>,
    _ model: UnsafeRawPointer, _ row: Int?
  ) throws {
    try run(statement, columns, model, layout.slots, row)
  }

  /// Repeats an update that found no row, with each other spelling of the key, such as a UUID in
  /// upper case, until a row is found. Returns false if no spelling finds a row.
  private func runOtherwise(
    _ statement: StatementPointer, _ columns: UnsafeBufferPointer<UInt16>,
    _ model: UnsafeRawPointer, _ row: Int?
  ) throws -> Bool {
    for spelling in layout.keySpellings {
      try run(statement, columns, model, spelling.slots, row)
      if core.changeCount > 0 { return true }
    }
    return false
  }

  private func run(
    _ statement: StatementPointer, _ columns: UnsafeBufferPointer<UInt16>,
    _ model: UnsafeRawPointer, _ slots: ColumnSlots, _ row: Int?
  ) throws {
    var failed = -1
    do {
      try core.run(statement, binding: slots, order: columns, of: model, failed: &failed)
    } catch let error as DatabaseError {
      throw layout.locate(error, writing: model, on: core).at(row: row)
    } catch {
      throw layout.locate(error, column: failed, row: row)
    }
  }

  // MARK: Reading a model's memory

  func assignsKey(of model: UnsafeRawPointer) -> Bool { layout.assignsKey(of: model) }

  /// Returns the changed columns except the key, followed by the columns of the key. For a model
  /// that was not loaded, all columns count as changed.
  private func changedColumns(
    of model: UnsafeRawPointer, wasLoaded: Bool, into list: UnsafeMutableBufferPointer<UInt16>
  ) -> UnsafeBufferPointer<UInt16> {
    var count = 0
    if wasLoaded {
      count = layout.slots.putChanged(of: layout.orders.others, in: model, into: list)
    } else {
      _ = list.update(from: layout.orders.others)
      count = layout.orders.others.count
    }
    for column in layout.orders.key {
      list[count] = column
      count &+= 1
    }
    return UnsafeBufferPointer(start: list.baseAddress, count: count)
  }

  /// Returns whether the model was loaded from the database, so that its row existed at that time.
  /// Throws `KeyChanged` if the key of the model was changed afterwards.
  private func wasLoaded(_ model: UnsafeRawPointer) throws -> Bool {
    for column in layout.orders.key where layout.slots.isChanged(Int(column), in: model) {
      try layout.requireUnchangedKey(of: model)
      return false
    }
    return true
  }
}

extension ModelLayout {
  /// Returns whether a model has no key yet, so that the database assigns the key.
  func assignsKey(of model: UnsafeRawPointer) -> Bool {
    guard orders.mayAssignKey, let key = rowIDColumn else { return false }
    let slot = slots.slots[key]
    let value = try? slot.type._databaseValue(ofColumnAt: model + Int(slot.offset), as: .standard)
    return value?.isNull ?? false
  }
}
