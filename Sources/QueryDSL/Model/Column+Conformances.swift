// A model is compared, hashed and printed by its values: whether a column was changed is not to be
// seen. `PrimaryKey` is the same for each. `Column+Codable.swift` has the coding.

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
