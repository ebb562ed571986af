/// How tightly the operators of SQL bind, the loosest first.
///
/// Parentheses are written where precedence needs them and nowhere else: each pair takes room on the
/// stack of SQLite's parser, which holds 100 entries before SQLite 3.46.
/// - SeeAlso: <https://www.sqlite.org/lang_expr.html#operators_and_parse_affecting_attributes>
@usableFromInline
package enum Precedence: Int, Comparable, Sendable {
  /// Text of which nothing is known: it stands in parentheses everywhere.
  case unknown
  case or, and, not, equality, comparison, escape, bits, sum, product, concatenation, collation
  case sign
  /// A name, a value, a call, or what stands in parentheses of its own.
  case primary

  @usableFromInline
  package static func < (left: Precedence, right: Precedence) -> Bool {
    left.rawValue < right.rawValue
  }

  /// The one above: what the right side of an operator that goes from left to right needs.
  var next: Precedence { Precedence(rawValue: rawValue + 1) ?? .primary }

  /// That of an operator between two expressions.
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
