import SQLCore

/// A declared place inside the JSON of a type, with the type of its value.
///
/// ```swift
/// extension JSONPath where Root == Place, Value == String {
///   static var city: JSONPath { JSONPath("address", "city") }
/// }
///
/// Post.where { $0.$place.value(at: .city) == "Bonn" }
/// // … WHERE apus_json_value("place" -> ?, 'String') IS ?    the path is `$."address"."city"`
/// ```
/// Its keys are those of the JSON, which `CodingKeys` may name differently from the properties. Key
/// paths do not know them, so they are declared here, once. A path into the JSON of another type
/// does not compile.
public struct JSONPath<Root: Codable & Sendable, Value: ColumnValue>: Hashable, Sendable {
  let steps: [JSONStep]

  /// Makes the path from its steps.
  public init(_ steps: JSONStep...) {
    self.steps = steps
  }
}
