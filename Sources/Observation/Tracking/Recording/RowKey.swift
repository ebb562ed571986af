import SQLCore

/// The identity of a row: its rowid, or the values of its primary key.
enum RowKey: Hashable, Sendable {
  case rowID(Int64)
  case values([DatabaseValue])
  /// The values of a primary key that contains NULL, and the rowid: SQLite allows several rows with
  /// such values, and only their rowids differ.
  case incomplete([DatabaseValue], rowID: Int64)

  /// The values of the key columns, or the rowid if it is the key.
  var values: [DatabaseValue] {
    switch self {
    case .rowID(let id): [.integer(id)]
    case .values(let values): values
    case .incomplete(let values, _): values
    }
  }
}

extension RecordedValues {
  /// Returns the key that a `NettedRow.key` stands for.
  func key(_ key: Int64, keyCount: Int?) -> RowKey {
    guard let keyCount else { return .rowID(key) }
    let values = values(of: Int(key), count: keyCount + 1)
    let own = Array(values.dropLast())
    if case .integer(let rowID)? = values.last { return .incomplete(own, rowID: rowID) }
    return .values(own)
  }
}
