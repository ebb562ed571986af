import QueryDSL
import SQLCore

/// Random expressions over the columns of some tables.
struct RandomExpressions {
  let database: SampleDatabase
  /// The columns in scope, including those of the surrounding queries, and the number of their
  /// tables.
  let columns: SampleColumns
  let tables: Int
  var values: SampleValues
  /// The number of queries around this one in the same statement.
  var nesting = 0

  // MARK: Integers

  mutating func integer(depth: Int = 2) -> Term<Int?> {
    guard depth > 0, values.below(4) > 0 else { return simpleInteger() }
    switch values.below(5) {
    case 0, 1: return arithmetic(depth: depth - 1)
    case 2: return integerOfText(depth: depth - 1)
    case 3: return choice(depth: depth - 1)
    default: return integerFunction(depth: depth - 1)
    }
  }

  /// A column or a value. It is always an integer, whereas other expressions may overflow 64 bits.
  mutating func simpleInteger() -> Term<Int?> {
    guard !columns.integers.isEmpty, values.below(3) > 0 else {
      let literal = values.below(7) - 3
      return Term(expression: SQLExpression<Int?>(literal)) { _ in value(literal) }
    }
    return values.pick(columns.integers)
  }

  private mutating func arithmetic(depth: Int) -> Term<Int?> {
    let (left, right) = (integer(depth: depth), integer(depth: depth))
    let (a, b) = (left.expression, right.expression)
    let literal = values.below(4) - 1
    func term(
      _ expression: SQLExpression<Int?>,
      _ calculate: @escaping (DatabaseValue, DatabaseValue) -> DatabaseValue
    ) -> Term<Int?> {
      Term(expression: expression) { calculate(left.evaluate($0), right.evaluate($0)) }
    }
    switch values.below(13) {
    case 0: return term(a + b) { SQLLogic.calculate("+", $0, $1) }
    case 1: return term(a - b) { SQLLogic.calculate("-", $0, $1) }
    case 2: return term(a * b) { SQLLogic.calculate("*", $0, $1) }
    case 3: return term(a / b) { SQLLogic.calculate("/", $0, $1) }
    case 4: return term(a * literal) { left, _ in SQLLogic.calculate("*", left, value(literal)) }
    case 5: return term(-a) { left, _ in SQLLogic.calculate("-", 0, left) }
    case 6: return term(a.remainder(b), SQLLogic.remainder)
    case 7: return term(a.bitAnd(b)) { SQLLogic.bits($0, $1) { $0 & $1 } }
    case 8: return term(a.bitOr(b)) { SQLLogic.bits($0, $1) { $0 | $1 } }
    case 9:
      return term(a.shiftedLeft(by: literal)) { left, _ in
        SQLLogic.bits(left, value(literal)) { $0 << $1 }
      }
    case 10:
      return term(a.shiftedRight(by: literal)) { left, _ in
        SQLLogic.bits(left, value(literal)) { $0 >> $1 }
      }
    case 11: return valueFirst(left)
    default:
      return term(SQLExpression<Int?>(sql: "\(a) - \(b) + \(literal)")) {
        SQLLogic.calculate("+", SQLLogic.calculate("-", $0, $1), value(literal))
      }
    }
  }

  private mutating func integerOfText(depth: Int) -> Term<Int?> {
    let (text, literal) = (text(depth: depth), values.text())
    switch values.below(6) {
    case 0:
      return Term(expression: text.expression.length()) { SQLLogic.length(text.evaluate($0)) }
    case 1:
      return Term(expression: text.expression.instr(literal)) {
        SQLLogic.instr(text.evaluate($0), .text(literal))
      }
    case 5:
      let literal: String? = literal
      return Term(expression: literal.instr(text.expression)) {
        SQLLogic.instr(value(literal), text.evaluate($0))
      }
    case 2:
      return Term(expression: text.expression.unicode()) { SQLLogic.unicode(text.evaluate($0)) }
    case 3:
      return Term(expression: text.expression.cast(to: Int.self)) {
        SQLLogic.cast(toInteger: text.evaluate($0))
      }
    default:
      let real = real()
      return Term(expression: real.expression.cast(to: Int.self)) {
        SQLLogic.cast(toInteger: real.evaluate($0))
      }
    }
  }

  /// CASE, iif, and scalar subqueries.
  private mutating func choice(depth: Int) -> Term<Int?> {
    let (yes, no) = (integer(depth: depth), integer(depth: depth))
    switch values.below(6) {
    case 0:
      let condition = condition(depth: depth)
      return Term(expression: iif(condition.predicate, yes.expression, no.expression)) {
        condition.holds($0) == true ? yes.evaluate($0) : no.evaluate($0)
      }
    case 5:
      let (condition, isFirst) = (condition(depth: depth), values.flip())
      let literal = values.optional { $0.below(9) }
      return Term(
        expression: isFirst
          ? iif(condition.predicate, literal, no.expression)
          : iif(condition.predicate, yes.expression, literal)
      ) {
        guard condition.holds($0) == true else {
          return isFirst ? no.evaluate($0) : value(literal)
        }
        return isFirst ? value(literal) : yes.evaluate($0)
      }
    case 1:
      let (first, second) = (condition(depth: depth), condition(depth: depth))
      let cases = Case(when: first.predicate, then: yes.expression)
        .when(second.predicate, then: no.expression)
      let hasElse = values.flip()
      return Term(expression: hasElse ? cases.else(7) : cases.else(nil)) {
        first.holds($0) == true
          ? yes.evaluate($0)
          : second.holds($0) == true ? no.evaluate($0) : hasElse ? .integer(7) : .null
      }
    case 2:
      let (base, one) = (integer(depth: depth), values.below(3))
      let other = values.optional { $0.below(3) }
      return Term(
        expression: base.expression.case(one, then: yes.expression)
          .when(other, then: no.expression).else(base.expression)
      ) {
        let found = base.evaluate($0)
        if SQLLogic.compare(found, value(one), { $0 == 0 }) == true { return yes.evaluate($0) }
        return SQLLogic.compare(found, value(other), { $0 == 0 }) == true
          ? no.evaluate($0) : found
      }
    default:
      guard nesting < 2 else { return yes }
      let model = values.pick(database.models)
      return subquery(of: model)
    }
  }

  private mutating func integerFunction(depth: Int) -> Term<Int?> {
    let (left, right) = (integer(depth: depth), integer(depth: depth))
    let (a, b) = (left.expression, right.expression)
    func term(
      _ expression: SQLExpression<Int?>,
      _ calculate: @escaping (DatabaseValue, DatabaseValue) -> DatabaseValue
    ) -> Term<Int?> {
      Term(expression: expression) { calculate(left.evaluate($0), right.evaluate($0)) }
    }
    switch values.below(9) {
    case 0: return term(a.coalesce(b)) { $0.isNull ? $1 : $0 }
    case 1: return term(a.coalesce(b, SQLExpression(5))) { $0.isNull ? $1.isNull ? 5 : $1 : $0 }
    case 2: return term(a.ifNull(3).optional) { left, _ in left.isNull ? 3 : left }
    case 3: return term(a.nullIf(b)) { SQLLogic.isSame($0, $1) ? .null : $0 }
    case 4:
      // Of equal values the first is taken: an integer may equal a REAL.
      return term(a.max(with: b)) {
        $0.isNull || $1.isNull ? .null : SQLLogic.order($0, $1) >= 0 ? $0 : $1
      }
    case 5:
      return term(a.min(with: b)) {
        $0.isNull || $1.isNull ? .null : SQLLogic.order($0, $1) >= 0 ? $1 : $0
      }
    case 6:
      return term(a.remainder(1_000).abs()) { left, _ in
        SQLLogic.absolute(SQLLogic.remainder(left, 1_000))
      }
    case 7: return term(a.sign()) { left, _ in SQLLogic.sign(left) }
    default:
      let ifNull = SQLFunction<Int?, Int?, Int?>("ifnull")
      return term(ifNull(a, b)) { $0.isNull ? $1 : $0 }
    }
  }

  // MARK: Reals

  mutating func real() -> Term<Double?> {
    let literal = values.real()
    guard !columns.reals.isEmpty, values.below(4) > 0 else {
      return Term(expression: SQLExpression<Double?>(literal)) { _ in value(literal) }
    }
    let term = values.pick(columns.reals)
    func calculated(_ sign: Character, _ expression: SQLExpression<Double?>) -> Term<Double?> {
      Term(expression: expression) { SQLLogic.calculate(sign, term.evaluate($0), value(literal)) }
    }
    switch values.below(9) {
    case 0: return calculated("*", term.expression * literal)
    case 1: return calculated("-", term.expression - literal)
    case 2: return calculated("+", term.expression + literal)
    case 3: return calculated("/", term.expression / literal)
    case 4:
      return Term(expression: term.expression.abs()) { SQLLogic.absolute(term.evaluate($0)) }
    case 5: return mixed(term)
    case 6: return valueFirst(term)
    default: return term
    }
  }
}
