import CSQLite
import SQLCore

/// The virtual tables through which a connection runs statements elsewhere.
///
/// `SELECT … FROM apus_remote(number, …)` sends the statement with this number, with the other
/// arguments as its values, and returns its rows. An INSERT into `apus_remote_run` sends a
/// statement that returns no rows. SQLite calls these tables when the substitute of a statement
/// runs (`RemoteStatement`).
/// - SeeAlso: <https://www.sqlite.org/vtab.html#tabfunc2>
enum RemoteTable {
  static let rowsName = "apus_remote"
  static let runName = "apus_remote_run"

  /// The maximum number of columns of a result. SQLite allows 2,000 columns in a table, and the
  /// parameters are hidden columns of the same table.
  static let maximumColumnCount = 1_000
  /// The maximum number of parameters of a statement. One more hidden column has the number of the
  /// statement.
  static let maximumParameterCount = 999

  static func register(for link: RemoteLink, on core: ConnectionCore) throws {
    let context = Unmanaged.passUnretained(link).toOpaque()
    for (name, module) in [(rowsName, rowsModule), (runName, runModule)] {
      try core.check(sqlite3_create_module_v2(core.handle, name, module.pointer, context, nil))
    }
    try RemoteArgumentGroup.register(on: core)
  }

  private static func parameters(_ link: RemoteLink) -> [String] {
    (0..<link.maximumParameterCount).map { "p\($0)" }
  }

  fileprivate static func rowsDeclaration(_ link: RemoteLink) -> String {
    let columns = (0..<maximumColumnCount).map { "c\($0)" }
    let hidden = (["statement"] + parameters(link)).map { "\($0) HIDDEN" }
    return "CREATE TABLE x(\((columns + hidden).joined(separator: ", ")))"
  }

  fileprivate static func runDeclaration(_ link: RemoteLink) -> String {
    "CREATE TABLE x(\((["statement"] + parameters(link)).joined(separator: ", ")))"
  }

  /// The callbacks of a virtual table, which all connections of the process share. They are written
  /// once, before any connection can see them, so they can be sent between threads.
  private struct Module: @unchecked Sendable {
    let pointer: UnsafeMutablePointer<sqlite3_module>
  }

  private static let rowsModule = module {
    $0.xConnect = { handle, link, _, _, table, _ in
      connect(handle, link, table, RemoteTable.rowsDeclaration)
    }
  }

  private static let runModule = module {
    $0.xConnect = { handle, link, _, _, table, _ in
      connect(handle, link, table, RemoteTable.runDeclaration)
    }
    $0.xUpdate = update
  }

  private static func module(_ change: (inout sqlite3_module) -> Void) -> Module {
    let pointer = UnsafeMutablePointer<sqlite3_module>.allocate(capacity: 1)
    var module = sqlite3_module()
    module.iVersion = 1
    // There is no xCreate, because the table needs no CREATE VIRTUAL TABLE.
    module.xBestIndex = bestIndex
    module.xDisconnect = { table in
      TableMemory.at(table)?.deallocate()
      return SQLITE_OK
    }
    module.xOpen = open
    module.xClose = close
    module.xFilter = filter
    module.xNext = { CursorMemory.advance($0) }
    module.xEof = { CursorMemory.at($0)?.pointee.isAtEnd == false ? 0 : 1 }
    module.xColumn = column
    module.xRowid = { _, rowID in
      rowID?.pointee = 0
      return SQLITE_OK
    }
    change(&module)
    pointer.initialize(to: module)
    return Module(pointer: pointer)
  }
}

/// The memory of a virtual table: first the struct that SQLite uses, then the link. The link lives
/// longer than the connection's handle.
private struct TableMemory {
  var base = sqlite3_vtab()
  let link: Unmanaged<RemoteLink>

  static func at(
    _ table: UnsafeMutablePointer<sqlite3_vtab>?
  ) -> UnsafeMutablePointer<TableMemory>? {
    UnsafeMutableRawPointer(table)?.assumingMemoryBound(to: TableMemory.self)
  }

  static func link(_ table: UnsafeMutablePointer<sqlite3_vtab>?) -> RemoteLink? {
    at(table)?.pointee.link.takeUnretainedValue()
  }
}

/// The memory of a cursor: first the struct that SQLite uses, then the rows of the cursor.
private struct CursorMemory {
  var base = sqlite3_vtab_cursor()
  var rows: (any RemoteRows)?
  var isAtEnd = true

  static func at(
    _ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?
  ) -> UnsafeMutablePointer<CursorMemory>? {
    UnsafeMutableRawPointer(cursor)?.assumingMemoryBound(to: CursorMemory.self)
  }

  static func advance(_ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?) -> Int32 {
    guard let memory = at(cursor), let rows = memory.pointee.rows,
      let link = TableMemory.link(memory.pointee.base.pVtab)
    else { return SQLITE_ERROR }
    do {
      memory.pointee.isAtEnd = try !link.noting { try rows.next(isStopped: link.isStopped) }
      return SQLITE_OK
    } catch {
      return SQLITE_ERROR
    }
  }

  static func end(_ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?) {
    guard let memory = at(cursor), let rows = memory.pointee.rows else { return }
    memory.pointee.rows = nil
    memory.pointee.isAtEnd = true
    TableMemory.link(memory.pointee.base.pVtab)?.close(rows)
  }
}

private func connect(
  _ handle: OpaquePointer?, _ context: UnsafeMutableRawPointer?,
  _ table: UnsafeMutablePointer<UnsafeMutablePointer<sqlite3_vtab>?>?,
  _ declaration: (RemoteLink) -> String
) -> Int32 {
  guard let context else { return SQLITE_ERROR }
  let link = Unmanaged<RemoteLink>.fromOpaque(context)
  let code = sqlite3_declare_vtab(handle, declaration(link.takeUnretainedValue()))
  guard code == SQLITE_OK else { return code }
  let memory = UnsafeMutablePointer<TableMemory>.allocate(capacity: 1)
  memory.initialize(to: TableMemory(link: link))
  table?.pointee = UnsafeMutableRawPointer(memory).assumingMemoryBound(to: sqlite3_vtab.self)
  return SQLITE_OK
}

/// Asks SQLite to pass the values of the hidden columns as arguments, in the order of the columns.
private let bestIndex:
  @convention(c) (
    UnsafeMutablePointer<sqlite3_vtab>?, UnsafeMutablePointer<sqlite3_index_info>?
  ) -> Int32 = { _, info in
    guard let info else { return SQLITE_ERROR }
    let constraints = (0..<Int(info.pointee.nConstraint)).filter { index in
      info.pointee.aConstraint[index].usable != 0
        && Int32(info.pointee.aConstraint[index].op) == SQLITE_INDEX_CONSTRAINT_EQ
    }.sorted {
      info.pointee.aConstraint[$0].iColumn < info.pointee.aConstraint[$1].iColumn
    }
    for (position, index) in constraints.enumerated() {
      info.pointee.aConstraintUsage[index].argvIndex = Int32(position + 1)
      info.pointee.aConstraintUsage[index].omit = 1
    }
    info.pointee.estimatedCost = 1
    return SQLITE_OK
  }

private let open:
  @convention(c) (
    UnsafeMutablePointer<sqlite3_vtab>?,
    UnsafeMutablePointer<UnsafeMutablePointer<sqlite3_vtab_cursor>?>?
  ) -> Int32 = { _, cursor in
    let made = UnsafeMutablePointer<CursorMemory>.allocate(capacity: 1)
    made.initialize(to: CursorMemory())
    cursor?.pointee = UnsafeMutableRawPointer(made)
      .assumingMemoryBound(to: sqlite3_vtab_cursor.self)
    return SQLITE_OK
  }

private let close: @convention(c) (UnsafeMutablePointer<sqlite3_vtab_cursor>?) -> Int32 = {
  CursorMemory.end($0)
  guard let memory = CursorMemory.at($0) else { return SQLITE_OK }
  memory.deinitialize(count: 1)
  memory.deallocate()
  return SQLITE_OK
}

private let filter:
  @convention(c) (
    UnsafeMutablePointer<sqlite3_vtab_cursor>?, Int32, UnsafePointer<CChar>?, Int32,
    UnsafeMutablePointer<OpaquePointer?>?
  ) -> Int32 = { cursor, _, _, count, values in
    CursorMemory.end(cursor)
    guard let memory = CursorMemory.at(cursor), count > 0,
      let link = TableMemory.link(memory.pointee.base.pVtab)
    else { return SQLITE_ERROR }
    do {
      let number = sqlite3_value_int64(values?[0])
      let arguments = try link.noting {
        try RemoteArguments(values, from: 1, to: Int(count))
      }
      memory.pointee.rows = try link.rows(of: number, arguments)
      return CursorMemory.advance(cursor)
    } catch {
      return SQLITE_ERROR
    }
  }

private let column:
  @convention(c) (
    UnsafeMutablePointer<sqlite3_vtab_cursor>?, OpaquePointer?, Int32
  ) -> Int32 = { cursor, context, index in
    guard let rows = CursorMemory.at(cursor)?.pointee.rows, Int(index) < rows.columnCount else {
      sqlite3_result_null(context)
      return SQLITE_OK
    }
    rows.withValue(at: Int(index)) { $0.setResult(of: context) }
    return SQLITE_OK
  }

/// Called by SQLite for an INSERT into `apus_remote_run`. Sends a statement that returns no rows.
/// The values that SQLite passes are two NULLs, followed by the values of the columns.
private let update:
  @convention(c) (
    UnsafeMutablePointer<sqlite3_vtab>?, Int32, UnsafeMutablePointer<OpaquePointer?>?,
    UnsafeMutablePointer<sqlite3_int64>?
  ) -> Int32 = { table, count, values, rowID in
    guard let link = TableMemory.link(table), count > 3,
      sqlite3_value_type(values?[0]) == SQLITE_NULL
    else { return SQLITE_ERROR }
    do {
      let arguments = try link.noting {
        try RemoteArguments(values, from: 3, to: Int(count))
      }
      rowID?.pointee = try link.run(sqlite3_value_int64(values?[2]), arguments)
      return SQLITE_OK
    } catch {
      return SQLITE_ERROR
    }
  }

extension RemoteValue {
  /// Sets the value as the result of a column of a virtual table.
  fileprivate func setResult(of context: OpaquePointer?) {
    switch self {
    case .null: sqlite3_result_null(context)
    case .integer(let integer): sqlite3_result_int64(context, integer)
    case .real(let real): sqlite3_result_double(context, real)
    case .text(let bytes):
      csqlite_result_text_copy(
        context, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), UInt64(bytes.count))
    case .blob(let bytes):
      if bytes.isEmpty {
        sqlite3_result_zeroblob(context, 0)
      } else {
        csqlite_result_blob_copy(context, bytes.baseAddress, UInt64(bytes.count))
      }
    }
  }
}
