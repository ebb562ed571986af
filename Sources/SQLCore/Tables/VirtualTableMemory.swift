import CSQLite

/// The object that SQLite keeps for a module, and finally releases. It holds the closure that makes
/// the module's tables.
final class VirtualTableModule {
  // The core is not retained. It owns the SQLite handle, and the handle owns this object, so the
  // core outlives this object.
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

/// The memory of a virtual table: first the struct that SQLite uses, then the fields that Swift
/// needs.
struct VirtualTableMemory {
  var base = sqlite3_vtab()
  let core: Unmanaged<ConnectionCore>
  let table: any VirtualTable

  static func at(
    _ table: UnsafeMutablePointer<sqlite3_vtab>?
  ) -> UnsafeMutablePointer<VirtualTableMemory>? {
    UnsafeMutableRawPointer(table)?.assumingMemoryBound(to: VirtualTableMemory.self)
  }

  /// Runs a closure with the table. If the closure throws, returns the error's code and stores its
  /// message where SQLite reads it.
  static func call(
    _ table: UnsafeMutablePointer<sqlite3_vtab>?,
    _ body: (any VirtualTable) throws -> Void
  ) -> Int32 {
    guard let memory = at(table) else { return SQLITE_ERROR }
    // The table is retained, because it may be removed while the call runs.
    let held = memory.pointee.table
    do {
      try body(held)
      return SQLITE_OK
    } catch {
      return fail(table, error)
    }
  }

  /// Runs a closure that writes to the table. Fails if the table can only be read.
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

/// The memory of a cursor: first the struct that SQLite uses, then the fields that Swift needs.
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
