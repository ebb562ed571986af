#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A Codable value that is stored in a column as JSON.
///
/// ```swift
/// @Column var tags: JSON<[String]> = []
/// post.tags.value.append("swift")
/// ```
///
/// The value is stored as TEXT with sorted keys, so that equal dictionaries have equal texts.
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

  /// Decodes the JSON in a TEXT. Throws `ColumnValueError` if the JSON cannot be decoded as
  /// `Value`. If the cause is a `DecodingError`, the `detail` of the thrown error names the place
  /// in the JSON.
  public init(_ cell: borrowing Cell) throws {
    let text = try cell.text()
    do {
      value = try JSONDecoder().decode(Value.self, from: Data(text.utf8))
    } catch {
      throw ColumnValueError.invalid(text, as: Value.self, decoding: error)
    }
  }

  /// Returns the value as JSON. Throws `ColumnValueError` if JSON cannot represent it.
  public func databaseValue(as form: StoredForm) throws -> DatabaseValue {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    do {
      return .text(String(decoding: try encoder.encode(value), as: UTF8.self))
    } catch {
      // The error has the type in place of the value. If the value is a Date that JSON cannot
      // represent, reading its `description` would trap.
      throw ColumnValueError.unstorable(Value.self, "it cannot be encoded as JSON: \(error)")
    }
  }
}

extension JSON {
  /// Returns whether both values have the same JSON and, if they have `==`, are equal. `==` alone
  /// is not enough: Swift considers an accented letter equal to the pair of letter and combining
  /// accent, but their JSON differs.
  public static func isStoredAlike(_ left: JSON, _ right: JSON) -> Bool {
    // In most calls, the values differ. `==` finds this out without encoding the values.
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

// The value is encoded through a container, because encoders and decoders treat dates, data, URLs,
// decimal numbers and dictionaries specially. The value's own `encode(to:)` would bypass this.
extension JSON: Codable {
  /// Decodes the value as if it were not wrapped in `JSON`.
  public init(from decoder: any Decoder) throws {
    value = try decoder.singleValueContainer().decode(Value.self)
  }

  /// Encodes the value as if it were not wrapped in `JSON`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(value)
  }
}

extension JSON: ExpressibleByArrayLiteral where Value: RangeReplaceableCollection {
  /// Makes a collection of the elements.
  public init(arrayLiteral elements: Value.Element...) {
    value = Value(elements)
  }
}

extension ColumnValueError {
  /// Returns the error for JSON that cannot be decoded. The error names the place that the decoder
  /// reports.
  package static func invalid(
    _ text: String, as type: Any.Type, decoding error: any Error
  ) -> ColumnValueError {
    let invalid = ColumnValueError.invalid(text, as: type)
    guard let error = error as? DecodingError else { return invalid }
    let detail =
      switch error {
      case .keyNotFound(let key, let context):
        "there is no value at \((context.codingPath + [key]).jsonPath)"
      case .valueNotFound(let type, let context):
        "there is no \(type) at \(context.codingPath.jsonPath), but null"
      case .typeMismatch(let type, let context):
        "the value at \(context.codingPath.jsonPath) is not of the type \(type)"
      case .dataCorrupted(let context):
        "the value at \(context.codingPath.jsonPath) is not valid: \(context.debugDescription)"
      @unknown default: String(describing: error)
      }
    return invalid.with(detail: detail)
  }
}

extension [any CodingKey] {
  /// This coding path in SQLite's notation for places inside JSON, such as `$.author.tags[0]`.
  fileprivate var jsonPath: String {
    reduce(into: "$") { path, key in
      path += key.intValue.map { "[\($0)]" } ?? ".\(key.stringValue)"
    }
  }
}

extension JSON: CustomStringConvertible {
  /// The value's own description.
  public var description: String { String(describing: value) }
}
