import SQLCore

// Aggregates ignore NULL. Over no values all of them are NULL, except counts and `total`.

extension SQLLogic {
  /// The values that are not NULL, either all of them or each value once.
  static func present(_ values: [DatabaseValue], distinct: Bool = false) -> [DatabaseValue] {
    let present = values.filter { !$0.isNull }
    return distinct ? RandomQuery.distinct(present.map { [$0] }).map { $0[0] } : present
  }

  static func least(_ values: [DatabaseValue]) -> DatabaseValue {
    present(values).min { order($0, $1) < 0 } ?? .null
  }

  static func greatest(_ values: [DatabaseValue]) -> DatabaseValue {
    present(values).max { order($0, $1) < 0 } ?? .null
  }

  /// The sum of small values. It is a REAL if one of them is.
  static func sum(_ values: [DatabaseValue], distinct: Bool = false) -> DatabaseValue {
    let values = present(values, distinct: distinct)
    guard let first = values.first else { return .null }
    return values.dropFirst().reduce(first) { calculate("+", $0, $1) }
  }

  static func total(_ values: [DatabaseValue]) -> DatabaseValue {
    .real(present(values).compactMap(real).reduce(0, +))
  }

  static func average(_ values: [DatabaseValue]) -> DatabaseValue {
    let numbers = present(values).compactMap(real)
    return numbers.isEmpty ? .null : .real(numbers.reduce(0, +) / Double(numbers.count))
  }
}
