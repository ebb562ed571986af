import SQLCore

/// An element of a JSON array: a row of `jsonEach`.
public struct JSONElement<Value: ColumnValue>: ResultRow {
  /// Its index in the array, from 0. SQL: `"key"`
  @Column public var index: Int
  /// Its value.
  @Column public var value: Value

  /// Makes the row of an element.
  public init(index: Int, value: Value) {
    self.index = index
    self.value = value
  }

  /// The name of SQLite's column for the index.
  public static var schema: Schema<JSONElement> { Named(\.$index, "key") }
}

extension JSONElement: Equatable where Value: Equatable {}
