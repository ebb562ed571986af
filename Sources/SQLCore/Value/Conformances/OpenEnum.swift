/// A value of an enumeration, or a raw value that the enumeration does not have.
///
/// A column of an enumeration throws when it reads a raw value that this version of the program
/// does not know, such as a case that a newer version added. A column of an open enumeration reads
/// such a raw value, compares it, and writes it back unchanged:
///
/// ```swift
/// enum Phase: String, ColumnValue { case open, closed }
///
/// struct Ticket: Model {
///   @PrimaryKey var id: Int
///   @Column var phase: OpenEnum<Phase>
/// }
/// let tickets = try db.fetch(Ticket.where { $0.$phase != .known(.closed) })
/// for ticket in tickets {
///   switch ticket.phase {
///   case .known(let phase): print(phase)
///   case .unknown(let text): print("\(text), of a newer version")
///   }
/// }
/// ```
///
/// An open enumeration is stored as its raw value, exactly like the enumeration itself. A property
/// can change from one type to the other without a migration.
///
/// Two values are equal if their raw values are equal. For example, `.unknown("closed")` is equal
/// to `.known(.closed)`, and is read back as `.known(.closed)`.
public enum OpenEnum<Known: RawRepresentable & Sendable>: RawRepresentable, Sendable
where Known.RawValue: ColumnValue & Hashable & Sendable {
  /// A case of the enumeration.
  case known(Known)
  /// A raw value that the enumeration does not have.
  case unknown(Known.RawValue)

  /// Makes `.known` if a case of the enumeration has the raw value, and `.unknown` otherwise.
  public init(rawValue: Known.RawValue) {
    self = Known(rawValue: rawValue).map(OpenEnum.known) ?? .unknown(rawValue)
  }

  /// The raw value, which is stored.
  public var rawValue: Known.RawValue {
    switch self {
    case .known(let value): value.rawValue
    case .unknown(let rawValue): rawValue
    }
  }

  /// The case of the enumeration; nil if the enumeration does not have the raw value.
  public var known: Known? {
    if case .known(let value) = self { value } else { Known(rawValue: rawValue) }
  }
}

extension OpenEnum: ColumnValue {}

extension OpenEnum: Hashable {
  /// Returns whether both have the same raw value.
  public static func == (left: OpenEnum, right: OpenEnum) -> Bool {
    left.rawValue == right.rawValue
  }

  /// Hashes the raw value.
  public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}

extension OpenEnum: Encodable where Known.RawValue: Encodable {
  /// Encodes the raw value.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(rawValue)
  }
}

extension OpenEnum: Decodable where Known.RawValue: Decodable {
  /// Decodes the raw value.
  public init(from decoder: any Decoder) throws {
    self.init(rawValue: try decoder.singleValueContainer().decode(Known.RawValue.self))
  }
}

extension OpenEnum: CustomStringConvertible {
  /// The description of the case, or of the raw value.
  public var description: String {
    switch self {
    case .known(let value): String(describing: value)
    case .unknown(let rawValue): String(describing: rawValue)
    }
  }
}
