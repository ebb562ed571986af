import SQLCore

extension Model {
  /// Returns the values of a key in their stored forms, in the order of the key columns.
  package static func keyValues(of id: ID) throws -> [DatabaseValue] {
    let layout = try layout
    func value<Value: ColumnValue>(
      _ type: Value.Type, at memory: UnsafeRawPointer, as form: StoredForm
    ) throws -> DatabaseValue {
      try memory.assumingMemoryBound(to: Value.self).pointee.databaseValue(as: form)
    }
    return try withUnsafeBytes(of: id) { bytes in
      guard let memory = bytes.baseAddress else { return [] }
      return try layout.keySlots.slots.map { slot in
        try value(slot.type, at: memory + Int(slot.offset), as: slot.form)
      }
    }
  }

  /// Returns the key that has these stored values. Throws `ColumnValueError` if a value is not
  /// valid for the type of its column.
  package static func id(fromKeyValues values: [DatabaseValue]) throws -> ID {
    let layout = try layout
    let slots = layout.keySlots.slots
    guard values.count == slots.count else {
      throw ModelError(Self.self, "the key has \(slots.count) columns, not \(values.count)")
    }
    func store<Value: ColumnValue>(
      _ type: Value.Type, _ value: DatabaseValue, at memory: UnsafeMutableRawPointer,
      as form: StoredForm
    ) throws {
      memory.initializeMemory(as: Value.self, to: try value.read(type, as: form))
    }
    func destroy<Value: ColumnValue>(_ type: Value.Type, at memory: UnsafeMutableRawPointer) {
      memory.assumingMemoryBound(to: Value.self).deinitialize(count: 1)
    }
    return try withUnsafeTemporaryAllocation(of: ID.self, capacity: 1) { buffer in
      guard let id = buffer.baseAddress else { throw ModelError(Self.self, "the key is empty") }
      let memory = UnsafeMutableRawPointer(id)
      var stored = 0
      do {
        for (slot, value) in zip(slots, values) {
          try store(slot.type, value, at: memory + Int(slot.offset), as: slot.form)
          stored += 1
        }
      } catch {
        for slot in slots.prefix(stored) { destroy(slot.type, at: memory + Int(slot.offset)) }
        throw (error as? ColumnValueError).map {
          $0.at(
            table: layout.tableName, column: layout.columns[layout.keyColumns[stored]].name,
            row: nil)
        } ?? error
      }
      return id.move()
    }
  }
}
