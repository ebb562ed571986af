import Apus

/// The whole content of another program's file: its schema, and the values of its table with their
/// storage classes, read through the C interface.
struct ForeignTable: Equatable {
  let schema: [[PlainValue]]
  let rows: [[PlainValue]]
  /// The type that the column declares.
  let declaredType: PlainValue
  /// The values of the column, by the ids of their rows.
  let values: [Int64: ForeignValue]

  init(_ plain: PlainConnection) throws {
    schema = try plain.rows("SELECT type, name, sql FROM sqlite_schema ORDER BY name")
    let columns = try plain.rows(
      "SELECT name, type FROM pragma_table_info('Foreign Row') WHERE name IN ('value', 'renamed')")
    guard let column = columns.first, case .text(let name) = column[0] else {
      throw Violation("the column is missing")
    }
    declaredType = column[1]
    rows = try plain.rows("SELECT * FROM \"Foreign Row\" ORDER BY id")
    var values: [Int64: ForeignValue] = [:]
    for row in try plain.rows("SELECT id, typeof(\(name)), \(name) FROM \"Foreign Row\"") {
      guard case .integer(let id) = row[0] else { throw Violation("a row has no id") }
      values[id] = ForeignValue(storageClass: row[1], value: row[2])
    }
    self.values = values
  }
}

/// A value with its storage class.
struct ForeignValue: Hashable {
  let storageClass: PlainValue
  let value: PlainValue

  var isNull: Bool { value == .null }
}

/// A table before and after it was opened with a model.
struct Comparison {
  let before: ForeignTable
  var after: ForeignTable
  let type: ForeignType
  let isRenamed: Bool
  let deletes: Bool

  func isDeleted(_ id: Int64) -> Bool { after.values[id] == nil }

  /// Returns a description of each value that was lost.
  func findings(in db: Database, _ tally: inout Tally) -> [String] {
    var findings: [String] = []
    for (id, old) in before.values.sorted(by: { $0.key < $1.key }) {
      do {
        try compare(id, old, db, &tally)
      } catch {
        findings.append("row \(id): \(error)")
      }
    }
    return findings
  }

  private func compare(
    _ id: Int64, _ old: ForeignValue, _ db: Database, _ tally: inout Tally
  ) throws {
    guard let new = after.values[id] else {
      try require(deletes, "the row is missing")
      try require(
        !old.isNull || !type.isOptional,
        "the row is missing, although its value was NULL and the type is optional")
      return tally.count("deleted as asked")
    }
    // A value that was not touched has not changed, and is read as the model says.
    let isUntouched = new == old && after.declaredType == before.declaredType
    let meaning: Meaning
    do {
      meaning = try (isRenamed ? type.readRenamed : type.read)(db, Int(id))
    } catch is ColumnValueError {
      try require(isUntouched, "\(old.value) became \(new.value), which cannot be read")
      return tally.count("kept, and reading throws")
    }
    if isUntouched { return tally.count("kept") }
    try require(
      type.keeps(old.value, as: meaning),
      "\(old.value) became \(new.value), which is read as \(meaning), but it means "
        + "\(type.meanings(of: old.value))")
    tally.count("converted")
  }
}
