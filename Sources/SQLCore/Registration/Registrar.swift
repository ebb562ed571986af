/// Where functions, collations, virtual tables, tokenizers and listeners are registered: one
/// `Connection`, or a `Database` for every connection of its pool.
///
/// ```swift
/// try db.function("double") { (number: Int) in number * 2 }
/// try db.rows("SELECT double(21)")
/// ```
///
/// On a database, connections that are opened later have them, too; one that is idle gets them when
/// it is next used, and one in use when it is used again. On the connection of a `read` or `write`
/// closure they stay with that connection of the pool alone.
/// - SeeAlso: <https://www.sqlite.org/appfunc.html>
public protocol Registrar {
  /// Registers what `registration` describes.
  func register(_ registration: Registration) throws
}

/// Something that connections are given: a function, a collation, a virtual table, a tokenizer, or
/// several of them.
/// - SeeAlso: <https://www.sqlite.org/appfunc.html>
public struct Registration: Sendable {
  /// What a registration replaces when it comes again.
  struct Key: Hashable, Sendable {
    enum Kind: Hashable, Sendable { case function, collation, module, tokenizer, listener }

    let kind: Kind
    let name: String
    var argumentCount: Int32 = -1
  }

  struct Step: Sendable {
    let key: Key
    let install: @Sendable (ConnectionCore) throws -> Void
  }

  let steps: [Step]

  init(_ key: Key, install: @escaping @Sendable (ConnectionCore) throws -> Void) {
    steps = [Step(key: key, install: install)]
  }

  /// Several registrations as one.
  public init(_ registrations: [Registration]) {
    steps = registrations.flatMap(\.steps)
  }

  /// Everything that a closure registers, as one registration.
  ///
  /// ```swift
  /// let distances = Registration { registrar in
  ///   try registrar.function("km") { (miles: Double) in miles * 1.609344 }
  ///   try registrar.function("miles") { (km: Double) in km / 1.609344 }
  /// }
  /// try db.register(distances)
  /// ```
  ///
  /// What the closure throws is thrown when it is registered.
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

extension Connection: Registrar {
  /// Registers on this connection alone.
  ///
  /// Replacing or removing a function or a collation while a statement runs throws `.busy`.
  public func register(_ registration: Registration) throws {
    let core = try use()
    for step in registration.steps { try step.install(core) }
  }
}

extension Database: Registrar {
  /// Registers on every connection of the pool, those opened later too.
  public func register(_ registration: Registration) throws {
    access.registrations.add(registration)
  }

  /// Gives a connection outside the pool the functions and collations that were registered. The
  /// closure does not keep the database open.
  package var functionInstaller: @Sendable (ConnectionCore) throws -> Void {
    let registrations = access.registrations
    return { try registrations.applyFunctions(to: $0) }
  }

  /// Whether a collation of one of these names, folded, is one of the user's.
  package func registersCollation(_ names: Set<String>) -> Bool {
    access.registrations.hasCollation(names)
  }
}

/// Refuses names that SQLite could not hold, before any connection sees them.
func requireName(_ name: String, of kind: String) throws {
  guard !name.isEmpty, name.utf8.count <= 255, !name.utf8.contains(0) else {
    throw DatabaseError.misuse(
      "the name of a \(kind) has 1 to 255 bytes and no U+0000; this one has \(name.utf8.count)")
  }
}
