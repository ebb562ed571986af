import QueryDSL
import SQLCore

/// A query, the rows that SQLite returns, and the rows of the reference.
struct RandomQuery {
  let text: SQL?
  /// The key by which a connection finds the prepared statement.
  let shape: [UInt8]?
  let found: Result<[[DatabaseValue]], any Error>
  /// The number of rows according to `count` and `exists`, if they ran.
  var counted: Result<Int, any Error>?
  let expected: [[DatabaseValue]]
  /// The rows before equal rows were merged: of 3 and 3.0, either may remain.
  var unmerged: [[DatabaseValue]]?
  /// The order of the rows, if the query has one.
  var order: (([DatabaseValue], [DatabaseValue]) -> Int)?
  /// Whether the order is total, so that the rows come as in `expected`.
  var isTotal = false
  /// The places of integer columns. Reading one throws if its value overflowed 64 bits.
  var integers: [Int] = []

  /// The difference between the results of SQLite and the reference; nil if they agree.
  var disagreement: String? {
    if case .failure(let error)? = counted { return "counted, it throws \(error)" }
    if case .success(let count)? = counted, count != expected.count {
      return "\(count) rows counted instead of \(expected.count)"
    }
    func leaves(_ row: [DatabaseValue]) -> Bool {
      integers.contains { row[$0].storageClass == .real }
    }
    // A value that was merged with an integer may throw, but need not.
    let mustThrow = expected.contains { row in
      leaves(row) && !(unmerged ?? []).contains { !leaves($0) && Self.order($0, row) == 0 }
    }
    let rows: [[DatabaseValue]]
    switch found {
    case .failure(is ColumnValueError) where (unmerged ?? expected).contains(where: leaves(_:)):
      return nil
    case .failure(let error): return "throws \(error)"
    case .success(let found):
      if mustThrow { return "an integer that left 64 bits does not throw" }
      rows = found
    }
    let (one, other) = (Self.sorted(rows), Self.sorted(expected))
    let isEqual =
      unmerged == nil
      ? one == other
      : one.count == other.count && zip(one, other).allSatisfy { Self.order($0, $1) == 0 }
    if !isEqual { return "\(rows) instead of \(expected)" }
    if isTotal { return rows == expected ? nil : "\(rows) is not ordered as \(expected)" }
    guard let order else { return nil }
    let isOrdered = zip(rows, rows.dropFirst()).allSatisfy { order($0, $1) <= 0 }
    return isOrdered ? nil : "\(rows) is not ordered"
  }

  private static func sorted(_ rows: [[DatabaseValue]]) -> [[DatabaseValue]] {
    rows.sorted { order($0, $1) < 0 }
  }

  static func order(_ left: [DatabaseValue], _ right: [DatabaseValue]) -> Int {
    zip(left, right).lazy.map { SQLLogic.order($0, $1) }.first { $0 != 0 } ?? 0
  }

  /// Returns each row once. NULL equals NULL.
  static func distinct(_ rows: [[DatabaseValue]]) -> [[DatabaseValue]] {
    var unique: [[DatabaseValue]] = []
    for row in rows where !unique.contains(where: { order($0, row) == 0 }) { unique.append(row) }
    return unique
  }

  /// Returns a comparison of rows by a value, in the direction and with the place of NULL that are
  /// given.
  static func comparing<Row>(
    _ evaluate: @escaping (Row) -> DatabaseValue, _ direction: SortDirection, _ nulls: NullOrder?
  ) -> (Row, Row) -> Int {
    { left, right in
      let (left, right) = (evaluate(left), evaluate(right))
      if let nulls, left.isNull != right.isNull {
        return left.isNull == (nulls == .first) ? -1 : 1
      }
      return SQLLogic.order(left, right) * (direction == .ascending ? 1 : -1)
    }
  }

  static func order<Row>(_ left: Row, _ right: Row, by compare: [(Row, Row) -> Int]) -> Int {
    compare.lazy.map { $0(left, right) }.first { $0 != 0 } ?? 0
  }
}
