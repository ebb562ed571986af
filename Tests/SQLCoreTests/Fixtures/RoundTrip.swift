import SQLCore
import Testing

/// Writes values into a STRICT table of a file in WAL mode, and reads them on another connection:
/// from SQLite's own row, and from its copy.
func roundTrip<Value: ColumnValue>(
  _ values: [Value], as form: StoredForm = .standard
) throws -> (lent: [Value], copied: [Value]) {
  let type = try #require(Value.storageClass(as: form)).rawValue
  let db = try Database.temporary()
  try db.write { tx in
    try tx.execute("CREATE TABLE stored (value \(unsafe: type)) STRICT")
    for value in values {
      try tx.execute(
        SQL(
          text: "INSERT INTO stored VALUES (?)", bindings: [BoundValue(value, as: form)]))
    }
  }
  return try db.read { connection in
    var lent: [Value] = []
    try connection.forEach("SELECT value FROM stored ORDER BY rowid") {
      lent.append(try $0.get(at: 0, as: form))
    }
    let rows = try connection.rows("SELECT value FROM stored ORDER BY rowid")
    return (lent, try rows.map { try $0.get(at: 0, as: form) })
  }
}

/// Expects that each value, and its optional, reads back as its canonical value.
///
/// A failure reports indices, not values: the description of an extreme Date traps.
func expectRoundTrip<Value: ColumnValue & Equatable>(
  _ values: [Value], as form: StoredForm = .standard, _ comment: Comment? = nil,
  sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let (lent, copied) = try roundTrip(values, as: form)
  let optionals = try roundTrip(values.map(Value?.some) + [nil], as: form)
  #expect(lent.count == values.count, comment, sourceLocation: sourceLocation)
  #expect(optionals.lent.last == .some(nil), comment, sourceLocation: sourceLocation)
  let wrong = values.indices.filter { index in
    let expected = Value.canonical(values[index])
    return lent[index] != expected || copied[index] != expected
      || optionals.lent[index] != expected || optionals.copied[index] != expected
      || !Value.isStoredAlike(lent[index], values[index])
  }
  #expect(wrong.isEmpty, comment, sourceLocation: sourceLocation)
}

/// The error of reading an SQL expression as `Value`, from SQLite's own row.
func readingError<Value: ColumnValue>(
  _ type: Value.Type, _ expression: SQL, as form: StoredForm = .standard,
  sourceLocation: SourceLocation = #_sourceLocation
) throws -> ColumnValueError? {
  let db = try Database.temporary()
  return #expect(throws: ColumnValueError.self, sourceLocation: sourceLocation) {
    try db.read { connection in
      try connection.forEach("SELECT \(expression) AS value") {
        _ = try $0.get(Value.self, at: 0, as: form)
      }
    }
  }
}

/// The error of binding a value.
func storingError(
  _ value: some ColumnValue, as form: StoredForm = .standard,
  sourceLocation: SourceLocation = #_sourceLocation
) -> ColumnValueError? {
  #expect(throws: ColumnValueError.self, sourceLocation: sourceLocation) {
    try Connection().execute(SQL(text: "SELECT ?", bindings: [BoundValue(value, as: form)]))
  }
}
