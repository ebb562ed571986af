import CSQLite

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The progress of loading a statement's rows.
package struct RowProgress {
  /// The number of rows that were loaded completely.
  package var count = 0
  /// Whether the statement has ended.
  package var isAtEnd = false
  /// Whether the statement is at a row that was not loaded yet.
  package var isAtRow = false
  /// The index of the column that caused an error.
  package var column = 0

  package init() {}
}

extension ConnectionCore {
  /// Steps a statement and writes each row as a model into memory, until the statement ends or the
  /// memory is full.
  ///
  /// One loop serves all models. It is not generic, so that its code stays in the processor's cache
  /// for every model. If the method throws, the rows counted in `progress` are complete, and no
  /// other memory is initialised.
  package func loadRows(
    of statement: StatementPointer, columns: ColumnSlots, skipping first: Int = 0,
    at positions: ColumnPositions? = nil, into base: UnsafeMutableRawPointer, capacity: Int,
    initializingOthers: ((UnsafeMutableRawPointer) -> Void)?, progress: inout RowProgress
  ) throws {
    var position = base
    var count = 0
    defer { progress.count = count }
    while count < capacity {
      if !progress.isAtRow {
        progress.isAtRow = try step(statement)
        guard progress.isAtRow else {
          progress.isAtEnd = true
          return
        }
      }
      try loadRow(
        of: statement, columns: columns, skipping: first, at: positions, into: position,
        progress: &progress)
      progress.isAtRow = false
      initializingOthers?(position)
      position += columns.stride
      count &+= 1
    }
  }

  /// Writes the current row of a statement into memory, as a model. If the method throws, no memory
  /// is initialised.
  ///
  /// - Parameter positions: the index in the result for each column of the model. If it is nil, the
  ///   result has the columns in the model's order, beginning at the index `first`.
  package func loadRow(
    of statement: StatementPointer, columns: ColumnSlots, skipping first: Int = 0,
    at positions: ColumnPositions? = nil, into model: UnsafeMutableRawPointer,
    progress: inout RowProgress
  ) throws {
    if let indices = positions?.indices {
      try loadRow(of: statement, columns: columns, into: model, progress: &progress) { indices[$0] }
    } else {
      try loadRow(of: statement, columns: columns, into: model, progress: &progress) {
        Int32(truncatingIfNeeded: first &+ $0)
      }
    }
  }

  @inline(__always)
  private func loadRow(
    of statement: StatementPointer, columns: ColumnSlots, into model: UnsafeMutableRawPointer,
    progress: inout RowProgress, place: (Int) -> Int32
  ) throws {
    let handle = statement.handle
    let slots = columns.slots
    var index = 0
    do {
      while index < slots.count {
        let slot = slots[index]
        let column = model + Int(slot.offset)
        // SQLite calls the value that this function returns "unprotected": no mutex protects it. It
        // is safe to use, because only one thread at a time uses the connection.
        guard let value = sqlite3_column_value(handle, place(index))
        else { throw DatabaseError(code: .range, message: "there is no column \(index)") }
        try value.load(slot, as: InColumn.self, into: column)
        index &+= 1
      }
    } catch {
      progress.column = index
      columns.destroy(first: index, in: model)
      throw error
    }
  }
}

extension ColumnSlots {
  /// Destroys the first `count` columns of a model, because reading a later column failed.
  func destroy(first count: Int, in model: UnsafeMutableRawPointer) {
    func destroy<Value: ColumnValue>(_ type: Value.Type, at column: UnsafeMutableRawPointer) {
      column.assumingMemoryBound(to: ColumnStorage<Value>.self).deinitialize(count: 1)
    }
    for slot in slots.prefix(count) { destroy(slot.type, at: model + Int(slot.offset)) }
  }
}

/// The way in which a value from a row is stored in memory. In a model, the value gets a mark that
/// says whether it was loaded or changed. In a tuple, there is no mark.
protocol ValueStorage {
  static func store<Value>(_ value: Value, at memory: UnsafeMutableRawPointer)
  /// Reads a value whose `ColumnSlot.Kind` is `witness`.
  static func load(
    _ cell: borrowing Cell, _ type: any ColumnValue.Type, into memory: UnsafeMutableRawPointer
  ) throws
}

/// The storage of a value in a column of a model. The value gets a mark that says that it was
/// loaded.
enum InColumn: ValueStorage {
  @inline(__always)
  static func store<Value>(_ value: Value, at memory: UnsafeMutableRawPointer) {
    memory.assumingMemoryBound(to: ColumnStorage<Value>.self)
      .initialize(to: ColumnStorage(loaded: value))
  }

  @inline(__always)
  static func load(
    _ cell: borrowing Cell, _ type: any ColumnValue.Type, into memory: UnsafeMutableRawPointer
  ) throws {
    try type._load(cell, intoColumnAt: memory)
  }
}

/// The storage of a plain value, such as an element of a tuple. The value has no mark that says
/// whether it was loaded or changed.
enum Bare: ValueStorage {
  @inline(__always)
  static func store<Value>(_ value: Value, at memory: UnsafeMutableRawPointer) {
    memory.initializeMemory(as: Value.self, to: value)
  }

  static func load(
    _ cell: borrowing Cell, _ type: any ColumnValue.Type, into memory: UnsafeMutableRawPointer
  ) throws {
    try type.load(cell, into: memory)
  }
}

extension ColumnValue {
  fileprivate static func load(
    _ cell: borrowing Cell, into memory: UnsafeMutableRawPointer
  ) throws {
    memory.initializeMemory(as: Self.self, to: try Self(cell))
  }

  fileprivate static func destroy(_ memory: UnsafeMutableRawPointer) {
    memory.assumingMemoryBound(to: Self.self).deinitialize(count: 1)
  }
}

extension ColumnSlot {
  /// Reads a column of a statement's current row into memory as a plain value, without a mark for
  /// loaded or changed.
  package func load(
    column index: Int, of statement: StatementPointer, into memory: UnsafeMutableRawPointer
  ) throws {
    guard let value = sqlite3_column_value(statement.handle, Int32(truncatingIfNeeded: index))
    else { throw DatabaseError(code: .range, message: "there is no column \(index)") }
    try value.load(self, as: Bare.self, into: memory)
  }

  /// Destroys a plain value in memory, which has no mark for loaded or changed.
  package func destroy(_ memory: UnsafeMutableRawPointer) {
    type.destroy(memory)
  }
}

extension OpaquePointer {
  /// Reads this value of SQLite as the type of a slot. Only this method distinguishes between the
  /// types. It is compiled once for the columns of models, and once for the elements of tuples.
  @inline(__always)
  func load<Storage: ValueStorage>(
    _ slot: ColumnSlot, as storage: Storage.Type, into memory: UnsafeMutableRawPointer
  ) throws {
    switch slot.kind {
    case .int:
      guard sqlite3_value_type(self) == SQLITE_INTEGER else { throw mismatch(self, slot) }
      Storage.store(Int(truncatingIfNeeded: sqlite3_value_int64(self)), at: memory)
    case .int64:
      guard sqlite3_value_type(self) == SQLITE_INTEGER else { throw mismatch(self, slot) }
      Storage.store(sqlite3_value_int64(self), at: memory)
    case .unique64:
      guard sqlite3_value_type(self) == SQLITE_INTEGER else { throw mismatch(self, slot) }
      Storage.store(Unique64(rawValue: sqlite3_value_int64(self)), at: memory)
    case .bool:
      Storage.store(try bool(self, slot), at: memory)
    case .double:
      guard sqlite3_value_type(self) == SQLITE_FLOAT else {
        Storage.store(try Cell(value: self, form: .standard).real(), at: memory)
        break
      }
      Storage.store(sqlite3_value_double(self), at: memory)
    case .string:
      Storage.store(try string(self, slot), at: memory)
    case .data:
      Storage.store(try data(self, slot), at: memory)
    case .date:
      guard sqlite3_value_type(self) == SQLITE_INTEGER else { throw mismatch(self, slot) }
      Storage.store(Date(microsecondsSince1970: sqlite3_value_int64(self)), at: memory)
    case .optionalInt:
      switch sqlite3_value_type(self) {
      case SQLITE_NULL: Storage.store(Int?.none, at: memory)
      case SQLITE_INTEGER:
        Storage.store(Int?(Int(truncatingIfNeeded: sqlite3_value_int64(self))), at: memory)
      default: throw mismatch(self, slot)
      }
    case .optionalInt64:
      switch sqlite3_value_type(self) {
      case SQLITE_NULL: Storage.store(Int64?.none, at: memory)
      case SQLITE_INTEGER: Storage.store(Int64?(sqlite3_value_int64(self)), at: memory)
      default: throw mismatch(self, slot)
      }
    case .optionalUnique64:
      switch sqlite3_value_type(self) {
      case SQLITE_NULL: Storage.store(Unique64?.none, at: memory)
      case SQLITE_INTEGER:
        Storage.store(Unique64?(Unique64(rawValue: sqlite3_value_int64(self))), at: memory)
      default: throw mismatch(self, slot)
      }
    case .optionalBool:
      Storage.store(
        sqlite3_value_type(self) == SQLITE_NULL ? nil : try bool(self, slot) as Bool?,
        at: memory)
    case .optionalDouble:
      switch sqlite3_value_type(self) {
      case SQLITE_NULL: Storage.store(Double?.none, at: memory)
      case SQLITE_FLOAT: Storage.store(Double?(sqlite3_value_double(self)), at: memory)
      default: Storage.store(Double?(try Cell(value: self, form: .standard).real()), at: memory)
      }
    case .optionalString:
      Storage.store(
        sqlite3_value_type(self) == SQLITE_NULL ? nil : try string(self, slot) as String?,
        at: memory)
    case .optionalData:
      Storage.store(
        sqlite3_value_type(self) == SQLITE_NULL ? nil : try data(self, slot) as Data?,
        at: memory)
    case .optionalDate:
      switch sqlite3_value_type(self) {
      case SQLITE_NULL: Storage.store(Date?.none, at: memory)
      case SQLITE_INTEGER:
        Storage.store(Date?(Date(microsecondsSince1970: sqlite3_value_int64(self))), at: memory)
      default: throw mismatch(self, slot)
      }
    case .witness:
      try Storage.load(Cell(value: self, form: slot.form), slot.type, into: memory)
    }
  }
}

@inline(__always)
private func bool(_ value: OpaquePointer, _ slot: ColumnSlot) throws -> Bool {
  guard sqlite3_value_type(value) == SQLITE_INTEGER else { throw mismatch(value, slot) }
  let integer = sqlite3_value_int64(value)
  guard integer == 0 || integer == 1 else {
    throw ColumnValueError.invalid(integer, as: Bool.self)
  }
  return integer == 1
}

@inline(__always)
private func string(_ value: OpaquePointer, _ slot: ColumnSlot) throws -> String {
  guard sqlite3_value_type(value) == SQLITE_TEXT else { throw mismatch(value, slot) }
  return try String(validatedTextOf: value)
}

@inline(__always)
private func data(_ value: OpaquePointer, _ slot: ColumnSlot) throws -> Data {
  guard sqlite3_value_type(value) == SQLITE_BLOB else { throw mismatch(value, slot) }
  guard let start = sqlite3_value_blob(value) else {
    // SQLite allocates the bytes of a zero-blob only on request, and the allocation may fail.
    guard sqlite3_value_bytes(value) == 0 else { throw DatabaseError.outOfMemory }
    return Data()
  }
  return Data(bytes: start, count: Int(sqlite3_value_bytes(value)))
}

@inline(never)
private func mismatch(_ value: OpaquePointer, _ slot: ColumnSlot) -> ColumnValueError {
  Cell(value: value, form: slot.form)
    .mismatch(slot.type.storageClass(as: slot.form) ?? slot.type.storageClass)
}
