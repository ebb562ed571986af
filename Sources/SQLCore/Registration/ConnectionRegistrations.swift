import Synchronization

/// The registrations of a database. Before each use, a connection of the pool installs the
/// registrations that it lacks.
final class ConnectionRegistrations: Sendable {
  private struct Entry: Sendable {
    let sequence: UInt64
    let install: @Sendable (ConnectionCore) throws -> Void
  }

  private let entries = Lock<[Registration.Key: Entry]>([:])
  /// The number of the newest registration. A connection that has installed this registration has
  /// installed all of them.
  private let latest = Atomic<UInt64>(0)

  func add(_ registration: Registration) {
    entries.withLock { entries in
      for step in registration.steps {
        let sequence = latest.load(ordering: .relaxed) &+ 1
        entries[step.key] = Entry(sequence: sequence, install: step.install)
        latest.store(sequence, ordering: .releasing)
      }
    }
  }

  /// Removes a registration from the list. A connection that has not installed it yet will not
  /// install it any more.
  func remove(_ key: Registration.Key) {
    // The entry's closure is released outside the lock.
    _ = entries.withLock { $0.removeValue(forKey: key) }
  }

  /// Returns whether a collation with one of the given names was registered. The names must be in
  /// lower case.
  func hasCollation(_ names: Set<String>) -> Bool {
    entries.withLock { entries in
      entries.keys.contains { $0.kind == .collation && names.contains($0.name.lowercasedASCII) }
    }
  }

  /// The number of registrations so far.
  var count: UInt64 { latest.load(ordering: .acquiring) }

  /// Returns whether a connection has installed every registration.
  @inline(__always)
  func areAll(on core: ConnectionCore) -> Bool {
    core.state.pointee.registrations.sequence == latest.load(ordering: .acquiring)
  }

  /// Installs the missing registrations on a connection. If nothing is missing, this costs one
  /// comparison.
  @inline(__always)
  func apply(to core: ConnectionCore) throws {
    let latest = latest.load(ordering: .acquiring)
    if core.state.pointee.registrations.sequence != latest { try applyMissing(to: core) }
  }

  /// Installs functions and collations on a connection outside the pool, if it lacks them.
  func applyFunctions(to core: ConnectionCore) throws {
    guard core.state.pointee.registrations.sequence != latest.load(ordering: .acquiring) else {
      return
    }
    try install(on: core) { $0.kind == .function || $0.kind == .collation }
  }

  /// Installs all registrations except listeners on a connection that belongs to no pool.
  func applyDefinitions(to core: ConnectionCore) throws {
    let definitions = entries.withLock { entries in
      entries.filter { $0.key.kind != .listener }.values.sorted { $0.sequence < $1.sequence }
    }
    for entry in definitions { try entry.install(core) }
  }

  private func applyMissing(to core: ConnectionCore) throws {
    try install(on: core) { _ in true }
    core.state.pointee.registrations.follow(self)
  }

  private func install(
    on core: ConnectionCore, where isWanted: (Registration.Key) -> Bool
  ) throws {
    let known = core.state.pointee.registrations.sequence
    let (missing, last) = entries.withLock { entries in
      (
        entries.filter { $0.value.sequence > known && isWanted($0.key) }.map(\.value)
          .sorted { $0.sequence < $1.sequence },
        self.latest.load(ordering: .relaxed)
      )
    }
    for entry in missing {
      try entry.install(core)
      core.state.pointee.registrations.didInstall(upTo: entry.sequence)
    }
    core.state.pointee.registrations.didInstall(upTo: last)
  }
}

/// The part of a connection's state that says which registrations of its database the connection
/// has installed.
struct RegistrationState {
  /// The number of the newest registration that this connection has installed.
  private(set) var sequence: UInt64 = 0
  /// The list of the database's registrations. Nil until the connection has installed registrations
  /// from the list.
  private(set) var source: ConnectionRegistrations?

  /// Records that the connection has all registrations up to a number.
  mutating func didInstall(upTo sequence: UInt64) {
    self.sequence = sequence
  }

  /// Sets the list of the registrations that the connection must install.
  mutating func follow(_ source: ConnectionRegistrations) {
    self.source = source
  }
}
