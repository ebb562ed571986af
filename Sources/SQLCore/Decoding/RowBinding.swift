import CSQLite

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension ConnectionCore {
  /// Binds the columns of `count` models that are adjacent in memory to one statement of several
  /// rows, and runs it.
  ///
  /// If a value cannot be stored, the error does not say which model or column it belongs to.
  package func run(
    _ statement: StatementPointer, binding columns: ColumnSlots,
    order: UnsafeBufferPointer<UInt16>, of models: UnsafeRawPointer, count: Int
  ) throws {
    var binding = ModelBinding(
      core: .passUnretained(self), statement: statement, columns: columns, order: order,
      model: models)
    binding.rowsLeft = count
    try binding.bind(from: 0)
  }

  /// Binds the columns of a model to the parameters of a statement, in order, and runs it.
  ///
  /// Texts and bytes are bound without a copy. Nested closures access them, and the innermost
  /// closure runs the statement, so that every pointer is still valid when it is used. If a value
  /// cannot be stored, `failed` is set to the index of its column.
  package func run(
    _ statement: StatementPointer, binding columns: ColumnSlots,
    order: UnsafeBufferPointer<UInt16>, of model: UnsafeRawPointer, failed: inout Int
  ) throws {
    var binding = ModelBinding(
      core: .passUnretained(self), statement: statement, columns: columns, order: order,
      model: model)
    do {
      try binding.bind(from: 0)
    } catch {
      failed = binding.failed
      throw error
    }
  }
}

private struct ModelBinding {
  /// Unmanaged, because the caller retains it; otherwise each nested closure would retain it again.
  let core: Unmanaged<ConnectionCore>
  let statement: StatementPointer
  let columns: ColumnSlots
  let order: UnsafeBufferPointer<UInt16>
  var model: UnsafeRawPointer
  /// The number of models that are not bound completely, including the current one.
  var rowsLeft = 1
  /// The number of parameters of the models before the current one.
  var base: Int32 = 0
  var failed = -1

  mutating func bind(from start: Int) throws {
    let handle = statement.handle
    var position = start
    while true {
      if position == order.count {
        rowsLeft &-= 1
        guard rowsLeft > 0 else { break }
        base &+= Int32(truncatingIfNeeded: order.count)
        model += columns.stride
        position = 0
      }
      let index = Int(order[position])
      let slot = columns.slots[index]
      let column = model + Int(slot.offset)
      position &+= 1
      let parameter = base &+ Int32(truncatingIfNeeded: position)
      switch slot.kind {
      case .int: bind(storage(Int.self, at: column).pointee.value.map(Int64.init), at: parameter)
      case .int64: bind(storage(Int64.self, at: column).pointee.value, at: parameter)
      case .bool: bind(storage(Bool.self, at: column).pointee.value.map(integer), at: parameter)
      case .optionalInt:
        bind(storage(Int?.self, at: column).pointee.value?.map(Int64.init), at: parameter)
      case .optionalInt64:
        bind(storage(Int64?.self, at: column).pointee.value ?? nil, at: parameter)
      case .optionalBool:
        bind(storage(Bool?.self, at: column).pointee.value?.map(integer), at: parameter)
      case .double:
        try bind(storage(Double.self, at: column).pointee.value, at: parameter, column: index)
      case .optionalDouble:
        try bind(
          storage(Double?.self, at: column).pointee.value ?? nil, at: parameter, column: index)
      case .date:
        try bind(storage(Date.self, at: column).pointee.value, at: parameter, column: index)
      case .optionalDate:
        try bind(storage(Date?.self, at: column).pointee.value ?? nil, at: parameter, column: index)
      case .string:
        // The text is bound without a copy. If that is not possible, it is nil or not contiguous.
        let isBound: Void?? = try inPlace(String.self, at: column).pointee.withText {
          try bind(text: $0, at: parameter, next: position)
        }
        if case .some(.some) = isBound { return }
        guard case let text? = storage(String.self, at: column).pointee.value else {
          sqlite3_bind_null(handle, parameter)
          continue
        }
        return try bind(text: text, at: parameter, next: position)
      case .optionalString:
        let isBound: Void?? = try inPlace(String?.self, at: column).pointee.withText {
          try bind(text: $0, at: parameter, next: position)
        }
        if case .some(.some) = isBound { return }
        guard case let text?? = storage(String?.self, at: column).pointee.value else {
          sqlite3_bind_null(handle, parameter)
          continue
        }
        return try bind(text: text, at: parameter, next: position)
      case .data:
        let isBound: Void? = try inPlace(Data.self, at: column).pointee.withBytes {
          try bind(bytes: $0, at: parameter, next: position)
        }
        if isBound != nil { return }
        sqlite3_bind_null(handle, parameter)
      case .optionalData:
        let isBound: Void? = try inPlace(Data?.self, at: column).pointee.withBytes {
          try bind(bytes: $0, at: parameter, next: position)
        }
        if isBound != nil { return }
        sqlite3_bind_null(handle, parameter)
      case .unique64, .optionalUnique64, .witness:
        do {
          let value = try slot.type._databaseValue(ofColumnAt: column, as: slot.form)
          switch value {
          case .null: sqlite3_bind_null(handle, parameter)
          case .integer(let integer):
            core._withUnsafeGuaranteedRef { $0.noteBound(integer) }
            sqlite3_bind_int64(handle, parameter, integer)
          case .real(let real): sqlite3_bind_double(handle, parameter, real)
          case .text(let text): return try bind(text: text, at: parameter, next: position)
          case .invalidText:
            try core._withUnsafeGuaranteedRef {
              try $0.bind(value, to: statement, at: parameter)
            }
          case .blob(let data):
            return try data.withUnsafeBytes {
              try bind(bytes: $0, at: parameter, next: position)
            }
          }
        } catch let error as ColumnValueError {
          if failed < 0 { failed = index }
          throw error
        }
      }
    }
    try core._withUnsafeGuaranteedRef { try $0.run(statement) }
  }

  @inline(never)
  private func error(_ code: Int32) -> DatabaseError {
    core._withUnsafeGuaranteedRef { $0.error(code, sql: statement.sql) }
  }

  @inline(__always)
  private func storage<Value>(
    _: Value.Type, at column: UnsafeRawPointer
  ) -> UnsafePointer<ColumnStorage<Value>> {
    column.assumingMemoryBound(to: ColumnStorage<Value>.self)
  }

  @inline(__always)
  private func inPlace<Value>(
    _: Value.Type, at column: UnsafeRawPointer
  ) -> UnsafePointer<ColumnInPlace<Value>> {
    column.assumingMemoryBound(to: ColumnInPlace<Value>.self)
  }

  @inline(__always)
  private func integer(_ value: Bool) -> Int64 { value ? 1 : 0 }

  @inline(__always)
  private func bind(_ value: Int64?, at parameter: Int32) {
    if let value {
      sqlite3_bind_int64(statement.handle, parameter, value)
    } else {
      sqlite3_bind_null(statement.handle, parameter)
    }
  }

  @inline(__always)
  private mutating func bind(_ value: Double?, at parameter: Int32, column: Int) throws {
    guard let value else {
      sqlite3_bind_null(statement.handle, parameter)
      return
    }
    guard !value.isNaN else {
      failed = column
      throw ColumnValueError.unstorable(value, "SQLite has no NaN")
    }
    sqlite3_bind_double(statement.handle, parameter, value)
  }

  @inline(__always)
  private mutating func bind(_ value: Date?, at parameter: Int32, column: Int) throws {
    guard let value else {
      sqlite3_bind_null(statement.handle, parameter)
      return
    }
    guard let microseconds = value.microsecondsSince1970 else {
      failed = column
      // This throws the error that describes the fault of the date.
      _ = try value.databaseValue(as: .standard)
      return
    }
    sqlite3_bind_int64(statement.handle, parameter, microseconds)
  }

  @inline(__always)
  private mutating func bind(text: String, at parameter: Int32, next: Int) throws {
    // A text that is not contiguous, as may be the case for one from Objective-C, is copied first.
    let isBound: Void? = try text.utf8.withContiguousStorageIfAvailable { bytes in
      try bind(text: bytes, at: parameter, next: next)
    }
    if isBound != nil { return }
    var copy = text
    try copy.withUTF8 { bytes in try bind(text: bytes, at: parameter, next: next) }
  }

  private mutating func bind(
    text bytes: UnsafeBufferPointer<UInt8>, at parameter: Int32, next: Int
  ) throws {
    try bytes.withMemoryRebound(to: CChar.self) { bytes in
      let code = csqlite_bind_text_static(
        statement.handle, parameter, bytes.baseAddress, UInt64(bytes.count))
      guard code == SQLITE_OK else { throw error(code) }
    }
    try bind(from: next)
  }

  private mutating func bind(
    bytes: UnsafeRawBufferPointer, at parameter: Int32, next: Int
  ) throws {
    // A null pointer would bind NULL.
    let code =
      bytes.isEmpty
      ? sqlite3_bind_zeroblob(statement.handle, parameter, 0)
      : csqlite_bind_blob_static(
        statement.handle, parameter, bytes.baseAddress, UInt64(bytes.count))
    guard code == SQLITE_OK else { throw error(code) }
    try bind(from: next)
  }
}

extension ConnectionCore {
  /// Binds the values of a key, which are in memory without their column storage, to the parameters
  /// from 1 on.
  package func bind(
    key columns: ColumnSlots, at key: UnsafeRawPointer, to statement: StatementPointer
  ) throws {
    var parameter: Int32 = 0
    for slot in columns.slots {
      parameter += 1
      let value = key + Int(slot.offset)
      let code: Int32
      switch slot.kind {
      case .int:
        code = sqlite3_bind_int64(statement.handle, parameter, Int64(value.load(as: Int.self)))
      case .int64:
        code = sqlite3_bind_int64(statement.handle, parameter, value.load(as: Int64.self))
      default:
        let value = try plainValue(slot.type, at: value, form: slot.form)
        try bind(value, to: statement, at: parameter)
        continue
      }
      try check(code, sql: statement.sql)
    }
  }

  private func plainValue<Value: ColumnValue>(
    _ type: Value.Type, at memory: UnsafeRawPointer, form: StoredForm
  ) throws -> DatabaseValue {
    try memory.assumingMemoryBound(to: Value.self).pointee.databaseValue(as: form)
  }
}
