import SQLCore

/// What names a row: its rowid, or the values of its primary key.
enum RowKey: Hashable, Sendable {
  case rowID(Int64)
  case values([DatabaseValue])
  /// The values of a primary key of which one is NULL: only the rowid tells such rows apart.
  case incomplete([DatabaseValue], rowID: Int64)

  /// The values of the key columns.
  var values: [DatabaseValue] {
    switch self {
    case .rowID(let id): [.integer(id)]
    case .values(let values): values
    case .incomplete(let values, _): values
    }
  }
}
