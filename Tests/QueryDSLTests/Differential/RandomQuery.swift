import QueryDSL
import SQLCore

/// A query, the rows that SQLite gives, and those of the reference.
struct RandomQuery {
  let text: SQL?
  /// By which a connection finds its statement again.
  let shape: [UInt8]?
  let found: Result<[[DatabaseValue]], any Error>
  /// How many rows `count` and `exists` say that there are, where they were asked.
  var counted: Result<Int, any Error>?
  let expected: [[DatabaseValue]]
  /// The rows before those that are alike became one: of 3 and 3.0, either may be left.
  var unmerged: [[DatabaseValue]]?
  /// How the rows are ordered, if they are.
  var order: (([DatabaseValue], [DatabaseValue]) -> Int)?
  /// Whether no two rows are alike in that order, so that it is that of `expected`.
  var isTotal = false
  /// The places of integers, which throw where they left 64 bits.
  var integers: [Int] = []

  /// What is wrong with it; nil where SQLite and the reference agree.
  var disagreement: String? {
    if case .failure(let error)? = counted { return "counted, it throws \(error)" }
    if case .success(let count)? = counted, count != expected.count {
      return "\(count) rows counted instead of \(expected.count)"
    }
    func leaves(_ row: [DatabaseValue]) -> Bool {
      integers.contains { row[$0].storageClass == .real }
    }
    // One that an integer may have stood for does not throw for sure.
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

  /// Each row once; NULL equals NULL.
  static func distinct(_ rows: [[DatabaseValue]]) -> [[DatabaseValue]] {
    var unique: [[DatabaseValue]] = []
    for row in rows where !unique.contains(where: { order($0, row) == 0 }) { unique.append(row) }
    return unique
  }

  /// How two rows follow each other by a value, upwards or downwards, NULL where it is said.
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
