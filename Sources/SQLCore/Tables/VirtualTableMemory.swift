import CSQLite

/// What a module is given when SQLite calls it: how tables are made. SQLite owns and releases it.
final class VirtualTableModule {
  // The core owns the handle, which owns this, and outlives both.
  let core: Unmanaged<ConnectionCore>
  let make: @Sendable (VirtualTableContext) throws -> any VirtualTable
  let isInnocuous: Bool

  init(
    core: ConnectionCore, isInnocuous: Bool,
    _ make: @escaping @Sendable (VirtualTableContext) throws -> any VirtualTable
  ) {
    self.core = .passUnretained(core)
    self.isInnocuous = isInnocuous
    self.make = make
  }
}

/// What SQLite knows as the table, and behind it what Swift needs.
struct VirtualTableMemory {
  var base = sqlite3_vtab()
  let core: Unmanaged<ConnectionCore>
  let table: any VirtualTable

  static func at(
    _ table: UnsafeMutablePointer<sqlite3_vtab>?
  ) -> UnsafeMutablePointer<VirtualTableMemory>? {
    UnsafeMutableRawPointer(table)?.assumingMemoryBound(to: VirtualTableMemory.self)
  }

  /// Calls the table; what it throws is its code, with the message where SQLite looks for it.
  static func call(
    _ table: UnsafeMutablePointer<sqlite3_vtab>?,
    _ body: (any VirtualTable) throws -> Void
  ) -> Int32 {
    guard let memory = at(table) else { return SQLITE_ERROR }
    // The table is held: it may be removed while it runs.
    let held = memory.pointee.table
    do {
      try body(held)
      return SQLITE_OK
    } catch {
      return fail(table, error)
    }
  }

  /// Calls the table for writing.
  static func write(
    _ table: UnsafeMutablePointer<sqlite3_vtab>?,
    _ body: (any TransactionalVirtualTable) throws -> Void
  ) -> Int32 {
    call(table) { table in
      guard let writable = table as? any TransactionalVirtualTable else {
        throw DatabaseError(code: .readOnly, message: "the virtual table is read-only")
      }
      try body(writable)
    }
  }

  static func fail(_ table: UnsafeMutablePointer<sqlite3_vtab>?, _ error: any Error) -> Int32 {
    let failure = CallbackFailure(error)
    if let table {
      sqlite3_free(table.pointee.zErrMsg)
      table.pointee.zErrMsg = failure.allocatedMessage
    }
    return failure.code
  }
}

/// What SQLite knows as the cursor, and behind it what Swift needs.
struct VirtualCursorMemory {
  var base = sqlite3_vtab_cursor()
  let core: Unmanaged<ConnectionCore>
  let cursor: any VirtualTableCursor

  static func at(
    _ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?
  ) -> UnsafeMutablePointer<VirtualCursorMemory>? {
    UnsafeMutableRawPointer(cursor)?.assumingMemoryBound(to: VirtualCursorMemory.self)
  }

  static func call(
    _ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?,
    _ body: (any VirtualTableCursor) throws -> Void
  ) -> Int32 {
    guard let memory = at(cursor) else { return SQLITE_ERROR }
    do {
      try body(memory.pointee.cursor)
      return SQLITE_OK
    } catch {
      return VirtualTableMemory.fail(cursor?.pointee.pVtab, error)
    }
  }
}
