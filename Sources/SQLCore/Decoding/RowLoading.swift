import CSQLite

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// How far a loop over rows came.
package struct RowProgress {
  /// How many rows are whole.
  package var count = 0
  /// Whether the statement has ended.
  package var isAtEnd = false
  /// Whether the statement stands at a row that is not read yet.
  package var isAtRow = false
  /// The column at which an error was found.
  package var column = 0

  package init() {}
}

extension ConnectionCore {
  /// Steps a statement and writes each row as a model into memory, until it ends or the memory is
  /// full.
  ///
  /// The one loop for all models: it is not generic, so that its code is hot whatever the model.
  /// When it throws, the rows counted in `progress` are whole and nothing else is initialised.
  package func loadRows(
    of statement: StatementPointer, columns: ColumnSlots, skipping first: Int = 0,
    into base: UnsafeMutableRawPointer, capacity: Int,
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
        of: statement, columns: columns, skipping: first, into: position, progress: &progress)
      progress.isAtRow = false
      initializingOthers?(position)
      position += columns.stride
      count &+= 1
    }
  }

  /// Writes the row at which a statement stands as a model into memory; when it throws, nothing is
  /// initialised.
  package func loadRow(
    of statement: StatementPointer, columns: ColumnSlots, skipping first: Int = 0,
    into model: UnsafeMutableRawPointer, progress: inout RowProgress
  ) throws {
    let handle = statement.handle
    let slots = columns.slots
    var index = 0
    do {
      while index < slots.count {
        let slot = slots[index]
        let column = model + Int(slot.offset)
        // Values that are "unprotected" to SQLite: sound on a connection used by one thread.
        guard let value = sqlite3_column_value(handle, Int32(truncatingIfNeeded: first &+ index))
        else { throw DatabaseError(code: .range, message: "there is no column \(index)") }
        switch slot.kind {
        case .int:
          guard sqlite3_value_type(value) == SQLITE_INTEGER else { throw mismatch(value, slot) }
          store(Int(truncatingIfNeeded: sqlite3_value_int64(value)), at: column)
        case .int64:
          guard sqlite3_value_type(value) == SQLITE_INTEGER else { throw mismatch(value, slot) }
          store(sqlite3_value_int64(value), at: column)
        case .unique64:
          guard sqlite3_value_type(value) == SQLITE_INTEGER else { throw mismatch(value, slot) }
          store(Unique64(rawValue: sqlite3_value_int64(value)), at: column)
        case .bool:
          store(try bool(value, slot), at: column)
        case .double:
          guard sqlite3_value_type(value) == SQLITE_FLOAT else {
            store(try Cell(value: value, form: .standard).real(), at: column)
            break
          }
          store(sqlite3_value_double(value), at: column)
        case .string:
          store(try string(value, slot), at: column)
        case .data:
          store(try data(value, slot), at: column)
        case .date:
          guard sqlite3_value_type(value) == SQLITE_INTEGER else { throw mismatch(value, slot) }
          store(Date(microsecondsSince1970: sqlite3_value_int64(value)), at: column)
        case .optionalInt:
          switch sqlite3_value_type(value) {
          case SQLITE_NULL: store(Int?.none, at: column)
          case SQLITE_INTEGER:
            store(Int?(Int(truncatingIfNeeded: sqlite3_value_int64(value))), at: column)
          default: throw mismatch(value, slot)
          }
        case .optionalInt64:
          switch sqlite3_value_type(value) {
          case SQLITE_NULL: store(Int64?.none, at: column)
          case SQLITE_INTEGER: store(Int64?(sqlite3_value_int64(value)), at: column)
          default: throw mismatch(value, slot)
          }
        case .optionalUnique64:
          switch sqlite3_value_type(value) {
          case SQLITE_NULL: store(Unique64?.none, at: column)
          case SQLITE_INTEGER:
            store(Unique64?(Unique64(rawValue: sqlite3_value_int64(value))), at: column)
          default: throw mismatch(value, slot)
          }
        case .optionalBool:
          store(
            sqlite3_value_type(value) == SQLITE_NULL ? nil : try bool(value, slot) as Bool?,
            at: column)
        case .optionalDouble:
          switch sqlite3_value_type(value) {
          case SQLITE_NULL: store(Double?.none, at: column)
          case SQLITE_FLOAT: store(Double?(sqlite3_value_double(value)), at: column)
          default: store(Double?(try Cell(value: value, form: .standard).real()), at: column)
          }
        case .optionalString:
          store(
            sqlite3_value_type(value) == SQLITE_NULL ? nil : try string(value, slot) as String?,
            at: column)
        case .optionalData:
          store(
            sqlite3_value_type(value) == SQLITE_NULL ? nil : try data(value, slot) as Data?,
            at: column)
        case .optionalDate:
          switch sqlite3_value_type(value) {
          case SQLITE_NULL: store(Date?.none, at: column)
          case SQLITE_INTEGER:
            store(Date?(Date(microsecondsSince1970: sqlite3_value_int64(value))), at: column)
          default: throw mismatch(value, slot)
          }
        case .witness:
          try slot.type.load(Cell(value: value, form: slot.form), intoColumnAt: column)
        }
        index &+= 1
      }
    } catch {
      progress.column = index
      columns.destroy(first: index, in: model)
      throw error
    }
  }
}

@inline(__always)
private func store<Value>(_ value: Value, at column: UnsafeMutableRawPointer) {
  column.assumingMemoryBound(to: ColumnStorage<Value>.self)
    .initialize(to: ColumnStorage(loaded: value))
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
  guard let text = String(validatedTextOf: value) else {
    throw Cell(value: value, form: .standard).invalidText()
  }
  return text
}

@inline(__always)
private func data(_ value: OpaquePointer, _ slot: ColumnSlot) throws -> Data {
  guard sqlite3_value_type(value) == SQLITE_BLOB else { throw mismatch(value, slot) }
  guard let start = sqlite3_value_blob(value) else { return Data() }
  return Data(bytes: start, count: Int(sqlite3_value_bytes(value)))
}

@inline(never)
private func mismatch(_ value: OpaquePointer, _ slot: ColumnSlot) -> ColumnValueError {
  Cell(value: value, form: slot.form)
    .mismatch(slot.type.storageClass(as: slot.form) ?? slot.type.storageClass)
}

extension ColumnSlots {
  /// Destroys the first columns of a model that was not finished.
  func destroy(first count: Int, in model: UnsafeMutableRawPointer) {
    func destroy<Value: ColumnValue>(_ type: Value.Type, at column: UnsafeMutableRawPointer) {
      column.assumingMemoryBound(to: ColumnStorage<Value>.self).deinitialize(count: 1)
    }
    for slot in slots.prefix(count) { destroy(slot.type, at: model + Int(slot.offset)) }
  }
}
