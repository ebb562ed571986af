/// The key of a model that declares none, whose name is a part of the message for it; programs do
/// not use it directly.
public struct KeyOrDollarSignIsMissing: Hashable, Sendable {}

// A model without `id` would not conform to Identifiable, and the compiler would only say that.
// With this default, it says what to declare.
extension Model {
  /// Explains how a model declares its key; no model uses it.
  @_disfavoredOverload
  @available(
    *, unavailable,
    message: """
      a model needs a key: write `@PrimaryKey var id = Unique64()`; with a key of another name, also \
      `var id: Int { number }`; with several keys, `struct ID: Hashable, Sendable` with a property for \
      each @PrimaryKey, and `var id: ID { … }`
      """
  )
  public var id: KeyOrDollarSignIsMissing { KeyOrDollarSignIsMissing() }
}
