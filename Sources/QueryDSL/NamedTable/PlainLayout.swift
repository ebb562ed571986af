import SQLCore

/// The stored properties of a plain struct as the columns of a table.
struct PlainLayout<Row: Codable & Sendable> {
  let fields: [PlainField]
  let id: PlainField

  /// Reads the properties. Throws `ModelError` if the type is not a struct, has no `id`, or has a
  /// property that no column can store.
  init() throws {
    guard let stored = FieldReflection.fields(of: Row.self) else {
      throw ModelError(Row.self, "only a struct can be stored in a table")
    }
    fields = try stored.map { field in
      guard let column = PlainField(field) else {
        throw ModelError(
          Row.self,
          "the stored property \(field.name): \(field.type) cannot be stored in a column; its type "
            + "must conform to ColumnValue or Codable")
      }
      return column
    }
    guard let id = fields.first(where: { $0.name == "id" }), !id.isOptional else {
      throw ModelError(Row.self, "it needs a property `id` that is not an optional, as its key")
    }
    self.id = id
  }

  func values(of row: Row) throws -> [DatabaseValue] {
    try withUnsafeBytes(of: row) { bytes in
      guard let memory = bytes.baseAddress else { return [] }
      return try fields.map { field in
        do {
          return try field.store(memory + field.offset)
        } catch let error as ColumnValueError {
          throw error.at(table: nil, column: field.name, row: nil)
        }
      }
    }
  }

  /// Returns the struct that has these values, which are in the order of the fields.
  func row(of values: [DatabaseValue], in table: TableName) throws -> Row {
    try withUnsafeTemporaryAllocation(of: Row.self, capacity: 1) { buffer in
      guard let row = buffer.baseAddress else { throw DatabaseError.misuse("no memory") }
      let memory = UnsafeMutableRawPointer(row)
      var loaded = 0
      do {
        for (field, value) in zip(fields, values) {
          try field.load(value, memory + field.offset)
          loaded += 1
        }
      } catch {
        for field in fields.prefix(loaded) { field.destroy(memory + field.offset) }
        guard let error = error as? ColumnValueError else { throw error }
        let id = fields.firstIndex { $0.name == self.id.name }
        throw error.at(
          table: table.name, column: fields[loaded].name, row: nil, key: id.map { [values[$0]] })
      }
      return row.move()
    }
  }
}
