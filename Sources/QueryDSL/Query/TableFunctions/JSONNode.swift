import SQLCore

/// A value inside JSON, at any depth: a row of `jsonTree`.
public struct JSONNode: ResultRow, Equatable {
  /// The index or name by which its array or object holds it; nil for the JSON as a whole.
  @Column public var key: JSONKey?
  /// The type: `null`, `true`, `false`, `integer`, `real`, `text`, `array` or `object`.
  @Column public var type: String
  /// The value, if it is a number, a text, true (1) or false (0); nil for null, arrays and objects.
  @Column public var atom: JSONAtom?
  /// A number that identifies the value among those of the same JSON.
  @Column public var id: Int
  /// The `id` of the array or object that holds it; nil for the JSON as a whole.
  @Column public var parent: Int?
  /// The path of the value: `$.seats[0]`. SQL: `"fullkey"`
  @Column public var fullKey: String
  /// The path of the array or object that holds it: `$.seats`.
  @Column public var path: String

  /// The name of SQLite's column for the path of the value.
  public static var schema: Schema<JSONNode> { Named(\.$fullKey, "fullkey") }
}
