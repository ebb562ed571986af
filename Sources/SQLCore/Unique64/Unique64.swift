#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A unique 64-bit integer that sorts by the time at which it was made and carries a 16-bit tag.
///
/// ```swift
/// struct Author {
///   var id = Unique64()           // from the generator of the process
/// }
/// let id = Unique64(tag: 7)
/// id.date                         // when it was made, to 16 µs
/// id.tag                          // 7
/// ```
///
/// | bits  | content                                                             |
/// |-------|---------------------------------------------------------------------|
/// | 63    | 0                                                                   |
/// | 62–16 | ticks of 16 µs since 2001-01-01T00:00:00Z, enough until May of 2072 |
/// | 15–0  | the tag, the bit pattern of an `Int16`                              |
///
/// Ids from one ``Generator`` increase strictly, whatever their tags, on every thread. Ids from two
/// generators (two processes, two devices) are only certain to differ if their tags differ.
///
/// An id is stored as an INTEGER. It is encoded as a text, such as `"3301234567890123456"` in JSON,
/// because JavaScript and other readers of JSON round numbers above 2⁵³. Nearly every id is above
/// 2⁵³. Decoding accepts a text or an integer.
public struct Unique64: RawRepresentable, Hashable, Sendable {
  /// The integer that is stored.
  public let rawValue: Int64

  /// Makes an id from an integer that was stored before; every integer is accepted.
  ///
  /// A negative id has a date before 2001, and sorts before all other ids. No generator makes a
  /// negative id.
  public init(rawValue: Int64) {
    self.rawValue = rawValue
  }

  /// Makes an id from its parts; `ticks` must be in `0...maximumTicks`.
  init(ticks: Int64, tag: Int16) {
    rawValue = ticks << 16 | Int64(UInt16(bitPattern: tag))
  }

  /// The time at which the id was made, rounded down to a tick of 16 µs.
  ///
  /// In a burst of more than 62,500 ids a second, the ids and their dates run ahead of the clock.
  /// The date has whole microseconds, so it is unchanged when it is stored in a column of dates and
  /// read back.
  public var date: Date {
    let microseconds = ticks * (1_000_000 / Self.ticksPerSecond)
    return Date(microsecondsSince1970: Date.secondsFrom1970To2001 * 1_000_000 + microseconds)
  }

  /// The number that the caller put into the low 16 bits; 0 by default.
  public var tag: Int16 {
    Int16(truncatingIfNeeded: rawValue)
  }

  /// The value that a generator returns when it has no ids left. It is not an id, and it sorts
  /// before every id.
  ///
  /// Generators run out when their clock passes the end of the layout, in May of 2072. They never
  /// start over, because ids would repeat unnoticed. This value cannot be stored in a column:
  /// storing it throws `ColumnValueError`.
  public static let exhausted = Unique64(rawValue: .min)
}

extension Unique64 {
  static let ticksPerSecond: Int64 = 62_500
  static let maximumTicks: Int64 = (1 << 47) - 1

  /// Ticks since 2001-01-01T00:00:00Z; negative for a negative raw value.
  var ticks: Int64 {
    rawValue >> 16
  }
}

extension Unique64: Comparable {
  /// Compares by time. Ids with the same tick, which come from different generators, are compared
  /// by the bits of their tags, so that a negative tag follows all others.
  public static func < (left: Unique64, right: Unique64) -> Bool {
    left.rawValue < right.rawValue
  }
}

extension Unique64: LosslessStringConvertible {
  /// The raw value in decimal digits.
  public var description: String {
    rawValue.description
  }

  /// Parses the text that ``description`` returns; nil if it is not a 64-bit integer.
  public init?(_ description: String) {
    guard let rawValue = Int64(description) else { return nil }
    self.init(rawValue: rawValue)
  }
}

extension Unique64: Codable {
  /// Decodes a text as ``description`` returns it, or an integer.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    do {
      self.init(rawValue: try container.decode(Int64.self))
    } catch let error as DecodingError {
      guard case .typeMismatch = error, let text = try? container.decode(String.self) else {
        throw error
      }
      guard let id = Unique64(text) else {
        throw DecodingError.dataCorruptedError(
          in: container,
          debugDescription: "\(text.debugDescription) is not an integer of 64 bits")
      }
      self = id
    }
  }

  /// Encodes ``description``.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

extension Unique64: OrderedColumnValue {
  /// INTEGER.
  @inlinable
  public static var storageClass: StorageClass { .integer }

  /// Reads an INTEGER.
  @inlinable
  public init(_ cell: borrowing Cell) throws {
    self.init(rawValue: try cell.integer())
  }

  /// Returns the number. Throws `ColumnValueError` for `Unique64.exhausted`.
  @inlinable
  public func databaseValue(as form: StoredForm) throws -> DatabaseValue {
    guard self != .exhausted else {
      throw ColumnValueError.unstorable(rawValue, "the generator has run out of ids (year 2072)")
    }
    return .integer(rawValue)
  }
}
