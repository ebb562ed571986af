import SQLCore

/// An error in the declaration of a model, or of its key, that is found when its layout is first
/// read.
public struct ModelError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The model's name.
  public let model: String
  /// The problem, and what to write instead.
  public let message: String

  init(_ model: Any.Type, _ message: String) {
    self.model = String(describing: model)
    self.message = message
  }

  init(model: String, _ message: String) {
    self.model = model
    self.message = message
  }

  /// The model and the message.
  public var description: String { "\(model): \(message)" }
}
