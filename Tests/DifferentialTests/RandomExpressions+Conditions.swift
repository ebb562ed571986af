import QueryDSL
import SQLCore

extension RandomExpressions {
  mutating func condition(depth: Int = 3) -> Condition {
    guard depth > 0 else { return leaf() }
    switch values.below(10) {
    case 0, 1:
      let (left, right) = (condition(depth: depth - 1), condition(depth: depth - 1))
      return Condition(predicate: left.predicate && right.predicate) {
        SQLLogic.and(left.holds($0), right.holds($0))
      }
    case 2, 3:
      let (left, right) = (condition(depth: depth - 1), condition(depth: depth - 1))
      return Condition(predicate: left.predicate || right.predicate) {
        SQLLogic.or(left.holds($0), right.holds($0))
      }
    case 4 where values.flip(): return ofBools(depth: depth - 1)
    case 4:
      let operand = condition(depth: depth - 1)
      return Condition(predicate: !operand.predicate) { operand.holds($0).map { !$0 } }
    case 5: return block(depth: depth - 1)
    case 6: return nesting < 2 && values.flip() ? membership() : leaf()
    default: return leaf()
    }
  }

  /// Operators on Bools that are values, and constants.
  private mutating func ofBools(depth: Int) -> Condition {
    let (left, right) = (condition(depth: depth), condition(depth: depth))
    let flag = iif(left.predicate, true, false)
    switch values.below(5) {
    case 0: return Condition(predicate: !flag) { left.holds($0) != true }
    case 1:
      return Condition(predicate: flag && right.predicate) {
        SQLLogic.and(left.holds($0) == true, right.holds($0))
      }
    case 2:
      return Condition(predicate: right.predicate || flag) {
        SQLLogic.or(right.holds($0), left.holds($0) == true)
      }
    case 3:
      return Condition(predicate: flag && !iif(right.predicate, true, false)) {
        left.holds($0) == true && right.holds($0) != true
      }
    default:
      let holds = values.flip()
      return Condition(predicate: left.predicate && SQLPredicate(holds)) {
        SQLLogic.and(left.holds($0), holds)
      }
    }
  }

  private mutating func block(depth: Int) -> Condition {
    let lines = (0..<values.below(3)).map { _ in condition(depth: depth) }
    switch values.below(3) {
    case 0:
      return Condition(predicate: AnyOf { for line in lines { line.predicate } }) { row in
        lines.reduce(false) { SQLLogic.or($0, $1.holds(row)) }
      }
    case 1:
      return Condition(predicate: AllOf { for line in lines { line.predicate } }) { row in
        lines.reduce(true) { SQLLogic.and($0, $1.holds(row)) }
      }
    default:
      return Condition(predicate: NoneOf { for line in lines { line.predicate } }) { row in
        lines.reduce(false) { SQLLogic.or($0, $1.holds(row)) }.map { !$0 }
      }
    }
  }

  private mutating func leaf() -> Condition {
    switch values.below(15) {
    case 0, 1, 2, 3:
      guard !columns.conditions.isEmpty else { return compared(simpleInteger(), simpleInteger()) }
      return values.pick(columns.conditions)(&values)
    case 4: return compared(integer(depth: 1), integer(depth: 1))
    case 5: return compared(text(depth: 1), text(depth: 1))
    case 6: return compared(real(), real())
    case 7: return matched()
    case 8: return collated()
    case 9: return listed()
    case 10, 11: return searched()
    case 12, 13: return comparedOtherwise()
    default: return asValue()
    }
  }

  /// Compares two optionals, where nil equals nil.
  private mutating func compared<Value: OrderedColumnValue>(
    _ left: Term<Value?>, _ right: Term<Value?>
  ) -> Condition {
    let (a, b) = (left.expression, right.expression)
    func compared(_ predicate: SQLPredicate, _ test: @escaping (Int) -> Bool) -> Condition {
      Condition(predicate: predicate) {
        SQLLogic.compare(left.evaluate($0), right.evaluate($0), test)
      }
    }
    switch values.below(9) {
    case 0:
      return Condition(predicate: a == b) {
        SQLLogic.isSame(left.evaluate($0), right.evaluate($0))
      }
    case 1:
      return Condition(predicate: a != b) {
        !SQLLogic.isSame(left.evaluate($0), right.evaluate($0))
      }
    case 2: return Condition(predicate: a == nil) { left.evaluate($0).isNull }
    case 3: return Condition(predicate: a != nil) { !left.evaluate($0).isNull }
    case 4: return compared(a < b) { $0 < 0 }
    case 5: return compared(a > b) { $0 > 0 }
    case 6: return compared(a <= b) { $0 <= 0 }
    case 7: return compared(a >= b) { $0 >= 0 }
    default:
      return Condition(predicate: a.between(b, and: a)) {
        let value = left.evaluate($0)
        return SQLLogic.between(value, right.evaluate($0), value)
      }
    }
  }

  /// IN with a list or a range.
  private mutating func listed() -> Condition {
    let operand = integer(depth: 1)
    switch values.below(3) {
    case 0:
      let list = (0..<values.below(4)).map { _ in values.optional { $0.below(4) - 1 } }
      return Condition(predicate: operand.expression.isIn(list)) { row in
        let found = operand.evaluate(row)
        return list.contains { SQLLogic.isSame(found, value($0)) }
      }
    case 1:
      let low = values.below(5) - 2
      let range = low...(low + values.below(3))
      return Condition(predicate: operand.expression.isIn(range)) {
        SQLLogic.between(operand.evaluate($0), value(low), value(range.upperBound)) ?? false
      }
    default:
      let low = values.below(5) - 2
      let range = low..<(low + values.below(3))
      return Condition(predicate: operand.expression.isIn(range)) {
        let found = operand.evaluate($0)
        return !found.isNull && SQLLogic.order(found, value(low)) >= 0
          && SQLLogic.order(found, value(range.upperBound)) < 0
      }
    }
  }

  /// A condition as a value, or surrounded by raw SQL.
  private mutating func asValue() -> Condition {
    let condition = leaf()
    switch values.below(3) {
    case 0:
      return Condition(predicate: SQLExpression<Bool?>(condition.predicate) == true) {
        condition.holds($0) == true
      }
    case 1:
      return Condition(predicate: SQLExpression<Bool?>(condition.predicate) != nil) {
        condition.holds($0) != nil
      }
    default:
      let number = values.below(2)
      return Condition(predicate: SQLPredicate(sql: "\(condition.predicate) OR 1 = \(number)")) {
        SQLLogic.or(condition.holds($0), number == 1)
      }
    }
  }
}
