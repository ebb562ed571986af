import SQLCore

/// A step into a JSON value: a key of an object, or an index into an array.
public enum JSONStep: Hashable, Sendable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
  /// The value of a key in an object.
  case key(String)
  /// The element at an index, from 0. A negative index counts from the end: -1 is the last element.
  case index(Int)

  /// Makes a key from a literal.
  public init(stringLiteral value: String) { self = .key(value) }

  /// Makes an index from a literal.
  public init(integerLiteral value: Int) { self = .index(value) }

  /// Returns the path of several steps as a value, or an expression that throws if SQLite cannot
  /// express one of the keys.
  ///
  /// - Parameter end: what follows the last step, such as `[#]` for the place after an array's end.
  static func pathNode(_ steps: [JSONStep], _ end: String = "") -> ExpressionNode {
    guard let path = path(steps) else {
      return .invalid(
        QueryError(
          "a path into JSON cannot name a key with a quotation mark, a backslash or a control "
            + "character: \(steps)"))
    }
    return .value(BoundValue(path + end))
  }

  /// Returns the path of several steps in SQLite's syntax; nil if it cannot express one of the
  /// keys.
  static func path(_ steps: [JSONStep]) -> String? {
    var path = "$"
    for step in steps {
      switch step {
      // A key in a path ends at the next quotation mark: there is no escape. SQLite compares it
      // with the bytes of the JSON, where these characters are escaped, so it would never find such
      // a key.
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
