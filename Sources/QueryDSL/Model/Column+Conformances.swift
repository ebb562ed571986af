import SQLCore

// A model is compared, hashed, printed and coded by its values: whether a column was changed is
// not to be seen. `PrimaryKey` is the same for each.

extension Column: Equatable where Value: Equatable {
  /// Equal values.
  public static func == (left: Self, right: Self) -> Bool {
    left.wrappedValue == right.wrappedValue
  }
}

extension PrimaryKey: Equatable where Value: Equatable {
  /// Equal values.
  public static func == (left: Self, right: Self) -> Bool {
    left.wrappedValue == right.wrappedValue
  }
}

extension Column: Hashable where Value: Hashable {
  /// Feeds the value.
  public func hash(into hasher: inout Hasher) { hasher.combine(wrappedValue) }
}

extension PrimaryKey: Hashable where Value: Hashable {
  /// Feeds the value.
  public func hash(into hasher: inout Hasher) { hasher.combine(wrappedValue) }
}

extension Column: CustomStringConvertible {
  /// The value's own description.
  public var description: String { String(describing: wrappedValue) }
}

extension PrimaryKey: CustomStringConvertible {
  /// The value's own description.
  public var description: String { String(describing: wrappedValue) }
}

extension Column: CustomDebugStringConvertible {
  /// The value's own debug description.
  public var debugDescription: String { String(reflecting: wrappedValue) }
}

extension PrimaryKey: CustomDebugStringConvertible {
  /// The value's own debug description.
  public var debugDescription: String { String(reflecting: wrappedValue) }
}

extension Column: Encodable where Value: Encodable {
  /// Encodes the value alone.
  public func encode(to encoder: any Encoder) throws { try wrappedValue.encode(to: encoder) }
}

extension PrimaryKey: Encodable where Value: Encodable {
  /// Encodes the value alone.
  public func encode(to encoder: any Encoder) throws { try wrappedValue.encode(to: encoder) }
}

extension Column: Decodable where Value: Decodable {
  /// Decodes the value alone.
  public init(from decoder: any Decoder) throws {
    self.init(wrappedValue: try Value(from: decoder))
  }
}

extension PrimaryKey: Decodable where Value: Decodable {
  /// Decodes the value alone.
  public init(from decoder: any Decoder) throws {
    self.init(wrappedValue: try Value(from: decoder))
  }
}

// The code that the compiler writes for a model's `Codable` asks for the wrapper by its type. These
// overloads let an optional column be absent, as an optional property may be.

extension KeyedDecodingContainer {
  /// An optional column; absent or null is nil.
  public func decode<Value: ColumnValue & Decodable>(
    _: Column<Value?>.Type, forKey key: Key
  ) throws -> Column<Value?> {
    Column(wrappedValue: try decodeIfPresent(Value.self, forKey: key))
  }

  /// An optional key; absent or null is nil.
  public func decode<Value: ColumnValue & Decodable>(
    _: PrimaryKey<Value?>.Type, forKey key: Key
  ) throws -> PrimaryKey<Value?> {
    PrimaryKey(wrappedValue: try decodeIfPresent(Value.self, forKey: key))
  }

  /// A property that no column stores is not decoded, either.
  public func decode<Value>(
    _: Ignored<Value>.Type, forKey key: Key
  ) throws -> Ignored<Value> {
    Ignored()
  }
}

extension KeyedEncodingContainer {
  /// An optional column; nil is left out.
  public mutating func encode<Value: ColumnValue & Encodable>(
    _ column: Column<Value?>, forKey key: Key
  ) throws {
    try encodeIfPresent(column.wrappedValue, forKey: key)
  }

  /// An optional key; nil is left out.
  public mutating func encode<Value: ColumnValue & Encodable>(
    _ column: PrimaryKey<Value?>, forKey key: Key
  ) throws {
    try encodeIfPresent(column.wrappedValue, forKey: key)
  }

  /// A property that no column stores is not encoded, either.
  public mutating func encode<Value>(_ ignored: Ignored<Value>, forKey key: Key) throws {}
}
