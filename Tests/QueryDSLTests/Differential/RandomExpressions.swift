import QueryDSL
import SQLCore

/// A row of the reference: the values of each table; a table whose row is missing has NULLs.
typealias Environment = [[DatabaseValue]]

/// An expression twice: as the DSL says it, and as Swift calculates it.
struct Term<Value: ColumnValue> {
  let expression: SQLExpression<Value>
  let evaluate: (Environment) -> DatabaseValue
}

/// A condition twice.
struct Condition {
  let predicate: SQLPredicate
  let holds: (Environment) -> Truth
}

/// Random expressions and conditions over columns.
struct RandomExpressions {
  let columns: SampleColumns
  var values: SampleValues

  // MARK: Expressions

  mutating func integer(depth: Int = 2) -> Term<Int?> {
    switch values.below(depth > 0 ? 10 : 3) {
    case 0:
      let literal = values.below(7) - 3
      return Term(expression: SQLExpression<Int?>(literal)) { _ in value(literal) }
    case 1, 2: return nullableIntegerColumn()
    case 3:
      let (left, right) = (integer(depth: depth - 1), integer(depth: depth - 1))
      return Term(expression: left.expression + right.expression) {
        SQLLogic.calculate("+", left.evaluate($0), right.evaluate($0))
      }
    case 4:
      let (left, literal) = (integer(depth: depth - 1), values.below(4))
      return Term(expression: left.expression * literal) {
        SQLLogic.calculate("*", left.evaluate($0), value(literal))
      }
    case 5:
      let (left, right) = (integer(depth: depth - 1), integer(depth: depth - 1))
      return Term(expression: left.expression / right.expression) {
        SQLLogic.calculate("/", left.evaluate($0), right.evaluate($0))
      }
    case 6:
      let (left, right) = (integer(depth: depth - 1), integer(depth: depth - 1))
      return Term(expression: left.expression.coalesce(right.expression)) {
        let value = left.evaluate($0)
        return value.isNull ? right.evaluate($0) : value
      }
    case 7:
      let text = text(depth: depth - 1)
      return Term(expression: text.expression.length()) { SQLLogic.length(text.evaluate($0)) }
    case 8:
      let condition = condition(depth: depth - 1)
      let (yes, no) = (integer(depth: depth - 1), integer(depth: depth - 1))
      return Term(
        expression: Case(when: condition.predicate, then: yes.expression).else(no.expression)
      ) { condition.holds($0) == true ? yes.evaluate($0) : no.evaluate($0) }
    default:
      let (left, right) = (integer(depth: depth - 1), integer(depth: depth - 1))
      return Term(expression: left.expression.max(with: right.expression)) {
        let (left, right) = (left.evaluate($0), right.evaluate($0))
        if left.isNull || right.isNull { return .null }
        // Of equals the first: an integer and the same number as a REAL.
        return SQLLogic.order(left, right) >= 0 ? left : right
      }
    }
  }

  private mutating func nullableIntegerColumn() -> Term<Int?> {
    let all = columns.nullableIntegers + columns.integers.map { ($0.0.optional, $0.1, $0.2) }
    let (expression, table, column) = all[values.below(all.count)]
    return Term(expression: expression) { $0[table][column] }
  }

  mutating func text(depth: Int = 2) -> Term<String?> {
    switch values.below(depth > 0 ? 6 : 3) {
    case 0:
      let literal = values.text()
      return Term(expression: SQLExpression<String?>(literal)) { _ in value(literal) }
    case 1, 2:
      let all = columns.nullableTexts + columns.texts.map { ($0.0.optional, $0.1, $0.2) }
      let (expression, table, column) = all[values.below(all.count)]
      return Term(expression: expression) { $0[table][column] }
    case 3:
      let (left, right) = (text(depth: depth - 1), text(depth: depth - 1))
      return Term(expression: left.expression.concat(right.expression)) {
        SQLLogic.concat(left.evaluate($0), right.evaluate($0))
      }
    case 4:
      let (left, literal) = (text(depth: depth - 1), values.text())
      return Term(expression: left.expression.nullIf(literal)) {
        let value = left.evaluate($0)
        return SQLLogic.isSame(value, .text(literal)) ? .null : value
      }
    default:
      let operand = text(depth: depth - 1)
      return Term(expression: operand.expression.lower()) { SQLLogic.lower(operand.evaluate($0)) }
    }
  }

  mutating func real() -> Term<Double?> {
    let all = columns.nullableReals + columns.reals.map { ($0.0.optional, $0.1, $0.2) }
    guard !all.isEmpty, values.below(4) > 0 else {
      let literal = values.real()
      return Term(expression: SQLExpression<Double?>(literal)) { _ in value(literal) }
    }
    let (expression, table, column) = all[values.below(all.count)]
    let literal = values.real()
    switch values.below(3) {
    case 0:
      return Term(expression: expression * literal) {
        SQLLogic.calculate("*", $0[table][column], value(literal))
      }
    case 1:
      return Term(expression: expression - literal) {
        SQLLogic.calculate("-", $0[table][column], value(literal))
      }
    default: return Term(expression: expression) { $0[table][column] }
    }
  }

  // MARK: Conditions

  mutating func condition(depth: Int = 3) -> Condition {
    guard depth > 0 else { return leaf() }
    switch values.below(6) {
    case 0:
      let (left, right) = (condition(depth: depth - 1), condition(depth: depth - 1))
      return Condition(predicate: left.predicate && right.predicate) {
        SQLLogic.and(left.holds($0), right.holds($0))
      }
    case 1:
      let (left, right) = (condition(depth: depth - 1), condition(depth: depth - 1))
      return Condition(predicate: left.predicate || right.predicate) {
        SQLLogic.or(left.holds($0), right.holds($0))
      }
    case 2:
      let operand = condition(depth: depth - 1)
      return Condition(predicate: !operand.predicate) { operand.holds($0).map { !$0 } }
    case 3:
      let lines = (0..<values.below(3)).map { _ in condition(depth: depth - 1) }
      return Condition(predicate: AnyOf { for line in lines { line.predicate } }) { row in
        lines.reduce(false) { SQLLogic.or($0, $1.holds(row)) }
      }
    default: return leaf()
    }
  }

  private mutating func leaf() -> Condition {
    switch values.below(9) {
    case 0 where !columns.integers.isEmpty:
      let literal = values.integer()
      return compared(columns.integers, literal)
    case 1 where !columns.texts.isEmpty:
      let literal = values.text()
      return compared(columns.texts, literal)
    case 2 where !columns.reals.isEmpty:
      let literal = values.real()
      return compared(columns.reals, literal)
    case 3: return compared(integer(depth: 1), integer(depth: 1))
    case 4: return compared(text(depth: 1), text(depth: 1))
    case 5: return compared(real(), real())
    case 6:
      let (operand, pattern) = (text(depth: 1), values.text() + (values.flip() ? "%" : "_"))
      return Condition(predicate: operand.expression.like(pattern)) {
        SQLLogic.like(operand.evaluate($0), pattern)
      }
    case 7:
      let operand = integer(depth: 1)
      let list = (0..<values.below(4)).map { _ in values.optional { $0.below(4) - 1 } }
      return Condition(predicate: operand.expression.isIn(list)) { row in
        list.contains { SQLLogic.isSame(operand.evaluate(row), value($0)) }
      }
    default:
      let (operand, low) = (integer(depth: 1), values.below(5) - 2)
      let range = low...(low + values.below(3))
      return Condition(predicate: operand.expression.isIn(range)) {
        let operand = operand.evaluate($0)
        return !operand.isNull && SQLLogic.order(operand, value(range.lowerBound)) >= 0
          && SQLLogic.order(operand, value(range.upperBound)) <= 0
      }
    }
  }

  /// A column that is never NULL beside a value.
  private mutating func compared<Value: OrderedColumnValue>(
    _ columns: [SampleColumn<Value>], _ literal: Value
  ) -> Condition {
    let (expression, table, column) = columns[values.below(columns.count)]
    let stored = value(literal)
    func holds(_ test: @escaping (Int) -> Bool) -> (Environment) -> Truth {
      { SQLLogic.compare($0[table][column], stored, test) }
    }
    switch values.below(6) {
    case 0: return Condition(predicate: expression == literal, holds: holds { $0 == 0 })
    case 1: return Condition(predicate: expression != literal, holds: holds { $0 != 0 })
    case 2: return Condition(predicate: expression < literal, holds: holds { $0 < 0 })
    case 3: return Condition(predicate: expression > literal, holds: holds { $0 > 0 })
    case 4: return Condition(predicate: expression <= literal, holds: holds { $0 <= 0 })
    default: return Condition(predicate: expression >= literal, holds: holds { $0 >= 0 })
    }
  }

  /// Two optionals, of which nil equals nil.
  private mutating func compared<Value: OrderedColumnValue>(
    _ left: Term<Value?>, _ right: Term<Value?>
  ) -> Condition {
    func holds(_ test: @escaping (Int) -> Bool) -> (Environment) -> Truth {
      { SQLLogic.compare(left.evaluate($0), right.evaluate($0), test) }
    }
    let (a, b) = (left.expression, right.expression)
    switch values.below(7) {
    case 0:
      return Condition(predicate: a == b) {
        SQLLogic.isSame(left.evaluate($0), right.evaluate($0))
      }
    case 1:
      return Condition(predicate: a != b) {
        !SQLLogic.isSame(left.evaluate($0), right.evaluate($0))
      }
    case 2: return Condition(predicate: a == nil) { left.evaluate($0).isNull }
    case 3: return Condition(predicate: a < b, holds: holds { $0 < 0 })
    case 4: return Condition(predicate: a > b, holds: holds { $0 > 0 })
    case 5: return Condition(predicate: a <= b, holds: holds { $0 <= 0 })
    default: return Condition(predicate: a >= b, holds: holds { $0 >= 0 })
    }
  }
}
