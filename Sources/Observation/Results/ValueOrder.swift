import QueryDSL
import SQLCore

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A collation that is built into SQLite. Collations that a program registers are not part of this
/// enum.
///
/// - SeeAlso: <https://www.sqlite.org/datatype3.html#collating_sequences>
enum BuiltInCollation: Hashable, Sendable {
  /// Compares by bytes.
  case binary
  /// Compares by bytes, after ASCII capital letters are replaced by small letters.
  case noCase
  /// Compares by bytes, and ignores spaces at the end.
  case rightTrimmed

  init?(named name: String) {
    switch name.lowercasedASCII {
    case "binary": self = .binary
    case "nocase": self = .noCase
    case "rtrim": self = .rightTrimmed
    default: return nil
    }
  }

  /// Compares two texts. Returns a negative number if the first text comes before the second, 0 if
  /// both are equal, and a positive number if the first text comes after the second.
  func compare(_ first: String, _ second: String) -> Int {
    var first = first
    var second = second
    return first.withUTF8 { first in
      second.withUTF8 { second in
        switch self {
        case .binary: Self.compareBytes(first[...], second[...])
        case .noCase: Self.compareFolded(first, second)
        case .rightTrimmed: Self.compareBytes(Self.trimmed(first), Self.trimmed(second))
        }
      }
    }
  }

  /// Returns a form of the text that is the same for all texts that the collation considers equal.
  /// Comparing two folded texts by bytes gives the same order as comparing the originals with the
  /// collation.
  func folded(_ text: String) -> String {
    var text = text
    return text.withUTF8 { bytes in
      switch self {
      case .binary: String(decoding: bytes, as: UTF8.self)
      case .rightTrimmed: String(decoding: Self.trimmed(bytes), as: UTF8.self)
      case .noCase: String(decoding: Self.folded(bytes), as: UTF8.self)
      }
    }
  }

  private typealias Bytes = UnsafeBufferPointer<UInt8>

  private static func trimmed(_ bytes: Bytes) -> Slice<Bytes> {
    bytes[..<((bytes.lastIndex { $0 != 0x20 } ?? -1) + 1)]
  }

  private static func folded(_ bytes: Bytes) -> [UInt8] {
    let compared = bytes.prefix { $0 != 0 }.map(\.lowercasedASCII)
    // After a U+0000, SQLite's NOCASE compares only the lengths of the texts. So all bytes after
    // the first U+0000 become 0.
    return compared + Array(repeating: 0, count: bytes.count - compared.count)
  }

  private static func compareBytes(_ first: Slice<Bytes>, _ second: Slice<Bytes>) -> Int {
    let count = min(first.count, second.count)
    if count > 0, let left = first.base.baseAddress, let right = second.base.baseAddress {
      let order = memcmp(left, right, count)
      if order != 0 { return Int(order) }
    }
    return first.count - second.count
  }

  private static func compareFolded(_ first: Bytes, _ second: Bytes) -> Int {
    for index in 0..<min(first.count, second.count) {
      let left = first[index].lowercasedASCII
      let right = second[index].lowercasedASCII
      if left != right { return Int(left) - Int(right) }
      // After a U+0000, SQLite compares only the lengths.
      if left == 0 { break }
    }
    return first.count - second.count
  }
}

extension DatabaseValue {
  /// Compares two values in SQLite's order: NULL, numbers, text, BLOBs. Returns a negative number
  /// if this value comes first, 0 if both are equal, and otherwise a positive number.
  ///
  /// - SeeAlso: <https://www.sqlite.org/datatype3.html#comparisons>
  func compare(_ other: DatabaseValue, _ collation: BuiltInCollation = .binary) -> Int {
    // This is a fast path, because most keys are integers. A switch over both values would copy the
    // values.
    if case .integer(let a) = self, case .integer(let b) = other {
      return a < b ? -1 : a > b ? 1 : 0
    }
    return compareAny(other, collation)
  }

  private func compareAny(_ other: DatabaseValue, _ collation: BuiltInCollation) -> Int {
    switch (self, other) {
    case (.integer(let a), .integer(let b)): a < b ? -1 : a > b ? 1 : 0
    case (.real(let a), .real(let b)): a < b ? -1 : a > b ? 1 : 0
    case (.integer(let a), .real(let b)): Self.compare(a, b)
    case (.real(let a), .integer(let b)): -Self.compare(b, a)
    case (.text(let a), .text(let b)): collation.compare(a, b)
    case (.blob(let a), .blob(let b)), (.invalidText(let a), .invalidText(let b)):
      Self.compareBytes(a, b)
    default: rank - other.rank
    }
  }

  private var rank: Int {
    switch self {
    case .null: 0
    case .integer, .real: 1
    case .text, .invalidText: 2
    case .blob: 3
    }
  }

  /// Compares an integer with a real, without rounding: the integer is not converted to `Double`.
  private static func compare(_ integer: Int64, _ real: Double) -> Int {
    if real >= 0x1p63 { return -1 }
    if real < -0x1p63 { return 1 }
    guard let whole = Int64(exactly: real.rounded(.towardZero)) else { return -1 }
    if integer != whole { return integer < whole ? -1 : 1 }
    let rest = real - real.rounded(.towardZero)
    return rest > 0 ? -1 : rest < 0 ? 1 : 0
  }

  private static func compareBytes(
    _ first: some Collection<UInt8>, _ second: some Collection<UInt8>
  ) -> Int {
    for (left, right) in zip(first, second) where left != right { return left < right ? -1 : 1 }
    return first.count - second.count
  }
}

extension RowKey {
  /// Compares two keys. The order is only for searching keys in sorted sequences. Users never see
  /// it.
  func compare(_ other: RowKey) -> Int {
    switch (self, other) {
    case (.rowID(let a), .rowID(let b)): return a < b ? -1 : a > b ? 1 : 0
    case (_, .values(let values)): return compare(toFirst: values)
    case (_, .rowID(let id)): return compare(toFirst: [.integer(id)])
    case (_, .incomplete(let values, let id)):
      let order = compare(toFirst: values)
      guard order == 0, case .incomplete(_, let own) = self else { return order }
      return own < id ? -1 : own > id ? 1 : 0
    }
  }

  /// Compares the key's values with the given ones, up to the end of the shorter list.
  func compare(toFirst values: [DatabaseValue]) -> Int {
    switch self {
    case .rowID(let id): values.first.map { DatabaseValue.integer(id).compare($0) } ?? 0
    case .values(let own), .incomplete(let own, _): DatabaseValue.compare(own, toFirst: values)
    }
  }
}

extension DatabaseValue {
  /// Compares two lists of values, up to the end of the shorter list. Texts are compared by bytes.
  static func compare(_ own: [DatabaseValue], toFirst values: [DatabaseValue]) -> Int {
    for (first, second) in zip(own, values) {
      let order = first.compare(second)
      if order != 0 { return order }
    }
    return 0
  }
}

/// The order of a result's rows: first the terms of the query's ORDER BY, then the key. Because of
/// the key, no two rows are equal in this order.
struct RowOrder: Sendable {
  struct Term: Sendable {
    let isDescending: Bool
    let collation: BuiltInCollation
    /// Whether the query orders NULL first or last; nil if the query does not say.
    var nulls: NullOrder?

    func compare(_ first: DatabaseValue, _ second: DatabaseValue) -> Int {
      if let nulls, (first == .null) != (second == .null) {
        return (first == .null) == (nulls == .first) ? -1 : 1
      }
      let order = first.compare(second, collation)
      return isDescending ? -order : order
    }
  }

  let terms: [Term]
  let keyCollations: [BuiltInCollation]

  /// Whether this is the order of `RowKey.compare(_:)`.
  var isByKey: Bool { terms.isEmpty && keyCollations.allSatisfy { $0 == .binary } }

  func compare(_ first: ResultEntry, _ second: ResultEntry) -> Int {
    for (index, term) in terms.enumerated() {
      let order = term.compare(first.order[index], second.order[index])
      if order != 0 { return order }
    }
    guard case .values(let own) = first.key, case .values(let others) = second.key else {
      return first.key.compare(second.key)
    }
    for index in 0..<min(own.count, others.count) {
      let order = own[index].compare(others[index], keyCollations[index])
      if order != 0 { return order }
    }
    return 0
  }
}
