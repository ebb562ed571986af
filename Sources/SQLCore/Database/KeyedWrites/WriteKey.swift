/// The idempotency key of a write: a name that no other write has.
///
/// ```swift
/// let key: WriteKey = "order 4711"      // from the request that is handled
/// let new = WriteKey()                  // a new one, kept until it is answered
/// ```
/// A key from outside, such as the number of an order or the header of an HTTP request, also
/// protects against a client that sends its request twice. Two writes with one key are one write,
/// whatever their closures do.
public struct WriteKey: Hashable, Sendable, ExpressibleByStringInterpolation,
  CustomStringConvertible
{
  /// The text that is stored.
  public let text: String

  /// Makes a key from a text that is unique among the writes of the database.
  public init(_ text: String) { self.text = text }

  /// Makes a key from a literal.
  public init(stringLiteral text: String) { self.text = text }

  /// Makes a key from an id.
  public init(_ id: Unique64) { text = id.description }

  /// Makes a new key, from a new id of the process.
  public init() { self.init(Unique64()) }

  /// The text.
  public var description: String { text }
}

/// The result of a write with a key.
public struct KeyedWrite<Value: Sendable>: Sendable {
  /// The value of the closure that was committed: of this call, or of the call before it.
  public let value: Value
  /// Whether a write with this key had been committed before, so that this call changed nothing.
  public let isRepeated: Bool
}

extension KeyedWrite: Equatable where Value: Equatable {}
