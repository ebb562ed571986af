import QueryDSL
import SQLCore

// `contains`, `hasPrefix` and `hasSuffix`, of a value or of another text.

extension RandomExpressions {
  private enum Search: CaseIterable { case part, prefix, suffix }

  /// A search for a text, with or without the case of ASCII letters.
  mutating func searched() -> Condition {
    let text = text(depth: 1)
    let search = values.pick(Search.allCases)
    let ignoresCase = values.flip()
    let fold = { (value: DatabaseValue) in ignoresCase ? SQLLogic.lower(value) : value }
    guard values.flip() else {
      let part = values.text()
      return Condition(predicate: Self.predicate(search, text.expression, part, ignoresCase)) {
        Self.holds(search, fold(text.evaluate($0)), fold(value(part)))
      }
    }
    let part = self.text(depth: 1)
    return Condition(
      predicate: Self.predicate(search, text.expression, part.expression, ignoresCase)
    ) {
      Self.holds(search, fold(text.evaluate($0)), fold(part.evaluate($0)))
    }
  }

  private static func predicate(
    _ search: Search, _ text: SQLExpression<String?>, _ part: String, _ ignoresCase: Bool
  ) -> SQLPredicate {
    switch (search, ignoresCase) {
    case (.part, false): text.contains(part)
    case (.prefix, false): text.hasPrefix(part)
    case (.suffix, false): text.hasSuffix(part)
    case (.part, true): text.contains(part, ignoringCase: .ascii)
    case (.prefix, true): text.hasPrefix(part, ignoringCase: .ascii)
    case (.suffix, true): text.hasSuffix(part, ignoringCase: .ascii)
    }
  }

  private static func predicate(
    _ search: Search, _ text: SQLExpression<String?>, _ part: SQLExpression<String?>,
    _ ignoresCase: Bool
  ) -> SQLPredicate {
    switch (search, ignoresCase) {
    case (.part, false): text.contains(part)
    case (.prefix, false): text.hasPrefix(part)
    case (.suffix, false): text.hasSuffix(part)
    case (.part, true): text.contains(part, ignoringCase: .ascii)
    case (.prefix, true): text.hasPrefix(part, ignoringCase: .ascii)
    case (.suffix, true): text.hasSuffix(part, ignoringCase: .ascii)
    }
  }

  /// Compares the bytes of both texts, so that a letter and its accent are two characters.
  private static func holds(
    _ search: Search, _ text: DatabaseValue, _ part: DatabaseValue
  ) -> Truth {
    guard case .text(let text) = text, case .text(let part) = part else { return nil }
    let (bytes, other) = (Array(text.utf8), Array(part.utf8))
    guard other.count <= bytes.count else { return false }
    return switch search {
    case .part:
      (0...bytes.count - other.count).contains { bytes[$0...].starts(with: other) }
    case .prefix: bytes.starts(with: other)
    case .suffix: bytes.suffix(other.count).elementsEqual(other)
    }
  }
}
