import SQLCore

// A model is encoded and decoded like a plain struct with the same values. Two rules of `Codable`
// matter for this.
//
// First, an encoder writes values of some types in its own way, without a call of their
// `encode(to:)`. For example, JSONEncoder writes Date, Data, URL, Decimal and dictionaries by its
// strategies. It recognises such a value only if the value itself is passed to a container. If a
// wrapper called `wrappedValue.encode(to:)`, the encoder would not recognise the value. Decoders
// work in the same way.
//
// Second, the `Codable` code that the compiler synthesizes passes the wrappers to the keyed
// container. The overloads below are more specific than the overloads of the standard library, so
// the compiler prefers them. They pass the wrapped value to the container. For an optional they use
// `encodeIfPresent`, as the compiler does for a plain property.

extension KeyedEncodingContainer {
  /// Encodes the value of a column as if the property had no wrapper; programs do not use it
  /// directly.
  public mutating func encode<Value: ColumnValue & Encodable>(
    _ column: Column<Value>, forKey key: Key
  ) throws {
    try encode(column.wrappedValue, forKey: key)
  }

  /// Encodes the value of an optional column, or omits nil; programs do not use it directly.
  public mutating func encode<Value: ColumnValue & Encodable>(
    _ column: Column<Value?>, forKey key: Key
  ) throws {
    try encodeIfPresent(column.wrappedValue, forKey: key)
  }

  /// Encodes the optional value in a column of JSON, or omits nil; programs do not use it directly.
  public mutating func encode<Value: Codable & Sendable>(
    _ column: Column<JSON<Value?>>, forKey key: Key
  ) throws {
    try encodeIfPresent(column.wrappedValue.value, forKey: key)
  }

  /// Encodes the value of a key, as a plain property is encoded; programs do not use it directly.
  public mutating func encode<Value: ColumnValue & Encodable>(
    _ column: PrimaryKey<Value>, forKey key: Key
  ) throws {
    try encode(column.wrappedValue, forKey: key)
  }

  /// Encodes the value of an optional key, or omits nil; programs do not use it directly.
  public mutating func encode<Value: ColumnValue & Encodable>(
    _ column: PrimaryKey<Value?>, forKey key: Key
  ) throws {
    try encodeIfPresent(column.wrappedValue, forKey: key)
  }

  /// Encodes a group of columns, as a plain property is encoded; programs do not use it directly.
  public mutating func encode<Group: ColumnGroup & Encodable>(
    _ group: Embedded<Group>, forKey key: Key
  ) throws {
    try encode(group.wrappedValue, forKey: key)
  }

  /// Encodes an optional group of columns, or omits nil; programs do not use it directly.
  public mutating func encode<Group: ColumnGroup & Encodable>(
    _ group: Embedded<Group?>, forKey key: Key
  ) throws {
    try encodeIfPresent(group.wrappedValue, forKey: key)
  }

  /// Omits an ignored property; programs do not use it directly.
  public mutating func encode<Value>(_ ignored: Ignored<Value>, forKey key: Key) throws {}
}

extension KeyedDecodingContainer {
  /// Decodes the value of a column as if the property had no wrapper; programs do not use it
  /// directly.
  public func decode<Value: ColumnValue & Decodable>(
    _: Column<Value>.Type, forKey key: Key
  ) throws -> Column<Value> {
    Column(wrappedValue: try decode(Value.self, forKey: key))
  }

  /// Decodes the value of an optional column, which is nil if it is absent or null; programs do not
  /// use it directly.
  public func decode<Value: ColumnValue & Decodable>(
    _: Column<Value?>.Type, forKey key: Key
  ) throws -> Column<Value?> {
    Column(wrappedValue: try decodeIfPresent(Value.self, forKey: key))
  }

  /// Decodes the optional in a column of JSON, which is nil if it is absent or null; programs do
  /// not use it directly.
  public func decode<Value: Codable & Sendable>(
    _: Column<JSON<Value?>>.Type, forKey key: Key
  ) throws -> Column<JSON<Value?>> {
    Column(wrappedValue: JSON(try decodeIfPresent(Value.self, forKey: key)))
  }

  /// Decodes the value of a key, as a plain property is decoded; programs do not use it directly.
  public func decode<Value: ColumnValue & Decodable>(
    _: PrimaryKey<Value>.Type, forKey key: Key
  ) throws -> PrimaryKey<Value> {
    PrimaryKey(wrappedValue: try decode(Value.self, forKey: key))
  }

  /// Decodes the value of an optional key, which is nil if it is absent or null; programs do not
  /// use it directly.
  public func decode<Value: ColumnValue & Decodable>(
    _: PrimaryKey<Value?>.Type, forKey key: Key
  ) throws -> PrimaryKey<Value?> {
    PrimaryKey(wrappedValue: try decodeIfPresent(Value.self, forKey: key))
  }

  /// Decodes a group of columns, as a plain property is decoded; programs do not use it directly.
  public func decode<Group: ColumnGroup & Decodable>(
    _: Embedded<Group>.Type, forKey key: Key
  ) throws -> Embedded<Group> {
    Embedded(wrappedValue: try decode(Group.self, forKey: key))
  }

  /// Decodes an optional group of columns, which is nil if it is absent or null; programs do not
  /// use it directly.
  public func decode<Group: ColumnGroup & Decodable>(
    _: Embedded<Group?>.Type, forKey key: Key
  ) throws -> Embedded<Group?> {
    Embedded(wrappedValue: try decodeIfPresent(Group.self, forKey: key))
  }

  /// Returns nil for an ignored property, whether or not the key exists; programs do not use it
  /// directly.
  public func decode<Value>(
    _: Ignored<Value>.Type, forKey key: Key
  ) throws -> Ignored<Value> {
    Ignored()
  }
}

// These conformances are for hand-written code that encodes a wrapper without a key. They also pass
// the value to a container, so that the encoder recognises a type such as Date.

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
  /// Decodes the value. The column counts as changed, like a column of a new model.
  public init(from decoder: any Decoder) throws {
    self.init(wrappedValue: try decoder.singleValueContainer().decode(Value.self))
  }
}

extension PrimaryKey: Decodable where Value: Decodable {
  /// Decodes the value. The key counts as changed, like the key of a new model.
  public init(from decoder: any Decoder) throws {
    self.init(wrappedValue: try decoder.singleValueContainer().decode(Value.self))
  }
}
