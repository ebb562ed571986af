import QueryDSL
import SQLCore

extension RandomExpressions {
  mutating func text(depth: Int = 2) -> Term<String?> {
    guard depth > 0, values.flip() else { return simpleText() }
    let left = text(depth: depth - 1)
    let a = left.expression
    func term(
      _ expression: SQLExpression<String?>, _ calculate: @escaping (DatabaseValue) -> DatabaseValue
    ) -> Term<String?> {
      Term(expression: expression) { calculate(left.evaluate($0)) }
    }
    let literal = values.text()
    switch values.below(14) {
    case 13:
      let folding = values.pick(CaseFolding.allCases)
      return term(a.folded(folding)) { SQLLogic.folded($0, folding) }
    case 0, 1:
      let right = text(depth: depth - 1)
      return Term(expression: a.concat(right.expression)) {
        SQLLogic.concat(left.evaluate($0), right.evaluate($0))
      }
    case 2: return term(a.nullIf(literal)) { SQLLogic.isSame($0, .text(literal)) ? .null : $0 }
    case 3: return term(a.lower(), SQLLogic.lower)
    case 4: return term(a.upper(), SQLLogic.upper)
    case 5: return trimmed(left)
    case 6:
      let part = values.pick(["a", "b", "ab", "'", "ä"])
      return term(a.replace(part, with: literal)) {
        SQLLogic.replace($0, part, with: literal)
      }
    case 7:
      let (start, length) = (values.below(7) - 3, values.below(4))
      return term(a.substr(start, length)) { SQLLogic.substr($0, start, length) }
    case 8: return term(a.hex().optional, SQLLogic.hex)
    case 9: return term(a.typeof().optional, SQLLogic.typeName)
    case 10:
      let right = text(depth: depth - 1)
      return Term(expression: a.coalesce(right.expression)) {
        let value = left.evaluate($0)
        return value.isNull ? right.evaluate($0) : value
      }
    case 11:
      let number = simpleInteger()
      return Term(expression: number.expression.cast(to: String.self)) {
        guard case .integer(let integer) = number.evaluate($0) else { return .null }
        return .text(String(integer))
      }
    default:
      let condition = condition(depth: depth - 1)
      let right = text(depth: depth - 1)
      return Term(
        expression: values.flip()
          ? Case(when: condition.predicate, then: a).else(right.expression)
          : iif(condition.predicate, a, right.expression)
      ) { condition.holds($0) == true ? left.evaluate($0) : right.evaluate($0) }
    }
  }

  private mutating func simpleText() -> Term<String?> {
    guard !columns.texts.isEmpty, values.below(3) > 0 else {
      let literal = values.text()
      return Term(expression: SQLExpression<String?>(literal)) { _ in value(literal) }
    }
    return values.pick(columns.texts)
  }

  private mutating func trimmed(_ text: Term<String?>) -> Term<String?> {
    let a = text.expression
    func term(
      _ expression: SQLExpression<String?>, _ characters: String, start: Bool = false,
      end: Bool = false
    ) -> Term<String?> {
      Term(expression: expression) {
        SQLLogic.trim(text.evaluate($0), characters, start: start, end: end)
      }
    }
    switch values.below(6) {
    case 0: return term(a.trim(), " ", start: true, end: true)
    case 1: return term(a.ltrim(), " ", start: true)
    case 2: return term(a.rtrim(), " ", end: true)
    case 3: return term(a.trim("aä"), "aä", start: true, end: true)
    case 4: return term(a.ltrim("a'"), "a'", start: true)
    default: return term(a.rtrim("b🐦"), "b🐦", end: true)
    }
  }

  /// A comparison of texts by their bytes, without case, or without trailing spaces.
  mutating func collated() -> Condition {
    let (left, right) = (text(depth: 1), text(depth: 1))
    let (collation, order): (Collation, (DatabaseValue, DatabaseValue) -> Int) = values.pick([
      (.binary, SQLLogic.order), (.noCase, SQLLogic.orderWithoutCase),
      (.trimmed, SQLLogic.orderWithoutSpaces),
    ])
    let a = left.expression.collated(collation)
    func compared(_ predicate: SQLPredicate, _ holds: @escaping (Int) -> Bool) -> Condition {
      Condition(predicate: predicate) {
        let (left, right) = (left.evaluate($0), right.evaluate($0))
        return left.isNull || right.isNull ? nil : holds(order(left, right))
      }
    }
    switch values.below(4) {
    case 0: return compared(a < right.expression) { $0 < 0 }
    case 1: return compared(a >= right.expression) { $0 >= 0 }
    case 2:
      return Condition(predicate: a == right.expression) {
        order(left.evaluate($0), right.evaluate($0)) == 0
      }
    default:
      return Condition(predicate: a != right.expression) {
        order(left.evaluate($0), right.evaluate($0)) != 0
      }
    }
  }

  /// LIKE, with or without an escape character, and GLOB.
  mutating func matched() -> Condition {
    let text = text(depth: 1)
    let subject = text.expression
    switch values.below(4) {
    case 0:
      let pattern = values.shortText() + values.pick(["%", "_", "%a_%"])
      return Condition(predicate: subject.like(pattern)) {
        SQLLogic.like(text.evaluate($0), pattern)
      }
    case 1:
      let pattern = values.pick(["a!%%", "%!_", "!!%", "%a!%", "a%!b"])
      return Condition(predicate: subject.like(pattern, escape: "!")) {
        SQLLogic.like(text.evaluate($0), pattern, escape: "!")
      }
    case 2:
      let pattern = values.pick(["%", "a%", "%b", "_", "%A%"])
      return Condition(predicate: subject.like(pattern: SQLExpression(pattern))) {
        SQLLogic.like(text.evaluate($0), pattern)
      }
    default:
      let pattern = values.pick(["a*", "[a-c]*", "[^a]*", "?", "*B", "*[ä🐦]", "[A-]*"])
      return Condition(predicate: subject.glob(pattern)) {
        SQLLogic.glob(text.evaluate($0), pattern)
      }
    }
  }
}
