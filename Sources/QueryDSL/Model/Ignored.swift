/// An optional property of a model that no column stores: nil when the model is loaded, and not
/// encoded.
///
/// ```swift
/// @Ignored var preview: String?
/// ```
@frozen
@propertyWrapper
public struct Ignored<Wrapped> {
  /// The value, or nil.
  public var wrappedValue: Wrapped?

  /// nil.
  public init() {
    wrappedValue = nil
  }

  /// The value.
  public init(wrappedValue: Wrapped?) {
    self.wrappedValue = wrappedValue
  }
}

extension Ignored: Sendable where Wrapped: Sendable {}
extension Ignored: Equatable where Wrapped: Equatable {}
extension Ignored: Hashable where Wrapped: Hashable {}

extension Ignored: Codable {
  /// nil, whatever there is.
  public init(from decoder: any Decoder) throws {
    wrappedValue = nil
  }

  /// Encodes null, where an encoder must have something.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encodeNil()
  }
}
