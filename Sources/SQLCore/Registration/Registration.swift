/// One or several extensions that connections can install: functions, collations, virtual tables,
/// tokenizers and listeners.
/// - SeeAlso: <https://www.sqlite.org/appfunc.html>
public struct Registration: Sendable {
  /// The identity of a registration. A later registration with the same key replaces an earlier
  /// one.
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

  /// Whether the registration contains Swift code that SQLite calls. False if it only changes
  /// settings.
  var needsCode: Bool { steps.contains { $0.key.kind != .setting } }

  /// Whether the registration may change the results of statements. It is false if the registration
  /// contains only listeners.
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
  /// If the closure throws, installing the registration on a connection throws `DatabaseError`
  /// (`.misuse`) with the message of that error.
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

/// An object on which functions, collations, virtual tables, tokenizers and listeners can be
/// registered: a `Connection`, or a `Database`, which registers them on every connection of its
/// pool.
///
/// ```swift
/// try db.function("double") { (number: Int) in number * 2 }
/// try db.rows("SELECT double(21)")
/// ```
///
/// A registration on a database also applies to connections that are opened later. A connection
/// that is already open, idle or in use, gets the registration at its next use. If you register on
/// the connection that a `read` or `write` closure receives, only that connection of the pool gets
/// the registration, and keeps it after the closure.
/// - SeeAlso: <https://www.sqlite.org/appfunc.html>
public protocol Registrar {
  /// Installs a registration.
  func register(_ registration: Registration) throws
}

extension Connection: Registrar {
  /// Installs a registration on this connection only.
  ///
  /// Throws `DatabaseError` (`.busy`) if the registration replaces or removes a function or a
  /// collation while a statement runs.
  public func register(_ registration: Registration) throws {
    let core = try use()
    if registration.needsCode { try core.requireLocal("code in Swift that SQL calls") }
    for step in registration.steps { try step.install(core) }
  }
}

extension Database: Registrar {
  /// Installs a registration on every connection of the pool, including connections that are opened
  /// later.
  public func register(_ registration: Registration) throws {
    if registration.needsCode { try requireLocal("code in Swift that SQL calls") }
    access.registrations.add(registration)
    if registration.changesResults { cache.clear() }
  }

  /// A closure that installs the registered functions and collations on a connection outside the
  /// pool. The closure does not keep the database open.
  package var functionInstaller: @Sendable (ConnectionCore) throws -> Void {
    let registrations = access.registrations
    return { try registrations.applyFunctions(to: $0) }
  }

  /// The number of registrations so far, whether of functions, collations or anything else.
  package var registrationCount: UInt64 { access.registrations.count }

  /// Returns whether the user registered a collation with one of the given names. The names must be
  /// in lower case.
  package func registersCollation(_ names: Set<String>) -> Bool {
    access.registrations.hasCollation(names)
  }
}

/// Throws `DatabaseError` (`.misuse`) if a name cannot be used in SQLite. This check happens before
/// any connection uses the name.
func requireName(_ name: String, of kind: String) throws {
  guard !name.isEmpty, name.utf8.count <= 255, !name.utf8.contains(0) else {
    throw DatabaseError.misuse(
      "the name of a \(kind) must have 1 to 255 bytes and no U+0000; "
        + "this one has \(name.utf8.count) bytes")
  }
}

extension Registration {
  /// A registration that switches `recursive_triggers` on for the connections that may write.
  ///
  /// Without this setting, SQLite fires no delete triggers for the rows that REPLACE removes. A
  /// full-text index that triggers maintain would still have these rows, and the change log would
  /// lack their deletion.
  /// - SeeAlso: <https://www.sqlite.org/pragma.html#pragma_recursive_triggers>
  package static let recursiveTriggers = Registration(
    Key(kind: .setting, name: "recursive_triggers")
  ) { core in
    if !core.isReader { try core.run(pragma: "PRAGMA recursive_triggers = ON") }
  }

  /// Returns a registration that creates a temporary view with its triggers, in place of a view
  /// with the same name.
  ///
  /// - Parameter statements: the statements that create the view and its triggers.
  package static func temporaryView(_ name: Identifier, _ statements: [String]) -> Registration {
    Registration(Key(kind: .setting, name: "view \(name.quoted)")) { core in
      try core.runWriting(["DROP VIEW IF EXISTS temp.\(name.quoted)"] + statements)
    }
  }
}

extension ConnectionCore {
  /// Runs statements that change only the temporary schema, even on a read-only connection.
  ///
  /// While the statements run, the setting `query_only` is off. If it were on, it would forbid even
  /// changes to the temporary schema, although this schema is not in the database file.
  fileprivate func runWriting(_ statements: [String]) throws {
    let wasReader = state.pointee.authorizer.restrict(toReading: false)
    defer { state.pointee.authorizer.restrict(toReading: wasReader) }
    if wasReader { try run(pragma: "PRAGMA query_only = OFF") }
    let result = Result { for statement in statements { try run(pragma: statement) } }
    if wasReader { try run(pragma: "PRAGMA query_only = ON") }
    try result.get()
  }
}
