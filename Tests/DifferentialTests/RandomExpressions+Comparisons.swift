import QueryDSL
import SQLCore

// SQL's own `=` and `<>`, comparisons with a value on the left, of an optional with an expression
// that is never NULL, and of rows.

extension RandomExpressions {
  mutating func comparedOtherwise() -> Condition {
    switch values.below(5) {
    case 0:
      let literal = values.below(4) - 1
      return compared(integer(depth: 1), integer(depth: 1), literal)
    case 1:
      let literal = values.text()
      return compared(text(depth: 1), text(depth: 1), literal)
    case 2:
      let literal = values.real()
      return compared(real(), real(), literal)
    case 3: return comparedRows()
    default: return listedRows()
    }
  }

  private mutating func compared<Value: OrderedColumnValue>(
    _ left: Term<Value?>, _ right: Term<Value?>, _ literal: Value
  ) -> Condition {
    let (a, b) = (left.expression, right.expression)
    let stored = value(literal)
    // Never NULL.
    let plain = b.ifNull(literal)
    func filled(in row: Environment) -> DatabaseValue {
      let value = right.evaluate(row)
      return value.isNull ? stored : value
    }
    func truth(_ predicate: SQLPredicate, _ holds: @escaping (Environment) -> Truth) -> Condition {
      Condition(predicate: predicate, holds: holds)
    }
    func first(_ predicate: SQLPredicate, _ test: @escaping (Int) -> Bool) -> Condition {
      truth(predicate) { SQLLogic.compare(stored, left.evaluate($0), test) }
    }
    switch values.below(16) {
    case 0:
      return truth(a.equals(b)) {
        SQLLogic.compare(left.evaluate($0), right.evaluate($0)) { $0 == 0 }
      }
    case 1:
      return truth(a.notEquals(b)) {
        SQLLogic.compare(left.evaluate($0), right.evaluate($0)) { $0 != 0 }
      }
    case 2:
      return truth(a.equals(plain)) {
        SQLLogic.compare(left.evaluate($0), filled(in: $0)) { $0 == 0 }
      }
    case 3:
      return truth(plain.notEquals(a)) {
        SQLLogic.compare(filled(in: $0), left.evaluate($0)) { $0 != 0 }
      }
    case 4:
      return truth(a.notEquals(literal)) {
        SQLLogic.compare(left.evaluate($0), stored) { $0 != 0 }
      }
    case 5:
      // Unknown for every row.
      return truth(a.equals(nil as Value?)) { _ in nil }
    case 6: return truth(a == plain) { SQLLogic.isSame(left.evaluate($0), filled(in: $0)) }
    case 7: return truth(plain == a) { SQLLogic.isSame(left.evaluate($0), filled(in: $0)) }
    case 8: return truth(a != plain) { !SQLLogic.isSame(left.evaluate($0), filled(in: $0)) }
    case 9: return truth(plain != a) { !SQLLogic.isSame(left.evaluate($0), filled(in: $0)) }
    case 10: return truth(literal == a) { SQLLogic.isSame(left.evaluate($0), stored) }
    case 11: return truth(literal != a) { !SQLLogic.isSame(left.evaluate($0), stored) }
    case 12: return first(literal < a) { $0 < 0 }
    case 13: return first(literal > a) { $0 > 0 }
    case 14: return first(literal <= a) { $0 <= 0 }
    default: return first(literal >= a) { $0 >= 0 }
    }
  }

  // MARK: Rows

  /// `(a, b) > (?, ?)`, in which the second values count only if the first are equal.
  private mutating func comparedRows() -> Condition {
    let (number, text) = (integer(depth: 1), text(depth: 1))
    let row = RowValue(number.expression, text.expression)
    let pair = (number.expression, text.expression)
    let other = (values.optional { $0.below(4) - 1 }, values.optional { $0.text() })
    let (one, two) = (value(other.0), value(other.1))
    func ordered(_ predicate: SQLPredicate, _ test: @escaping (Int) -> Bool) -> Condition {
      Condition(predicate: predicate) {
        let (a, b) = (number.evaluate($0), text.evaluate($0))
        let isFirst = SQLLogic.compare(a, one) { $0 != 0 && test($0) }
        let isEqual = SQLLogic.compare(a, one) { $0 == 0 }
        return SQLLogic.or(isFirst, SQLLogic.and(isEqual, SQLLogic.compare(b, two, test)))
      }
    }
    func isSame(_ row: Environment) -> Bool {
      SQLLogic.isSame(number.evaluate(row), one) && SQLLogic.isSame(text.evaluate(row), two)
    }
    let isPair = values.flip()
    switch values.below(6) {
    case 0: return Condition(predicate: isPair ? pair == other : row == other) { isSame($0) }
    case 1: return Condition(predicate: isPair ? pair != other : row != other) { !isSame($0) }
    case 2: return ordered(isPair ? pair < other : row < other) { $0 < 0 }
    case 3: return ordered(isPair ? pair > other : row > other) { $0 > 0 }
    case 4: return ordered(isPair ? pair <= other : row <= other) { $0 <= 0 }
    default: return ordered(isPair ? pair >= other : row >= other) { $0 >= 0 }
    }
  }

  /// Rows in a list, with optionals or without.
  private mutating func listedRows() -> Condition {
    let (number, text) = (integer(depth: 1), text(depth: 1))
    let list = (0..<values.below(4)).map { _ in
      (values.optional { $0.below(4) - 1 }, values.optional { $0.text() })
    }
    guard values.flip() else {
      let row = RowValue(number.expression, text.expression)
      return Condition(predicate: row.isIn(list)) { row in
        list.contains {
          SQLLogic.isSame(number.evaluate(row), value($0.0))
            && SQLLogic.isSame(text.evaluate(row), value($0.1))
        }
      }
    }
    let row = RowValue(number.expression.ifNull(1), text.expression.ifNull("a"))
    let plain = list.map { ($0.0 ?? 1, $0.1 ?? "a") }
    return Condition(predicate: row.isIn(plain)) { row in
      let (a, b) = (number.evaluate(row), text.evaluate(row))
      return plain.contains {
        SQLLogic.isSame(a.isNull ? 1 : a, value($0.0))
          && SQLLogic.isSame(b.isNull ? "a" : b, value($0.1))
      }
    }
  }
}
