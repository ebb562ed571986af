/// A place to register functions, collations, virtual tables, tokenizers and listeners: a single
/// `Connection`, or a `Database` for every connection of its pool.
///
/// ```swift
/// try db.function("double") { (number: Int) in number * 2 }
/// try db.rows("SELECT double(21)")
/// ```
///
/// A registration on a database also applies to connections that are opened later. An idle
/// connection gets it when it is next used, and a connection in use when it is used again. A
/// registration on the connection of a `read` or `write` closure applies only to that connection of
/// the pool, and stays after the closure.
/// - SeeAlso: <https://www.sqlite.org/appfunc.html>
public protocol Registrar {
  /// Installs a registration.
  func register(_ registration: Registration) throws
}

extension Connection: Registrar {
  /// Registers on this connection only.
  ///
  /// Replacing or removing a function or a collation while a statement runs throws `.busy`.
  public func register(_ registration: Registration) throws {
    let core = try use()
    if registration.needsCode { try core.requireLocal("code in Swift that SQL calls") }
    for step in registration.steps { try step.install(core) }
  }
}

extension Database: Registrar {
  /// Registers on every connection of the pool, including connections that are opened later.
  public func register(_ registration: Registration) throws {
    if registration.needsCode { try requireLocal("code in Swift that SQL calls") }
    access.registrations.add(registration)
    if registration.changesResults { cache.clear() }
  }

  /// Installs the registered functions and collations on a connection outside the pool. The closure
  /// does not keep the database open.
  package var functionInstaller: @Sendable (ConnectionCore) throws -> Void {
    let registrations = access.registrations
    return { try registrations.applyFunctions(to: $0) }
  }

  /// Whether the user registered a collation with one of these names, in lower case.
  package func registersCollation(_ names: Set<String>) -> Bool {
    access.registrations.hasCollation(names)
  }
}

/// Throws misuse for names that SQLite cannot store, before any connection sees them.
func requireName(_ name: String, of kind: String) throws {
  guard !name.isEmpty, name.utf8.count <= 255, !name.utf8.contains(0) else {
    throw DatabaseError.misuse(
      "the name of a \(kind) must have 1 to 255 bytes and no U+0000; "
        + "this one has \(name.utf8.count) bytes")
  }
}
