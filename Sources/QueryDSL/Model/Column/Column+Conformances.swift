// A model is compared, hashed and printed by its values only: whether a column was changed makes no
// difference. `PrimaryKey` has the same conformances as `Column`. `Column+Codable.swift` has those
// for coding.

extension Column: Equatable where Value: Equatable {
  /// Returns whether the values are equal.
  public static func == (left: Self, right: Self) -> Bool {
    left.wrappedValue == right.wrappedValue
  }
}

extension PrimaryKey: Equatable where Value: Equatable {
  /// Returns whether the values are equal.
  public static func == (left: Self, right: Self) -> Bool {
    left.wrappedValue == right.wrappedValue
  }
}

extension Column: Hashable where Value: Hashable {
  /// Hashes the value.
  public func hash(into hasher: inout Hasher) { hasher.combine(wrappedValue) }
}

extension PrimaryKey: Hashable where Value: Hashable {
  /// Hashes the value.
  public func hash(into hasher: inout Hasher) { hasher.combine(wrappedValue) }
}

extension Column: CustomStringConvertible {
  /// The description of the value.
  public var description: String { String(describing: wrappedValue) }
}

extension PrimaryKey: CustomStringConvertible {
  /// The description of the value.
  public var description: String { String(describing: wrappedValue) }
}

extension Column: CustomDebugStringConvertible {
  /// The debug description of the value.
  public var debugDescription: String { String(reflecting: wrappedValue) }
}

extension PrimaryKey: CustomDebugStringConvertible {
  /// The debug description of the value.
  public var debugDescription: String { String(reflecting: wrappedValue) }
}
