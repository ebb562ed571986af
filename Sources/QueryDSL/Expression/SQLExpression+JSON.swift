import SQLCore

/// One step into JSON: a key of an object, or a place in an array.
public enum JSONStep: Hashable, Sendable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
  /// The value of a key.
  case key(String)
  /// The element at a place, from 0; a negative one counts from the end, -1 the last.
  case index(Int)

  /// A key from a literal.
  public init(stringLiteral value: String) { self = .key(value) }

  /// A place from a literal.
  public init(integerLiteral value: Int) { self = .index(value) }

  /// The path of several steps, in SQLite's own syntax; nil where it has none for a key.
  fileprivate static func path(_ steps: [JSONStep]) -> String? {
    var path = "$"
    for step in steps {
      switch step {
      // SQLite looks for the next quotation mark and knows no escape. It compares the bytes as they
      // stand in the JSON, where these characters are escaped: such a key would never be found.
      case .key(let key):
        let isAsWritten = key.utf8.allSatisfy {
          $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
        }
        guard isAsWritten else { return nil }
        path += ".\"\(key)\""
      case .index(let index):
        path += index < 0 ? "[#\(index)]" : "[\(index)]"
      }
    }
    return path
  }
}

/// A place inside the JSON of a type, with the type of what is there: one line declares it.
///
/// ```swift
/// extension JSONPath where Root == Place, Value == String {
///   static var city: JSONPath { JSONPath("address", "city") }
/// }
///
/// Post.where { $0.$place.value(at: .city) == "Bonn" }
/// // … WHERE json_extract("place", ?) IS ?          the path is `$."address"."city"`
/// ```
/// The keys are those of the JSON, which `CodingKeys` may call otherwise than the properties: no key
/// path knows them, so they are said here, once. A path of another type's JSON does not compile.
public struct JSONPath<Root: Codable & Sendable, Value: ColumnValue>: Hashable, Sendable {
  fileprivate let steps: [JSONStep]

  /// The place to which these steps lead.
  public init(_ steps: JSONStep...) {
    self.steps = steps
  }
}

extension SQLExpression {
  /// The value at a declared place inside the JSON; NULL where there is none.
  ///
  /// SQL: `json_extract(a, ?)`
  public func value<Root, Result>(
    at path: JSONPath<Root, Result>
  ) -> SQLExpression<Result?> where Value == JSON<Root> {
    value(at: path.steps)
  }

  /// The value at a declared place inside the JSON; NULL where there is none, or no JSON.
  ///
  /// SQL: `json_extract(a, ?)`
  public func value<Root, Result>(
    at path: JSONPath<Root, Result>
  ) -> SQLExpression<Result?> where Value == JSON<Root>? {
    value(at: path.steps)
  }
}

// https://www.sqlite.org/json1.html
extension SQLExpression where Value: JSONColumnValue {
  /// A value inside the JSON, read as a type; NULL where there is none.
  ///
  /// ```swift
  /// Post.where { $0.$place.value(at: "address", "city") == "Bonn" }
  /// // … WHERE json_extract("place", ?) IS ?          the path is `$."address"."city"`
  /// ```
  /// true and false are 1 and 0, an object or array is its text. A key that JSON writes otherwise,
  /// with a quotation mark, a backslash or a control character, cannot be asked for: it throws
  /// `QueryError` when the query is rendered.
  public func value<Result: ColumnValue>(
    at steps: JSONStep..., as type: Result.Type = Result.self
  ) -> SQLExpression<Result?> {
    value(at: steps)
  }

  fileprivate func value<Result: ColumnValue>(at steps: [JSONStep]) -> SQLExpression<Result?> {
    SQLExpression<Result?>(called("json_extract", steps))
  }

  /// An object, array or value inside the JSON, as JSON; NULL where there is none. SQL: `a -> ?`
  public func json<Result: Codable & Sendable>(
    at steps: JSONStep..., as type: Result.Type = Result.self
  ) -> SQLExpression<JSON<Result>?> {
    SQLExpression<JSON<Result>?>(at(steps) { .binary(.jsonArrow, node, $0) })
  }

  /// How many elements an array has; 0 for what is no array, NULL where there is none.
  ///
  /// SQL: `json_array_length(a, ?)`
  public func arrayLength(at steps: JSONStep...) -> SQLExpression<Int?> {
    SQLExpression<Int?>(called("json_array_length", steps))
  }

  /// What is there: `null`, `true`, `false`, `integer`, `real`, `text`, `array` or `object`; NULL
  /// where there is nothing. SQL: `json_type(a, ?)`
  public func type(at steps: JSONStep...) -> SQLExpression<String?> {
    SQLExpression<String?>(called("json_type", steps))
  }

  private func called(_ name: String, _ steps: [JSONStep]) -> ExpressionNode {
    at(steps) { .function(name, [node, $0]) }
  }

  private func at(
    _ steps: [JSONStep], _ make: (ExpressionNode) -> ExpressionNode
  ) -> ExpressionNode {
    guard let path = JSONStep.path(steps) else {
      return .invalid(
        QueryError(
          "a path into JSON cannot name a key with a quotation mark, a backslash or a control "
            + "character: \(steps)"))
    }
    return make(.value(BoundValue(path)))
  }
}
