import QueryDSL
import SQLCore

// `contains`, `hasPrefix` and `hasSuffix`, of a value or of another text.

extension RandomExpressions {
  private enum Search: CaseIterable { case part, prefix, suffix }

  /// A search for a text: letter by letter, or without case in ASCII or in Unicode.
  mutating func searched() -> Condition {
    let text = text(depth: 1)
    let search = values.pick(Search.allCases)
    let foldings: [CaseFolding?] = [nil, nil, .ascii, .unicode]
    let folding = values.pick(foldings)
    let fold = { (value: DatabaseValue) in SQLLogic.folded(value, folding) }
    guard values.flip() else {
      let part = values.text()
      return Condition(predicate: Self.predicate(search, text.expression, part, folding)) {
        Self.holds(search, fold(text.evaluate($0)), fold(value(part)))
      }
    }
    let part = self.text(depth: 1)
    return Condition(
      predicate: Self.predicate(search, text.expression, part.expression, folding)
    ) {
      Self.holds(search, fold(text.evaluate($0)), fold(part.evaluate($0)))
    }
  }

  private static func predicate(
    _ search: Search, _ text: SQLExpression<String?>, _ part: String, _ folding: CaseFolding?
  ) -> SQLPredicate {
    switch (search, folding) {
    case (.part, nil): text.contains(part)
    case (.prefix, nil): text.hasPrefix(part)
    case (.suffix, nil): text.hasSuffix(part)
    case (.part, let folding?): text.contains(part, ignoringCase: folding)
    case (.prefix, let folding?): text.hasPrefix(part, ignoringCase: folding)
    case (.suffix, let folding?): text.hasSuffix(part, ignoringCase: folding)
    }
  }

  private static func predicate(
    _ search: Search, _ text: SQLExpression<String?>, _ part: SQLExpression<String?>,
    _ folding: CaseFolding?
  ) -> SQLPredicate {
    switch (search, folding) {
    case (.part, nil): text.contains(part)
    case (.prefix, nil): text.hasPrefix(part)
    case (.suffix, nil): text.hasSuffix(part)
    case (.part, let folding?): text.contains(part, ignoringCase: folding)
    case (.prefix, let folding?): text.hasPrefix(part, ignoringCase: folding)
    case (.suffix, let folding?): text.hasSuffix(part, ignoringCase: folding)
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
