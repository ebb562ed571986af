import SQLCore

// A model is coded as the plain struct of its values is. Two things are needed for that.
//
// An encoder treats some types itself, before it asks for their `encode(to:)`: JSONEncoder writes
// Date, Data, URL, Decimal and dictionaries by its strategies. It sees such a value only if it is
// given to a container; a wrapper that called `wrappedValue.encode(to:)` would hide it. Decoders are
// the same.
//
// The code that the compiler writes for `Codable` gives the wrappers to the keyed container. The
// overloads below, which are more specific than those of the standard library, take the value out
// and give that to the container: with `encodeIfPresent` where it is an optional, as the compiler
// does for a plain property.

extension KeyedEncodingContainer {
  /// Encodes the value of a column, as a plain property is encoded.
  public mutating func encode<Value: ColumnValue & Encodable>(
    _ column: Column<Value>, forKey key: Key
  ) throws {
    try encode(column.wrappedValue, forKey: key)
  }

  /// Encodes the value of an optional column; leaves nil out.
  public mutating func encode<Value: ColumnValue & Encodable>(
    _ column: Column<Value?>, forKey key: Key
  ) throws {
    try encodeIfPresent(column.wrappedValue, forKey: key)
  }

  /// Encodes the optional in a column of JSON; leaves nil out.
  public mutating func encode<Value: Codable & Sendable>(
    _ column: Column<JSON<Value?>>, forKey key: Key
  ) throws {
    try encodeIfPresent(column.wrappedValue.value, forKey: key)
  }

  /// Encodes the value of a key, as a plain property is encoded.
  public mutating func encode<Value: ColumnValue & Encodable>(
    _ column: PrimaryKey<Value>, forKey key: Key
  ) throws {
    try encode(column.wrappedValue, forKey: key)
  }

  /// Encodes the value of an optional key; leaves nil out.
  public mutating func encode<Value: ColumnValue & Encodable>(
    _ column: PrimaryKey<Value?>, forKey key: Key
  ) throws {
    try encodeIfPresent(column.wrappedValue, forKey: key)
  }

  /// Leaves an ignored property out.
  public mutating func encode<Value>(_ ignored: Ignored<Value>, forKey key: Key) throws {}
}

extension KeyedDecodingContainer {
  /// Decodes the value of a column, as a plain property is decoded.
  public func decode<Value: ColumnValue & Decodable>(
    _: Column<Value>.Type, forKey key: Key
  ) throws -> Column<Value> {
    Column(wrappedValue: try decode(Value.self, forKey: key))
  }

  /// Decodes the value of an optional column; nil if it is absent or null.
  public func decode<Value: ColumnValue & Decodable>(
    _: Column<Value?>.Type, forKey key: Key
  ) throws -> Column<Value?> {
    Column(wrappedValue: try decodeIfPresent(Value.self, forKey: key))
  }

  /// Decodes the optional in a column of JSON; nil if it is absent or null.
  public func decode<Value: Codable & Sendable>(
    _: Column<JSON<Value?>>.Type, forKey key: Key
  ) throws -> Column<JSON<Value?>> {
    Column(wrappedValue: JSON(try decodeIfPresent(Value.self, forKey: key)))
  }

  /// Decodes the value of a key, as a plain property is decoded.
  public func decode<Value: ColumnValue & Decodable>(
    _: PrimaryKey<Value>.Type, forKey key: Key
  ) throws -> PrimaryKey<Value> {
    PrimaryKey(wrappedValue: try decode(Value.self, forKey: key))
  }

  /// Decodes the value of an optional key; nil if it is absent or null.
  public func decode<Value: ColumnValue & Decodable>(
    _: PrimaryKey<Value?>.Type, forKey key: Key
  ) throws -> PrimaryKey<Value?> {
    PrimaryKey(wrappedValue: try decodeIfPresent(Value.self, forKey: key))
  }

  /// Returns nil for an ignored property, whether or not the key is there.
  public func decode<Value>(
    _: Ignored<Value>.Type, forKey key: Key
  ) throws -> Ignored<Value> {
    Ignored()
  }
}

// Without a key, for whoever codes a wrapper by hand. The container is asked, not the value, for the
// reason above.

extension Column: Encodable where Value: Encodable {
  /// Encodes the value.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(wrappedValue)
  }
}

extension PrimaryKey: Encodable where Value: Encodable {
  /// Encodes the value.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(wrappedValue)
  }
}

extension Column: Decodable where Value: Decodable {
  /// Decodes the value; the column counts as changed, as that of a new model does.
  public init(from decoder: any Decoder) throws {
    self.init(wrappedValue: try decoder.singleValueContainer().decode(Value.self))
  }
}

extension PrimaryKey: Decodable where Value: Decodable {
  /// Decodes the value; the key counts as changed, as that of a new model does.
  public init(from decoder: any Decoder) throws {
    self.init(wrappedValue: try decoder.singleValueContainer().decode(Value.self))
  }
}
