/// A function, a collation, a virtual table, a tokenizer or a listener that connections can
/// install, or several of them.
/// - SeeAlso: <https://www.sqlite.org/appfunc.html>
public struct Registration: Sendable {
  /// The identity of a registration: a later one with the same key replaces it.
  struct Key: Hashable, Sendable {
    enum Kind: Hashable, Sendable { case function, collation, module, tokenizer, listener, setting }

    let kind: Kind
    let name: String
    var argumentCount: Int32 = -1
  }

  struct Step: Sendable {
    let key: Key
    let install: @Sendable (ConnectionCore) throws -> Void
  }

  let steps: [Step]

  /// Whether SQLite calls code in Swift while it runs statements.
  var needsCode: Bool { steps.contains { $0.key.kind != .setting } }

  /// Whether statements may return something else than before.
  var changesResults: Bool { steps.contains { $0.key.kind != .listener } }

  init(_ key: Key, install: @escaping @Sendable (ConnectionCore) throws -> Void) {
    steps = [Step(key: key, install: install)]
  }

  /// Combines several registrations into one.
  public init(_ registrations: [Registration]) {
    steps = registrations.flatMap(\.steps)
  }

  /// Combines everything that a closure registers into one registration.
  ///
  /// ```swift
  /// let distances = Registration { registrar in
  ///   try registrar.function("km") { (miles: Double) in miles * 1.609344 }
  ///   try registrar.function("miles") { (km: Double) in km / 1.609344 }
  /// }
  /// try db.register(distances)
  /// ```
  ///
  /// If the closure throws, registering the result throws that error.
  public init(_ build: (any Registrar) throws -> Void) {
    let collector = Collector()
    do {
      try build(collector)
      steps = collector.steps
    } catch {
      steps = [
        Step(key: Key(kind: .function, name: "")) { [message = CallbackFailure(error).message] _ in
          throw DatabaseError.misuse(message)
        }
      ]
    }
  }

  private final class Collector: Registrar {
    var steps: [Step] = []
    func register(_ registration: Registration) { steps += registration.steps }
  }
}
