#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A Codable value that a column holds as JSON.
///
/// ```swift
/// @Column var tags: JSON<[String]> = []
/// post.tags.value.append("swift")
/// ```
///
/// It is stored as TEXT with sorted keys, so that equal values are equal text.
/// - SeeAlso: <https://www.sqlite.org/json1.html>
public struct JSON<Value: Codable & Sendable>: ColumnValue {
  /// The value.
  public var value: Value

  /// Wraps a value.
  public init(_ value: Value) {
    self.value = value
  }

  /// TEXT.
  public static var storageClass: StorageClass { .text }

  /// Decodes the JSON in a TEXT; text that is none of `Value` throws `ColumnValueError`.
  public init(_ cell: borrowing Cell) throws {
    let text = try cell.text()
    do {
      value = try JSONDecoder().decode(Value.self, from: Data(text.utf8))
    } catch {
      throw ColumnValueError.invalid(text, as: Value.self)
    }
  }

  /// The value as JSON; one that JSON cannot hold throws `ColumnValueError`.
  public func databaseValue(as form: StoredForm) throws -> DatabaseValue {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    do {
      return .text(String(decoding: try encoder.encode(value), as: UTF8.self))
    } catch {
      // The type and not the value: the description of a Date that JSON refuses traps.
      throw ColumnValueError.unstorable(Value.self, "JSON cannot hold it: \(error)")
    }
  }
}

extension JSON {
  /// Values of the same JSON; so `==` does not count, which takes a letter with an accent for the
  /// pair of letter and accent.
  public static func isStoredAlike(_ left: JSON, _ right: JSON) -> Bool {
    // Most often they differ, and that is seen without coding them.
    if let known = left.value as? any Equatable, !known.isEqual(to: right.value) { return false }
    guard let left = try? left.databaseValue(as: .standard),
      let right = try? right.databaseValue(as: .standard)
    else { return false }
    return left == right
  }
}

extension Equatable {
  fileprivate func isEqual(to other: Any) -> Bool { other as? Self == self }
}

extension JSON: Equatable where Value: Equatable {}
extension JSON: Hashable where Value: Hashable {}

// The value goes through a container: encoders and decoders have rules of their own for dates, data,
// URLs, decimal numbers and dictionaries, which its own `encode(to:)` would bypass.
extension JSON: Codable {
  /// Decodes the value, as if it stood here without `JSON`.
  public init(from decoder: any Decoder) throws {
    value = try decoder.singleValueContainer().decode(Value.self)
  }

  /// Encodes the value, as if it stood here without `JSON`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(value)
  }
}

extension JSON: ExpressibleByArrayLiteral where Value: RangeReplaceableCollection {
  /// A collection of the elements.
  public init(arrayLiteral elements: Value.Element...) {
    value = Value(elements)
  }
}

extension JSON: CustomStringConvertible {
  /// The value's own description.
  public var description: String { String(describing: value) }
}
