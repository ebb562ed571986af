import Foundation
import QueryDSL
import SQLCore
import TestRun

@testable import QueryFixtures

/// A type that a column of a random model may have.
protocol SampleType: ColumnValue {
  static func random(_ values: inout SampleValues) -> Self
  /// Adds a column of the type to those that expressions and conditions use.
  static func add(_ column: SQLExpression<Self>, at place: SamplePlace, to: inout SampleColumns)
  /// The forms in which values of the type may be stored.
  static var forms: [StoredForm] { get }
  /// The condition of a partial index on a column.
  static func isIndexed(_ column: SQLExpression<Self>) -> SQLPredicate
}

extension SampleType {
  static var forms: [StoredForm] { [.standard] }
}

/// A type that is not optional, and whose optional may be a column's type, too.
protocol SampleValue: SampleType, Equatable {
  static func addOptional(
    _ column: SQLExpression<Self?>, at place: SamplePlace, to: inout SampleColumns)
}

/// A type that a key may have: each number gives a different value.
protocol SampleKey: SampleValue, OrderedColumnValue, Hashable {
  static func key(_ number: Int) -> Self
}

/// The place of a value in the reference's rows.
struct SamplePlace {
  let table: Int
  let column: Int
  /// Whether a join may find no row of the table.
  let isMissing: Bool

  func value(in row: Environment) -> DatabaseValue { row[table][column] }
}

extension SampleValue {
  static func isIndexed(_ column: SQLExpression<Self>) -> SQLPredicate {
    var values = SampleValues(random: SeededGenerator(seed: 1))
    return column == Self.random(&values)
  }
}

extension SampleValue where Self: OrderedColumnValue {
  static func add(
    _ column: SQLExpression<Self>, at place: SamplePlace, to columns: inout SampleColumns
  ) {
    addOptional(column.optional, at: place, to: &columns)
    guard !place.isMissing else { return }
    columns.conditions.append { .ordered(column, at: place, &$0) }
  }
}

extension Optional: SampleType where Wrapped: SampleValue {
  static func random(_ values: inout SampleValues) -> Wrapped? {
    values.optional { Wrapped.random(&$0) }
  }

  static func add(
    _ column: SQLExpression<Wrapped?>, at place: SamplePlace, to columns: inout SampleColumns
  ) {
    Wrapped.addOptional(column, at: place, to: &columns)
  }

  static var forms: [StoredForm] { Wrapped.forms }

  static func isIndexed(_ column: SQLExpression<Wrapped?>) -> SQLPredicate { column == nil }
}

extension Int: SampleKey {
  static func random(_ values: inout SampleValues) -> Int { values.integer() }

  static func key(_ number: Int) -> Int { number == 1 ? .min : number == 2 ? .max : number }

  static func addOptional(
    _ column: SQLExpression<Int?>, at place: SamplePlace, to columns: inout SampleColumns
  ) {
    columns.integers.append(Term(expression: column, evaluate: place.value))
  }
}

extension Int8: SampleValue {
  static func random(_ values: inout SampleValues) -> Int8 { values.pick([.min, .max, 0, 1, 2]) }

  static func addOptional(
    _ column: SQLExpression<Int8?>, at place: SamplePlace, to columns: inout SampleColumns
  ) {
    columns.conditions.append { .optional(column, at: place, &$0) }
    columns.integers.append(Term(expression: column.cast(to: Int.self), evaluate: place.value))
  }
}

extension Bool: SampleValue {
  static func random(_ values: inout SampleValues) -> Bool { values.flip() }

  static func isIndexed(_ column: SQLExpression<Bool>) -> SQLPredicate { column.isTrue }

  static func add(
    _ column: SQLExpression<Bool>, at place: SamplePlace, to columns: inout SampleColumns
  ) {
    addOptional(column.optional, at: place, to: &columns)
    guard !place.isMissing else { return }
    columns.conditions.append { .ordered(column, at: place, &$0) }
    columns.conditions.append {
      let truth = $0.flip()
      return Condition(predicate: truth ? column.isTrue : column.isFalse) {
        SQLLogic.isSame(place.value(in: $0), value(truth))
      }
    }
  }

  static func addOptional(
    _ column: SQLExpression<Bool?>, at place: SamplePlace, to columns: inout SampleColumns
  ) {
    // Neither of them holds for NULL, nor is unknown.
    columns.conditions.append {
      let truth = $0.flip()
      return Condition(predicate: truth ? column.isTrue : column.isFalse) {
        SQLLogic.isSame(place.value(in: $0), value(truth))
      }
    }
    columns.conditions.append { .optional(column, at: place, &$0) }
    columns.integers.append(Term(expression: column.cast(to: Int.self), evaluate: place.value))
  }
}

extension Double: SampleValue {
  static func random(_ values: inout SampleValues) -> Double { values.real() }

  static func addOptional(
    _ column: SQLExpression<Double?>, at place: SamplePlace, to columns: inout SampleColumns
  ) {
    columns.reals.append(Term(expression: column, evaluate: place.value))
  }
}

extension String: SampleKey {
  static func random(_ values: inout SampleValues) -> String { values.text() }

  static func key(_ number: Int) -> String {
    number == 1 ? "" : Specification.storable("k\0\(number)'\"")
  }

  static func addOptional(
    _ column: SQLExpression<String?>, at place: SamplePlace, to columns: inout SampleColumns
  ) {
    columns.texts.append(Term(expression: column, evaluate: place.value))
  }
}

extension UUID: SampleKey {
  static func random(_ values: inout SampleValues) -> UUID { key(values.below(3)) }

  static func key(_ number: Int) -> UUID {
    let last = UInt8(truncatingIfNeeded: number)
    return UUID(uuid: (0xAB, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0, 0, 0, 0, 0, 0, last))
  }

  static func addOptional(
    _ column: SQLExpression<UUID?>, at place: SamplePlace, to columns: inout SampleColumns
  ) {
    columns.conditions.append { .optional(column, at: place, &$0) }
  }

  static var forms: [StoredForm] { [.standard, .bytes] }
}

extension Unique64: SampleKey {
  static func random(_ values: inout SampleValues) -> Unique64 { key(values.below(3)) }

  static func key(_ number: Int) -> Unique64 {
    Unique64(rawValue: number == 1 ? .max : Int64(number))
  }

  static func addOptional(
    _ column: SQLExpression<Unique64?>, at place: SamplePlace, to columns: inout SampleColumns
  ) {
    columns.conditions.append { .optional(column, at: place, &$0) }
  }
}

extension Data: SampleValue {
  static func random(_ values: inout SampleValues) -> Data {
    values.pick([Data(), Data([0]), Data([0, 1]), Data("a".utf8), Data([255])])
  }

  static func addOptional(
    _ column: SQLExpression<Data?>, at place: SamplePlace, to columns: inout SampleColumns
  ) {
    columns.conditions.append { .optional(column, at: place, &$0) }
  }
}

extension Date: SampleKey {
  /// Dates with microseconds, before and after 1970 and around a whole second.
  static func random(_ values: inout SampleValues) -> Date {
    let seconds = values.pick([-86_400 * 365 * 100, -1, 0, 1, 978_307_200, 86_400 * 365 * 100])
    return Date(timeIntervalSince1970: Double(seconds) + values.pick([0, 0.5, 0.000001]))
  }

  static func key(_ number: Int) -> Date { Date(timeIntervalSince1970: Double(number - 2)) }

  static func addOptional(
    _ column: SQLExpression<Date?>, at place: SamplePlace, to columns: inout SampleColumns
  ) {
    columns.conditions.append { .optional(column, at: place, &$0) }
    guard column.form == .standard || column.form == .unixSeconds else { return }
    columns.integers.append(
      Term(expression: column.unixSeconds()) { SQLLogic.unixSeconds(place.value(in: $0)) })
  }

  static var forms: [StoredForm] { [.standard, .unixSeconds, .iso8601, .julianDay] }
}

extension JSON: SampleType, SampleValue where Value == [String: Int] {
  static func random(_ values: inout SampleValues) -> JSON {
    JSON(values.pick([[:], ["a": 1], ["a": 2, "b": .max], ["b": -1]]))
  }

  static func add(
    _ column: SQLExpression<JSON>, at place: SamplePlace, to columns: inout SampleColumns
  ) {
    addOptional(column.optional, at: place, to: &columns)
    guard !place.isMissing else { return }
    columns.conditions.append { .equal(column, at: place, &$0) }
  }

  static func addOptional(
    _ column: SQLExpression<JSON?>, at place: SamplePlace, to columns: inout SampleColumns
  ) {
    for key in ["a", "b"] {
      columns.integers.append(
        Term(expression: column.value(at: .key(key), as: Int.self)) {
          SQLLogic.member(key, of: place.value(in: $0))
        })
    }
  }
}

/// An enumeration whose order in SQL differs from that in Swift.
enum SampleKind: String, SampleValue {
  case plain, quoted = "it's", empty = ""

  static func random(_ values: inout SampleValues) -> SampleKind {
    values.pick([.plain, .quoted, .empty])
  }

  static func add(
    _ column: SQLExpression<SampleKind>, at place: SamplePlace, to columns: inout SampleColumns
  ) {
    addOptional(column.optional, at: place, to: &columns)
    guard !place.isMissing else { return }
    columns.conditions.append { .equal(column, at: place, &$0) }
  }

  static func addOptional(
    _ column: SQLExpression<SampleKind?>, at place: SamplePlace, to columns: inout SampleColumns
  ) {
    columns.conditions.append { .equal(column, at: place, &$0) }
  }
}
