import QueryDSL
import SQLCore

// Arithmetic of integers beside reals, and with a value on the left.

extension RandomExpressions {
  /// An integer beside a real gives a real.
  mutating func mixed(_ real: Term<Double?>) -> Term<Double?> {
    let number = simpleInteger()
    let (n, r) = (number.expression, real.expression)
    func first(_ sign: Character, _ expression: SQLExpression<Double?>) -> Term<Double?> {
      Term(expression: expression) {
        SQLLogic.calculate(sign, number.evaluate($0), real.evaluate($0))
      }
    }
    func last(_ sign: Character, _ expression: SQLExpression<Double?>) -> Term<Double?> {
      Term(expression: expression) {
        SQLLogic.calculate(sign, real.evaluate($0), number.evaluate($0))
      }
    }
    switch values.below(8) {
    case 0: return first("+", n + r)
    case 1: return first("-", n - r)
    case 2: return first("*", n * r)
    case 3: return first("/", n / r)
    case 4: return last("+", r + n)
    case 5: return last("-", r - n)
    case 6: return last("*", r * n)
    default: return last("/", r / n)
    }
  }

  /// A value before a real.
  mutating func valueFirst(_ real: Term<Double?>) -> Term<Double?> {
    let literal = values.real()
    let r = real.expression
    func term(_ sign: Character, _ expression: SQLExpression<Double?>) -> Term<Double?> {
      Term(expression: expression) { SQLLogic.calculate(sign, value(literal), real.evaluate($0)) }
    }
    switch values.below(4) {
    case 0: return term("+", literal + r)
    case 1: return term("-", literal - r)
    case 2: return term("*", literal * r)
    default: return term("/", literal / r)
    }
  }

  /// A value before an integer.
  mutating func valueFirst(_ number: Term<Int?>) -> Term<Int?> {
    let literal = values.below(12) - 3
    let n = number.expression
    func term(_ sign: Character, _ expression: SQLExpression<Int?>) -> Term<Int?> {
      Term(expression: expression) {
        SQLLogic.calculate(sign, value(literal), number.evaluate($0))
      }
    }
    switch values.below(4) {
    case 0: return term("+", literal + n)
    case 1: return term("-", literal - n)
    case 2: return term("*", literal * n)
    default: return term("/", literal / n)
    }
  }
}
