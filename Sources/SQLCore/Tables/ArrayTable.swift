import CSQLite

/// The table function `apus_array(?)`. It returns the values of an array that is bound to its
/// parameter, one value in each row.
///
/// `IN (SELECT value FROM apus_array(?))` takes any number of values through one parameter. The
/// SQL, and therefore the cached statement, is the same for one value and for 100,000. The array is
/// passed as a pointer, which SQL text cannot forge.
/// - SeeAlso: <https://www.sqlite.org/bindptr.html>
package enum ArrayTable {
  package static let name = "apus_array"

  /// The name that identifies the bound pointer as a pointer to a `BoundArray`. When the pointer is
  /// read, SQLite compares this name with the name that the reader expects. SQLite requires that
  /// the memory of the name is never freed.
  private static let pointerType = StaticString("apus-array")

  static func register(on core: ConnectionCore) throws {
    try core.check(sqlite3_create_module_v2(core.handle, name, module.pointer, nil, nil))
  }

  /// Binds the array. SQLite keeps the array until the parameter gets another value.
  static func bind(
    _ array: BoundArray, to statement: StatementPointer, at index: Int32, on core: ConnectionCore
  ) throws {
    let held = Unmanaged.passRetained(array).toOpaque()
    let type = UnsafeRawPointer(pointerType.utf8Start).assumingMemoryBound(to: CChar.self)
    // SQLite calls the destructor even if binding fails.
    try core.check(
      sqlite3_bind_pointer(statement.handle, index, held, type) { pointer in
        if let pointer { Unmanaged<BoundArray>.fromOpaque(pointer).release() }
      },
      sql: statement.sql)
  }

  package static func array(in value: OpaquePointer?) -> BoundArray? {
    let type = UnsafeRawPointer(pointerType.utf8Start).assumingMemoryBound(to: CChar.self)
    return sqlite3_value_pointer(value, type).map {
      Unmanaged<BoundArray>.fromOpaque($0).takeUnretainedValue()
    }
  }

  /// The struct of callbacks that SQLite needs for the table function. The process has only one
  /// such struct, which is complete before any connection can use it.
  private struct Module: @unchecked Sendable {
    let pointer: UnsafeMutablePointer<sqlite3_module>
  }

  private static let module: Module = {
    let pointer = UnsafeMutablePointer<sqlite3_module>.allocate(capacity: 1)
    var module = sqlite3_module()
    module.iVersion = 1
    // `xCreate` stays nil, because the table function needs no CREATE VIRTUAL TABLE.
    module.xConnect = connect
    module.xBestIndex = bestIndex
    module.xDisconnect = disconnect
    module.xOpen = open
    module.xClose = close
    module.xFilter = filter
    module.xNext = next
    module.xEof = isAtEnd
    module.xColumn = column
    module.xRowid = rowID
    pointer.initialize(to: module)
    return Module(pointer: pointer)
  }()
}

/// The memory of a cursor: first the struct that SQLite uses, then the fields that Swift needs.
private struct ArrayCursor {
  var base = sqlite3_vtab_cursor()
  var array: BoundArray?
  var position = 0
  /// The position after the last row of the result.
  var end = 0

  static func at(
    _ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?
  ) -> UnsafeMutablePointer<ArrayCursor>? {
    UnsafeMutableRawPointer(cursor)?.assumingMemoryBound(to: ArrayCursor.self)
  }
}

private let connect:
  @convention(c) (
    OpaquePointer?, UnsafeMutableRawPointer?, Int32, UnsafePointer<UnsafePointer<CChar>?>?,
    UnsafeMutablePointer<UnsafeMutablePointer<sqlite3_vtab>?>?,
    UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
  ) -> Int32 = { handle, _, _, _, table, _ in
    let code = sqlite3_declare_vtab(handle, "CREATE TABLE x(value, array HIDDEN)")
    guard code == SQLITE_OK else { return code }
    let made = UnsafeMutablePointer<sqlite3_vtab>.allocate(capacity: 1)
    made.initialize(to: sqlite3_vtab())
    table?.pointee = made
    return SQLITE_OK
  }

private let disconnect: @convention(c) (UnsafeMutablePointer<sqlite3_vtab>?) -> Int32 = { table in
  table?.deallocate()
  return SQLITE_OK
}

private let bestIndex:
  @convention(c) (
    UnsafeMutablePointer<sqlite3_vtab>?, UnsafeMutablePointer<sqlite3_index_info>?
  ) -> Int32 = { _, info in
    guard let info else { return SQLITE_ERROR }
    var rowID: Int?
    var array: Int?
    for index in 0..<Int(info.pointee.nConstraint) {
      let constraint = info.pointee.aConstraint[index]
      guard constraint.usable != 0, Int32(constraint.op) == SQLITE_INDEX_CONSTRAINT_EQ else {
        continue
      }
      if constraint.iColumn == 1 { array = index }
      if constraint.iColumn == -1 { rowID = index }
    }
    guard let array else {
      // The array is missing, or it comes from a table that the join reads later. The high cost
      // makes the planner look for another order of the join.
      info.pointee.estimatedCost = 1e12
      info.pointee.idxNum = 0
      return SQLITE_OK
    }
    info.pointee.aConstraintUsage[array].argvIndex = 1
    info.pointee.aConstraintUsage[array].omit = 1
    info.pointee.estimatedCost = 1
    info.pointee.estimatedRows = 25
    info.pointee.idxNum = 1
    if let rowID {
      // The query asks for the row with one rowid. SQLite compares the rowid again (`omit` is not
      // set), because the requested value may not be an integer.
      info.pointee.aConstraintUsage[rowID].argvIndex = 2
      info.pointee.estimatedRows = 1
      info.pointee.idxFlags = SQLITE_INDEX_SCAN_UNIQUE
      info.pointee.idxNum = 2
    }
    return SQLITE_OK
  }

private let open:
  @convention(c) (
    UnsafeMutablePointer<sqlite3_vtab>?,
    UnsafeMutablePointer<UnsafeMutablePointer<sqlite3_vtab_cursor>?>?
  ) -> Int32 = { _, cursor in
    let made = UnsafeMutablePointer<ArrayCursor>.allocate(capacity: 1)
    made.initialize(to: ArrayCursor())
    cursor?.pointee = UnsafeMutableRawPointer(made)
      .assumingMemoryBound(to: sqlite3_vtab_cursor.self)
    return SQLITE_OK
  }

private let close: @convention(c) (UnsafeMutablePointer<sqlite3_vtab_cursor>?) -> Int32 = {
  guard let cursor = ArrayCursor.at($0) else { return SQLITE_OK }
  cursor.deinitialize(count: 1)
  cursor.deallocate()
  return SQLITE_OK
}

private let filter:
  @convention(c) (
    UnsafeMutablePointer<sqlite3_vtab_cursor>?, Int32, UnsafePointer<CChar>?, Int32,
    UnsafeMutablePointer<OpaquePointer?>?
  ) -> Int32 = { cursor, plan, _, count, arguments in
    guard let cursor = ArrayCursor.at(cursor) else { return SQLITE_ERROR }
    cursor.pointee.position = 0
    cursor.pointee.array = count > 0 ? ArrayTable.array(in: arguments?[0]) : nil
    cursor.pointee.end = cursor.pointee.array?.values.count ?? 0
    if plan == 2, count > 1, let rowID = arguments?[1] {
      let place = sqlite3_value_int64(rowID)
      if place >= 0, place < Int64(cursor.pointee.end) {
        cursor.pointee.position = Int(place)
        cursor.pointee.end = Int(place) + 1
      } else {
        cursor.pointee.end = 0
      }
    }
    return SQLITE_OK
  }

private let next: @convention(c) (UnsafeMutablePointer<sqlite3_vtab_cursor>?) -> Int32 = {
  ArrayCursor.at($0)?.pointee.position += 1
  return SQLITE_OK
}

private let isAtEnd: @convention(c) (UnsafeMutablePointer<sqlite3_vtab_cursor>?) -> Int32 = {
  guard let cursor = ArrayCursor.at($0) else { return 1 }
  return cursor.pointee.position < cursor.pointee.end ? 0 : 1
}

private let column:
  @convention(c) (
    UnsafeMutablePointer<sqlite3_vtab_cursor>?, OpaquePointer?, Int32
  ) -> Int32 = { cursor, context, index in
    guard index == 0, let cursor = ArrayCursor.at(cursor), let array = cursor.pointee.array,
      cursor.pointee.position < array.values.count
    else {
      sqlite3_result_null(context)
      return SQLITE_OK
    }
    array.values[cursor.pointee.position].setResult(of: context)
    return SQLITE_OK
  }

private let rowID:
  @convention(c) (
    UnsafeMutablePointer<sqlite3_vtab_cursor>?, UnsafeMutablePointer<sqlite3_int64>?
  ) -> Int32 = { cursor, rowID in
    rowID?.pointee = sqlite3_int64(ArrayCursor.at(cursor)?.pointee.position ?? 0)
    return SQLITE_OK
  }
