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

  /// The value.
  public init(wrappedValue: Wrapped?) {
    self.wrappedValue = wrappedValue
  }
}

// In an extension: as a member of the type itself, it would make the parameter of a memberwise
// initialiser the wrapper in place of the value.
extension Ignored {
  /// nil.
  public init() {
    wrappedValue = nil
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
