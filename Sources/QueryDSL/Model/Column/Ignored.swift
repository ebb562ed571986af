/// An optional property of a model that is not a column: it is nil when the model is loaded, and it
/// is not encoded.
///
/// ```swift
/// @Ignored var preview: String?
/// ```
@frozen
@propertyWrapper
public struct Ignored<Wrapped> {
  /// The value, or nil.
  public var wrappedValue: Wrapped?

  /// Makes the property with a value.
  public init(wrappedValue: Wrapped?) {
    self.wrappedValue = wrappedValue
  }
}

// In an extension: as a member of the type, this initialiser would make the wrapper, and not the
// value, the parameter of a memberwise initialiser.
extension Ignored {
  /// Makes the property with nil.
  public init() {
    wrappedValue = nil
  }
}

extension Ignored: Sendable where Wrapped: Sendable {}
extension Ignored: Equatable where Wrapped: Equatable {}
extension Ignored: Hashable where Wrapped: Hashable {}

extension Ignored: Codable {
  /// Makes nil, whatever the decoder has.
  public init(from decoder: any Decoder) throws {
    wrappedValue = nil
  }

  /// Encodes null, for an encoder that needs a value.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encodeNil()
  }
}
