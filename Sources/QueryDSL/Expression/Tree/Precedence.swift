/// The precedence of SQL's operators, from loose to tight.
///
/// Parentheses are written only where precedence needs them: each pair takes room on the stack of
/// SQLite's parser, which holds 100 entries before SQLite 3.46.
/// - SeeAlso: <https://www.sqlite.org/lang_expr.html#operators_and_parse_affecting_attributes>
@usableFromInline
package enum Precedence: Int, Comparable, Sendable {
  /// Raw SQL, whose precedence is not known: it is always written in parentheses.
  case unknown
  case or, and, not, equality, comparison, escape, bits, sum, product, concatenation, collation
  case sign
  /// A name, a value, a call, or text with parentheses of its own.
  case primary

  @usableFromInline
  package static func < (left: Precedence, right: Precedence) -> Bool {
    left.rawValue < right.rawValue
  }

  /// The next tighter precedence, which the right operand of a left-associative operator needs.
  var next: Precedence { Precedence(rawValue: rawValue + 1) ?? .primary }

  /// The precedence of an operator between two expressions.
  init(of sign: SQLToken) {
    switch sign {
    case .concat, .jsonArrow: self = .concatenation
    case .times, .divide, .remainder: self = .product
    case .plus, .minus: self = .sum
    case .bitAnd, .bitOr, .shiftLeft, .shiftRight: self = .bits
    default: self = .unknown
    }
  }
}
