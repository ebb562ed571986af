import CSQLite

/// The functions that SQLite calls for a virtual table. The process has one set for each kind of
/// table.
///
/// `@unchecked Sendable`: each set is written once, before any connection can see it. The sets are
/// never freed, because SQLite calls `xDisconnect` after it has released the module.
struct VirtualTableCallbacks: @unchecked Sendable {
  let pointer: UnsafeMutablePointer<sqlite3_module>

  static let eponymous = VirtualTableCallbacks(isCreated: false, isWritable: false)
  static let created = VirtualTableCallbacks(isCreated: true, isWritable: false)
  static let writableEponymous = VirtualTableCallbacks(isCreated: false, isWritable: true)
  static let writableCreated = VirtualTableCallbacks(isCreated: true, isWritable: true)

  private init(isCreated: Bool, isWritable: Bool) {
    var module = sqlite3_module()
    module.iVersion = 2
    module.xCreate = isCreated ? { connect($0, $1, $2, $3, $4, $5, isNew: true) } : nil
    module.xConnect = { connect($0, $1, $2, $3, $4, $5, isNew: false) }
    module.xBestIndex = bestIndex
    module.xDisconnect = disconnect
    module.xDestroy = { table in
      let code = VirtualTableMemory.call(table) { try $0.destroy() }
      return code == SQLITE_OK ? disconnect(table) : code
    }
    module.xOpen = open
    module.xClose = close
    module.xFilter = filter
    module.xNext = { VirtualCursorMemory.call($0) { try $0.next() } }
    module.xEof = { VirtualCursorMemory.at($0)?.pointee.cursor.isAtEnd == false ? 0 : 1 }
    module.xColumn = column
    module.xRowid = { cursor, rowID in
      VirtualCursorMemory.call(cursor) { rowID?.pointee = try $0.rowID }
    }
    module.xRename = { table, name in
      VirtualTableMemory.call(table) { try $0.rename(to: name.map { String(cString: $0) } ?? "") }
    }
    if isWritable {
      module.xUpdate = update
      module.xBegin = { VirtualTableMemory.write($0) { try $0.begin() } }
      module.xSync = { VirtualTableMemory.write($0) { try $0.prepareToCommit() } }
      module.xCommit = { VirtualTableMemory.write($0) { $0.commit() } }
      module.xRollback = { VirtualTableMemory.write($0) { $0.rollback() } }
      module.xSavepoint = { table, number in
        VirtualTableMemory.write(table) { try $0.savepoint(Int(number)) }
      }
      module.xRelease = { table, number in
        VirtualTableMemory.write(table) { try $0.release(Int(number)) }
      }
      module.xRollbackTo = { table, number in
        VirtualTableMemory.write(table) { try $0.rollback(to: Int(number)) }
      }
    }
    pointer = .allocate(capacity: 1)
    pointer.initialize(to: module)
  }
}

private func connect(
  _ handle: OpaquePointer?, _ module: UnsafeMutableRawPointer?, _ count: Int32,
  _ words: UnsafePointer<UnsafePointer<CChar>?>?,
  _ table: UnsafeMutablePointer<UnsafeMutablePointer<sqlite3_vtab>?>?,
  _ message: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, isNew: Bool
) -> Int32 {
  guard let module else { return SQLITE_ERROR }
  let maker = Unmanaged<VirtualTableModule>.fromOpaque(module).takeUnretainedValue()
  let core = maker.core.takeUnretainedValue()
  // The code of the table may run statements here. The columns that they read do not count as read
  // by the user's statement, which is being prepared.
  let recorder = core.state.pointee.authorizer.record(into: nil)
  defer { core.state.pointee.authorizer.record(into: recorder) }
  do {
    let made = try maker.make(
      VirtualTableContext(core: core, isNew: isNew, count: count, words: words))
    try made.checkSchema()
    do {
      try core.check(sqlite3_declare_vtab(handle, made.schema))
    } catch let error as DatabaseError where made is any KeyedVirtualTable {
      // SQLite's message does not say what is wrong if the key has several columns or is missing.
      throw DatabaseError(
        code: error.code,
        message: "\(error.message); a KeyedVirtualTable must have a PRIMARY KEY of one column: "
          + made.schema)
    }
    if made is any TransactionalVirtualTable {
      csqlite_vtab_config(handle, SQLITE_VTAB_CONSTRAINT_SUPPORT)
    }
    csqlite_vtab_config(
      handle, maker.isInnocuous ? SQLITE_VTAB_INNOCUOUS : SQLITE_VTAB_DIRECTONLY)
    let memory = UnsafeMutablePointer<VirtualTableMemory>.allocate(capacity: 1)
    memory.initialize(to: VirtualTableMemory(core: maker.core, table: made))
    table?.pointee = UnsafeMutableRawPointer(memory).assumingMemoryBound(to: sqlite3_vtab.self)
    return SQLITE_OK
  } catch {
    let failure = CallbackFailure(error)
    message?.pointee = failure.allocatedMessage
    return failure.code
  }
}

private let disconnect: @convention(c) (UnsafeMutablePointer<sqlite3_vtab>?) -> Int32 = { table in
  guard let memory = VirtualTableMemory.at(table) else { return SQLITE_OK }
  memory.deinitialize(count: 1)
  memory.deallocate()
  return SQLITE_OK
}

private func bestIndex(
  _ table: UnsafeMutablePointer<sqlite3_vtab>?, _ info: UnsafeMutablePointer<sqlite3_index_info>?
) -> Int32 {
  guard let info else { return SQLITE_ERROR }
  var plan: IndexPlan?
  let code = VirtualTableMemory.call(table) {
    plan = try $0.bestIndex(IndexQuery(info))
    try plan?.write(to: info)
  }
  guard code == SQLITE_OK else { return code == SQLITE_CONSTRAINT ? SQLITE_ERROR : code }
  return plan == nil ? SQLITE_CONSTRAINT : SQLITE_OK
}

private func open(
  _ table: UnsafeMutablePointer<sqlite3_vtab>?,
  _ cursor: UnsafeMutablePointer<UnsafeMutablePointer<sqlite3_vtab_cursor>?>?
) -> Int32 {
  guard let core = VirtualTableMemory.at(table)?.pointee.core else { return SQLITE_ERROR }
  return VirtualTableMemory.call(table) {
    let memory = UnsafeMutablePointer<VirtualCursorMemory>.allocate(capacity: 1)
    do {
      memory.initialize(to: VirtualCursorMemory(core: core, cursor: try $0.open()))
    } catch {
      memory.deallocate()
      throw error
    }
    cursor?.pointee = UnsafeMutableRawPointer(memory)
      .assumingMemoryBound(to: sqlite3_vtab_cursor.self)
  }
}

private func close(_ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?) -> Int32 {
  guard let memory = VirtualCursorMemory.at(cursor) else { return SQLITE_OK }
  memory.deinitialize(count: 1)
  memory.deallocate()
  return SQLITE_OK
}

private func filter(
  _ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?, _ number: Int32,
  _ text: UnsafePointer<CChar>?, _ count: Int32, _ values: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
  guard let core = VirtualCursorMemory.at(cursor)?.pointee.core else { return SQLITE_ERROR }
  let arguments = Arguments(
    core: core.takeUnretainedValue(), context: nil, count: count, values: values)
  let choice = IndexPlan.Choice(number: number, text: text.map { String(cString: $0) })
  return VirtualCursorMemory.call(cursor) { try $0.filter(choice, arguments) }
}

private func column(
  _ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?, _ context: OpaquePointer?, _ index: Int32
) -> Int32 {
  VirtualCursorMemory.call(cursor) { try $0.column(Int(index)).setResult(of: context) }
}

private func update(
  _ table: UnsafeMutablePointer<sqlite3_vtab>?, _ count: Int32,
  _ values: UnsafeMutablePointer<OpaquePointer?>?, _ rowID: UnsafeMutablePointer<sqlite3_int64>?
) -> Int32 {
  guard let core = VirtualTableMemory.at(table)?.pointee.core, let values, count > 0 else {
    return SQLITE_ERROR
  }
  let row = Arguments(
    core: core.takeUnretainedValue(), context: nil, count: max(0, count - 2),
    values: count > 2 ? values + 2 : nil)
  return VirtualTableMemory.write(table) { table in
    switch table {
    case let table as any WritableVirtualTable:
      let old = integer(values[0])
      let new = count > 1 ? integer(values[1]) : nil
      if count == 1 {
        if let old { try table.delete(rowID: old) }
      } else if let old {
        try table.update(rowID: old, to: new ?? old, row)
      } else {
        rowID?.pointee = try table.insert(row, rowID: new)
      }
    case let table as any KeyedVirtualTable:
      let old = try values[0].map { try Cell(value: $0, form: .standard).databaseValue() } ?? .null
      if count == 1 {
        try table.delete(key: old)
      } else if old == .null {
        try table.insert(row)
      } else {
        try table.update(key: old, row)
      }
    default:
      throw DatabaseError(
        code: .readOnly,
        message: "the virtual table is neither a WritableVirtualTable nor a KeyedVirtualTable")
    }
  }
}

private func integer(_ value: OpaquePointer?) -> Int64? {
  sqlite3_value_type(value) == SQLITE_NULL ? nil : sqlite3_value_int64(value)
}
