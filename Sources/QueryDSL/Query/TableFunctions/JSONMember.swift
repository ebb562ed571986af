import SQLCore

/// A member of a JSON object: a row of `jsonEach`.
public struct JSONMember<Value: ColumnValue>: ResultRow {
  /// Its name.
  @Column public var key: String
  /// Its value.
  @Column public var value: Value

  /// Makes the row of a member.
  public init(key: String, value: Value) {
    self.key = key
    self.value = value
  }
}

extension JSONMember: Equatable where Value: Equatable {}
