import CSQLite

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension ConnectionCore {
  /// Binds the columns of `count` models, which are adjacent in memory, to a statement that writes
  /// one row for each model. Then runs the statement.
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

  /// Binds the columns of a model to the parameters of a statement, in order. Then runs the
  /// statement.
  ///
  /// Texts and bytes are bound without a copy. Each text is accessed inside a closure, and these
  /// closures are nested. The innermost closure runs the statement, so every pointer is still valid
  /// when it is used. If a value cannot be stored, `failed` is set to the index of its column.
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

/// An operation that binds the columns of one or several models to the parameters of a statement,
/// and then runs the statement.
///
/// Each text and each array of bytes is bound in a nested call, so a statement of many rows nests
/// about seventy calls. Rare cases and errors are handled by functions that are not inlined.
/// Otherwise their variables would take two kilobytes of the stack in each nested call, in total
/// more than the fastest cache of a processor holds.
private struct ModelBinding {
  /// The connection. The reference is not counted, because the caller retains the connection.
  /// Otherwise each nested closure would retain it again.
  let core: Unmanaged<ConnectionCore>
  let statement: StatementPointer
  let columns: ColumnSlots
  let order: UnsafeBufferPointer<UInt16>
  var model: UnsafeRawPointer
  /// The number of models that still have to be bound, including the current model.
  var rowsLeft = 1
  /// The number of parameters that belong to the models before the current one. The parameters of
  /// the current model come after these.
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
      let column = model + Int(columns.slots[index].offset)
      position &+= 1
      let next = position
      let parameter = base &+ Int32(truncatingIfNeeded: next)
      switch columns.slots[index].kind {
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
        // The text is bound without a copy. This is not possible if the column has no value, or if
        // the bytes of the text are not contiguous.
        let isBound: Void?? = try inPlace(String.self, at: column).pointee.withText {
          try bind(text: $0, at: parameter, next: next)
        }
        if case .some(.some) = isBound { return }
        guard case .some(.none) = isBound else {
          sqlite3_bind_null(handle, parameter)
          continue
        }
        return try bind(copyOf: storage(String.self, at: column), at: parameter, next: next)
      case .optionalString:
        let isBound: Void?? = try inPlace(String?.self, at: column).pointee.withText {
          try bind(text: $0, at: parameter, next: next)
        }
        if case .some(.some) = isBound { return }
        guard case .some(.none) = isBound else {
          sqlite3_bind_null(handle, parameter)
          continue
        }
        return try bind(copyOf: storage(String?.self, at: column), at: parameter, next: next)
      case .data:
        let isBound: Void? = try inPlace(Data.self, at: column).pointee.withBytes {
          try bind(bytes: $0, at: parameter, next: next)
        }
        if isBound != nil { return }
        sqlite3_bind_null(handle, parameter)
      case .optionalData:
        let isBound: Void? = try inPlace(Data?.self, at: column).pointee.withBytes {
          try bind(bytes: $0, at: parameter, next: next)
        }
        if isBound != nil { return }
        sqlite3_bind_null(handle, parameter)
      case .unique64, .optionalUnique64, .witness:
        if try bindByWitness(index, of: column, at: parameter, next: next) { return }
      }
    }
    try core._withUnsafeGuaranteedRef { try $0.run(statement) }
  }

  /// Binds a column through the `ColumnValue` methods of its type. If the stored value is a text or
  /// bytes, also binds the remaining columns and runs the statement, because the pointer to the
  /// bytes is valid only during this call. In this case, returns true.
  @inline(never)
  private mutating func bindByWitness(
    _ index: Int, of column: UnsafeRawPointer, at parameter: Int32, next: Int
  ) throws -> Bool {
    let slot = columns.slots[index]
    do {
      let value = try slot.type._databaseValue(ofColumnAt: column, as: slot.form)
      switch value {
      case .null: sqlite3_bind_null(statement.handle, parameter)
      case .integer(let integer):
        core._withUnsafeGuaranteedRef { $0.noteBound(integer) }
        sqlite3_bind_int64(statement.handle, parameter, integer)
      case .real(let real): sqlite3_bind_double(statement.handle, parameter, real)
      case .text(var text):
        try text.withUTF8 { try bind(text: $0, at: parameter, next: next) }
        return true
      case .invalidText:
        try core._withUnsafeGuaranteedRef { try $0.bind(value, to: statement, at: parameter) }
      case .blob(let data):
        try data.withUnsafeBytes { try bind(bytes: $0, at: parameter, next: next) }
        return true
      }
      return false
    } catch let error as ColumnValueError {
      if failed < 0 { failed = index }
      throw error
    }
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
    if value.isNaN { return try refuse(value, column: column) }
    sqlite3_bind_double(statement.handle, parameter, value)
  }

  @inline(__always)
  private mutating func bind(_ value: Date?, at parameter: Int32, column: Int) throws {
    guard let value else {
      sqlite3_bind_null(statement.handle, parameter)
      return
    }
    guard let microseconds = value.microsecondsSince1970 else {
      return try refuse(value, column: column)
    }
    sqlite3_bind_int64(statement.handle, parameter, microseconds)
  }

  /// Binds a text that is not contiguous in memory, as a text from Objective-C may be.
  @inline(never)
  private mutating func bind(
    copyOf text: UnsafePointer<ColumnStorage<String>>, at parameter: Int32, next: Int
  ) throws {
    guard var text = text.pointee.value else { return }
    try text.withUTF8 { try bind(text: $0, at: parameter, next: next) }
  }

  @inline(never)
  private mutating func bind(
    copyOf text: UnsafePointer<ColumnStorage<String?>>, at parameter: Int32, next: Int
  ) throws {
    guard case var text?? = text.pointee.value else { return }
    try text.withUTF8 { try bind(text: $0, at: parameter, next: next) }
  }

  @inline(__always)
  private mutating func bind(
    text bytes: UnsafeBufferPointer<UInt8>, at parameter: Int32, next: Int
  ) throws {
    let code = bytes.withMemoryRebound(to: CChar.self) { bytes in
      csqlite_bind_text_static(
        statement.handle, parameter, bytes.baseAddress, UInt64(bytes.count))
    }
    if code != SQLITE_OK { try fail(code) }
    try bind(from: next)
  }

  @inline(__always)
  private mutating func bind(
    bytes: UnsafeRawBufferPointer, at parameter: Int32, next: Int
  ) throws {
    // Empty bytes may have a null pointer, for which SQLite would bind NULL. A BLOB of zero bytes
    // is bound instead.
    let code =
      bytes.isEmpty
      ? sqlite3_bind_zeroblob(statement.handle, parameter, 0)
      : csqlite_bind_blob_static(
        statement.handle, parameter, bytes.baseAddress, UInt64(bytes.count))
    if code != SQLITE_OK { try fail(code) }
    try bind(from: next)
  }

  // MARK: Errors

  @inline(never)
  private mutating func refuse(_ value: Double, column: Int) throws {
    failed = column
    throw ColumnValueError.unstorable(value, "SQLite has no NaN")
  }

  /// Throws the error for a date that cannot be stored.
  @inline(never)
  private mutating func refuse(_ date: Date, column: Int) throws {
    failed = column
    _ = try date.databaseValue(as: .standard)
  }

  @inline(never)
  private mutating func fail(_ code: Int32) throws {
    throw core._withUnsafeGuaranteedRef { $0.error(code, sql: statement.sql) }
  }
}

extension ConnectionCore {
  /// Binds the values of a primary key to the first parameters of a statement. In memory, each
  /// value is a plain value without a `ColumnStorage`.
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
