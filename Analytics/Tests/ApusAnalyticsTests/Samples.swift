import Apus
import ApusHistory
import Foundation

enum Status: String, ColumnValue { case open, paid, quoted = "it's", none = "" }

struct Sale: Model, Equatable {
  @PrimaryKey var id: Int
  @Column var storeID: Int
  @Column var status: Status
  @Column var quantity: Int
  @Column var rating: Int?
  @Column var big: Int
  @Column var amount: Double
  @Column var weight: Double?
  @Column var name: String
  @Column var note: String?
  @Column var isGift: Bool
  @Column var isPaid: Bool?
  @Column var createdAt: Date
  @Column var shippedAt: Date?
  @Column var code: UUID
  @Column var token: Data?
  @Column var tags: JSON<[String]>
  @Column var price: Decimal

  static var schema: Schema<Sale> { Logged() }
}

struct Store: Model, Equatable {
  @PrimaryKey var id: Int
  @Column var name: String
  @Column var region: String?
  @Column var size: Double?

  static var schema: Schema<Store> { Logged() }
}

/// A generator with a seed, after Steele, Lea and Flood: SplitMix64.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return bits ^ (bits >> 31)
  }
}

/// Random values: NULLs, ties, zeros, extremes, and texts that are patterns or not ASCII.
struct RandomValues {
  var random: SeededGenerator

  mutating func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }
  mutating func flip() -> Bool { Bool.random(using: &random) }
  mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }
  mutating func optional<Value>(_ value: Value) -> Value? { below(3) == 0 ? nil : value }

  mutating func small() -> Int { below(7) - 3 }
  mutating func big() -> Int { pick([.max, .min, 1 << 53 + 1, 1 << 53, -(1 << 53) - 1, 0, 1, -2]) }

  /// Halves and quarters, whose sums are exact in any order.
  mutating func real() -> Double { Double(below(33) - 16) / 4 }
  mutating func extreme() -> Double {
    pick([
      .infinity, -.infinity, 1e300, -1e300, 9_007_199_254_740_992, 0, 0.25, -2.5,
      9_223_372_036_854_775_808, .leastNonzeroMagnitude,
    ])
  }

  static let texts = [
    "", "a", "A", "b", "ab", "aB", "Ab", "ä", "Ä", "a%", "_", "'\"", "🐦", "a ", " a", "  ", "12x",
    "-3", "e\u{301}", "ß", "SS", "b\\", "*", "é🐦ab",
  ]
  mutating func text() -> String { pick(Self.texts) }

  mutating func date() -> Date {
    let seconds = pick([
      -86_400 * 365 * 100, -1, 0, 1, 951_782_399, 951_782_400, 1_706_745_599, 1_700_000_000,
      86_400 * 365 * 100,
    ])
    return Date(timeIntervalSince1970: Double(seconds) + pick([0, 0.5, 0.000001]))
  }

  mutating func code() -> UUID {
    UUID(uuid: (0xAB, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0, 0, 0, 0, 0, 0, UInt8(below(3))))
  }

  mutating func token() -> Data {
    pick([Data(), Data([0]), Data([0, 1]), Data("a".utf8), Data([255])])
  }

  mutating func sale(_ id: Int) -> Sale {
    Sale(
      id: id, storeID: below(5), status: pick([.open, .paid, .quoted, .none]), quantity: small(),
      rating: optional(small()), big: big(), amount: real(), weight: optional(extreme()),
      name: text(), note: optional(text()), isGift: flip(), isPaid: optional(flip()),
      createdAt: date(), shippedAt: optional(date()), code: code(), token: optional(token()),
      tags: JSON(pick([[], ["a"], ["a", "ü"]])), price: pick([0, 1.5, -2, 19.99]))
  }

  mutating func store(_ id: Int) -> Store {
    Store(id: id, name: text(), region: optional(text()), size: optional(real()))
  }
}
