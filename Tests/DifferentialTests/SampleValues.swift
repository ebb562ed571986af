import QueryDSL
import SQLCore
import TestRun

@testable import QueryFixtures

/// Random values: NULLs, texts with U+0000, many ties, extremes.
struct SampleValues {
  var random: SeededGenerator

  mutating func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }
  mutating func flip() -> Bool { Bool.random(using: &random) }
  mutating func oneIn(_ count: Int) -> Bool { below(count) == 0 }

  /// Picks one of the elements. There must be at least one.
  mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }

  mutating func integer() -> Int {
    switch below(14) {
    case 0: .max
    case 1: .min
    case 2: 1 << 53 + 1
    default: below(5) - 1
    }
  }

  mutating func real() -> Double {
    switch below(16) {
    case 0: 1e300
    case 1: -1e300
    case 2: 9_007_199_254_740_992
    case 3: -0.0
    case 4: .infinity
    case 5: -.infinity
    case 6: .leastNonzeroMagnitude
    default: Double(below(9) - 4) / 2
    }
  }

  static let huge = String(
    repeating: Specification.storable("ab\0é"), count: 4_000)

  private static let texts = [
    "", "a", "A", "b", "ab", "a\0b", "A\0c", "\0", "ä", "a%", "_", "'\"", "🐦", "aB", "a ", " a",
    "12x", "-3", "e\u{301}", "Ä", "ß", "SS", "aΣ", "ς",
  ].map(Specification.storable)

  mutating func text() -> String {
    below(400) == 0 ? Self.huge : shortText()
  }

  /// A text short enough to be a pattern: SQLite refuses huge ones.
  mutating func shortText() -> String { pick(Self.texts) }

  mutating func optional<Value>(_ value: (inout SampleValues) -> Value) -> Value? {
    oneIn(3) ? nil : value(&self)
  }

  mutating func sortOrder() -> (SortDirection, NullOrder?) {
    (flip() ? .ascending : .descending, pick([nil, .first, .last]))
  }
}

/// Returns a value as its column stores it.
func value<Value: ColumnValue>(_ value: Value, as form: StoredForm = .standard) -> DatabaseValue {
  (try? value.databaseValue(as: form)) ?? .null
}
