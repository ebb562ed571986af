import QueryDSL
import SQLCore

@testable import QueryFixtures

/// A row of the reference: the values of each table. A missing row has NULLs.
typealias Environment = [[DatabaseValue]]

/// An expression in two forms: for the DSL, and computed in Swift.
struct Term<Value: ColumnValue> {
  let expression: SQLExpression<Value>
  let evaluate: (Environment) -> DatabaseValue
}

/// A condition in two forms: for the DSL, and computed in Swift.
struct Condition {
  let predicate: SQLPredicate
  let holds: (Environment) -> Truth
}

/// A term of an order in two forms: for the DSL, and computed in Swift.
struct SortKey {
  let clause: (SortDirection, NullOrder?) -> QueryClause
  let window: (Window, SortDirection, NullOrder?) -> Window
  let narrowing: (Query<(Int?, String?)>, SortDirection) -> Query<(Int?, String?)>
  let evaluate: (Environment) -> DatabaseValue

  init<Value: ColumnValue>(
    _ expression: SQLExpression<Value>, _ evaluate: @escaping (Environment) -> DatabaseValue
  ) {
    clause = { OrderBy(expression, $0, nulls: $1) }
    window = { $0.order(by: expression, $1, nulls: $2) }
    narrowing = { $0.order(by: { expression }, $1) }
    self.evaluate = evaluate
  }

  init<Value: ColumnValue>(_ term: Term<Value>) {
    self.init(term.expression, term.evaluate)
  }
}

/// The columns of one or more tables, grouped by the operations that they allow.
struct SampleColumns {
  var integers: [Term<Int?>] = []
  var texts: [Term<String?>] = []
  var reals: [Term<Double?>] = []
  /// Conditions that compare a column of any type with values.
  var conditions: [(inout SampleValues) -> Condition] = []
  var keys: [SortKey] = []
  /// The places of the key's columns in their table.
  var keyPlaces: [Int] = []
  private var place: SamplePlace

  init(table: Int, isMissing: Bool) {
    place = SamplePlace(table: table, column: 0, isMissing: isMissing)
  }

  /// Adds the next column of the table.
  mutating func add<Value: SampleType>(_ column: SQLExpression<Value>, isKey: Bool = false) {
    let place = place
    Value.add(column, at: place, to: &self)
    if isKey {
      keys.append(SortKey(column, place.value))
      keyPlaces.append(place.column)
    }
    self.place = SamplePlace(
      table: place.table, column: place.column + 1, isMissing: place.isMissing)
  }

  static func + (left: SampleColumns, right: SampleColumns) -> SampleColumns {
    var both = left
    both.integers += right.integers
    both.texts += right.texts
    both.reals += right.reals
    both.conditions += right.conditions
    both.keys += right.keys
    return both
  }
}

extension Condition {
  /// Compares a column that is never NULL with values of its type.
  static func ordered<Value: SampleValue & OrderedColumnValue>(
    _ column: SQLExpression<Value>, at place: SamplePlace, _ values: inout SampleValues
  ) -> Condition {
    let other = Value.random(&values)
    let stored = value(other, as: column.form)
    func compared(_ predicate: SQLPredicate, _ test: @escaping (Int) -> Bool) -> Condition {
      Condition(predicate: predicate) { SQLLogic.compare(place.value(in: $0), stored, test) }
    }
    switch values.below(9) {
    case 0: return compared(column < other) { $0 < 0 }
    case 1: return compared(column > other) { $0 > 0 }
    case 2: return compared(column <= other) { $0 <= 0 }
    case 3: return compared(column >= other) { $0 >= 0 }
    case 4:
      let upper = Value.random(&values)
      let bound = value(upper, as: column.form)
      return Condition(predicate: column.between(other, and: upper)) {
        SQLLogic.between(place.value(in: $0), stored, bound)
      }
    case 5: return compared(column.equals(other)) { $0 == 0 }
    case 6: return compared(other >= column) { $0 <= 0 }
    case 7 where column.form == .standard:
      return compared(column == SQLExpression<Value?>(other)) { $0 == 0 }
    default: return equal(column, at: place, &values)
    }
  }

  /// Compares a column that may be NULL with values of its type and nil.
  static func optional<Value: SampleValue & OrderedColumnValue>(
    _ column: SQLExpression<Value?>, at place: SamplePlace, _ values: inout SampleValues
  ) -> Condition {
    let other = Value.random(&values)
    let stored = value(other, as: column.form)
    func compared(_ predicate: SQLPredicate, _ test: @escaping (Int) -> Bool) -> Condition {
      Condition(predicate: predicate) { SQLLogic.compare(place.value(in: $0), stored, test) }
    }
    switch values.below(9) {
    case 0: return compared(column < other) { $0 < 0 }
    case 1: return compared(column >= other) { $0 >= 0 }
    case 2: return compared(column.ifNull(other) == other) { $0 == 0 }.replacingUnknown(by: true)
    case 3: return compared(column.notEquals(other)) { $0 != 0 }
    case 4: return compared(other > column) { $0 < 0 }
    case 5: return Condition(predicate: column == nil) { place.value(in: $0).isNull }
    case 6: return Condition(predicate: column != nil) { !place.value(in: $0).isNull }
    default: return equal(column, at: place, &values)
    }
  }

  /// Equality as in Swift: nil equals nil.
  static func equal<Value: SampleType>(
    _ column: SQLExpression<Value>, at place: SamplePlace, _ values: inout SampleValues
  ) -> Condition {
    let other = Value.random(&values)
    let stored = value(other, as: column.form)
    switch values.below(3) {
    case 0:
      return Condition(predicate: column == other) {
        SQLLogic.isSame(place.value(in: $0), stored)
      }
    case 1:
      return Condition(predicate: column != other) {
        !SQLLogic.isSame(place.value(in: $0), stored)
      }
    default:
      let list = (0..<values.below(4)).map { _ in Value.random(&values) }
      let form = column.form
      return Condition(predicate: column.isIn(list)) { row in
        list.contains { SQLLogic.isSame(place.value(in: row), value($0, as: form)) }
      }
    }
  }

  private func replacingUnknown(by truth: Bool) -> Condition {
    Condition(predicate: predicate) { holds($0) ?? truth }
  }
}
