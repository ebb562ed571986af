import Synchronization

/// What was registered on a database: each connection of its pool is given what it lacks when it is
/// lent.
final class ConnectionRegistrations: Sendable {
  private struct Entry: Sendable {
    let sequence: UInt64
    let install: @Sendable (ConnectionCore) throws -> Void
  }

  private let entries = Lock<[Registration.Key: Entry]>([:])
  /// The sequence of the last entry; a connection that has it lacks nothing.
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

  /// Forgets an entry: connections that lack it never get it.
  func remove(_ key: Registration.Key) {
    // What the entry holds is released outside the lock.
    _ = entries.withLock { $0.removeValue(forKey: key) }
  }

  /// Whether a collation of one of these names, folded, was registered.
  func hasCollation(_ names: Set<String>) -> Bool {
    entries.withLock { entries in
      entries.keys.contains { $0.kind == .collation && names.contains($0.name.lowercasedASCII) }
    }
  }

  /// Gives a connection what it lacks; while nothing was registered, that is one comparison.
  @inline(__always)
  func apply(to core: ConnectionCore) throws {
    let latest = latest.load(ordering: .acquiring)
    if core.state.pointee.registrationSequence != latest { try applyMissing(to: core) }
  }

  /// Gives a connection outside the pool the functions and collations that it lacks.
  func applyFunctions(to core: ConnectionCore) throws {
    guard core.state.pointee.registrationSequence != latest.load(ordering: .acquiring) else {
      return
    }
    try install(on: core) { $0.kind == .function || $0.kind == .collation }
  }

  /// Gives a connection that no pool has functions, collations and modules, and no listeners.
  func applyDefinitions(to core: ConnectionCore) throws {
    let definitions = entries.withLock { entries in
      entries.filter { $0.key.kind != .listener }.values.sorted { $0.sequence < $1.sequence }
    }
    for entry in definitions { try entry.install(core) }
  }

  private func applyMissing(to core: ConnectionCore) throws {
    try install(on: core) { _ in true }
    core.state.pointee.registrations = self
  }

  private func install(
    on core: ConnectionCore, where isWanted: (Registration.Key) -> Bool
  ) throws {
    let known = core.state.pointee.registrationSequence
    let (missing, last) = entries.withLock { entries in
      (
        entries.filter { $0.value.sequence > known && isWanted($0.key) }.map(\.value)
          .sorted { $0.sequence < $1.sequence },
        self.latest.load(ordering: .relaxed)
      )
    }
    for entry in missing {
      try entry.install(core)
      core.state.pointee.registrationSequence = entry.sequence
    }
    core.state.pointee.registrationSequence = last
  }
}
