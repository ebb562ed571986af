import SQLCore

/// A place in the change log of a database: the entry after which a reader continues.
///
/// ```swift
/// let position = try connection.logPosition()
/// UserDefaults.standard.set("\(position)", forKey: "position")
/// let next = try db.log.entries(after: LogPosition("\(position)") ?? .start)
/// ```
/// A file that is restored from a backup gives the same numbers to other transactions. So each
/// opening of a file in which it is written, and each restore into an open database, begins another
/// epoch of the log. A position has the epoch of its entry. A log that does not have the entry, or
/// no longer has it, throws `LogError.unknownPosition`.
///
/// Its JSON is its text, `"c2a51f0e99d3b784:12"`. An integer is a position of a log from before logs
/// had epochs, and 0 is the beginning of every log.
public struct LogPosition: Hashable, Sendable {
  /// The epoch; 0 for the beginning, and for entries from before logs had epochs.
  let epoch: Int64
  /// The number of the entry. Later entries of a log have greater numbers; some may be missing.
  public let number: Int64

  package init(_ number: Int64, in epoch: Int64) {
    self.number = number
    self.epoch = number > 0 ? epoch : 0
  }

  /// The beginning of every log.
  public static let start = LogPosition(0, in: 0)
}

extension LogPosition: ExpressibleByIntegerLiteral {
  /// Creates a position of a log from before logs had epochs; 0 is the beginning of every log.
  public init(integerLiteral number: Int64) { self.init(max(number, 0), in: 0) }
}

extension LogPosition: LosslessStringConvertible {
  /// Reads a position from its text; nil if it is none.
  public init?(_ description: String) {
    let parts = description.split(separator: ":", omittingEmptySubsequences: false)
    guard let number = parts.last.flatMap({ Int64($0) }), number >= 0 else { return nil }
    switch parts.count {
    case 1: self.init(number, in: 0)
    case 2:
      guard let bits = UInt64(parts[0], radix: 16), number > 0 else { return nil }
      self.init(number, in: Int64(bitPattern: bits))
    default: return nil
    }
  }

  /// The epoch, in hexadecimal digits, and the number: `c2a51f0e99d3b784:12`; the number alone if
  /// there is no epoch.
  public var description: String {
    epoch == 0 ? "\(number)" : "\(String(UInt64(bitPattern: epoch), radix: 16)):\(number)"
  }
}

extension LogPosition: Codable {
  /// Decodes a position from its text, or from an integer of a program that knows no epochs.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let number = try? container.decode(Int64.self) {
      self.init(integerLiteral: number)
      return
    }
    guard let position = LogPosition(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "no position of a change log")
    }
    self = position
  }

  /// Encodes the position as its text.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
