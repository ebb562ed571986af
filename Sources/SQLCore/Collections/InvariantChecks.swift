#if DEBUG
  import Synchronization
#endif

/// The switch that turns the invariant checks on and off. Tests turn them on.
///
/// A data structure that this library makes by hand (a cache, a tree, a log of bytes) has a method
/// `checkInvariants()`, which throws `BrokenInvariant`. While the checks are on, the structure also
/// checks its affected part after each change. A release build has neither the method nor the
/// checks.
package enum InvariantChecks {
  /// Runs a closure with the checks turned on in the whole process. In a release build, there are
  /// no checks, and the closure just runs.
  package static func whileOn<Result>(_ body: () throws -> Result) rethrows -> Result {
    #if DEBUG
      callers.add(1, ordering: .relaxed)
      defer { callers.subtract(1, ordering: .relaxed) }
    #endif
    return try body()
  }

  #if DEBUG
    /// The number of calls of `whileOn(_:)` that are running. The checks are on while it is not 0.
    /// They are on in the whole process and not in one task, because the writer's hooks run on
    /// another thread.
    private static let callers = Atomic<Int>(0)
    private static let runs = Atomic<Int>(0)
    /// Whether the current task skips the checks after changes. A test sets this while it damages a
    /// structure on purpose.
    @TaskLocal package static var areSuspended = false

    /// How many checks `run(_:)` has run so far.
    package static var runCount: Int { runs.load(ordering: .relaxed) }

    /// Runs a check after a change, if the checks are on. If an invariant does not hold, the
    /// process ends, because the memory of the structure cannot be trusted any more.
    package static func run(_ check: () throws -> Void) {
      guard callers.load(ordering: .relaxed) > 0, !areSuspended else { return }
      runs.add(1, ordering: .relaxed)
      do {
        try check()
      } catch {
        preconditionFailure("\(error)")
      }
    }

    /// Throws `BrokenInvariant` if an invariant does not hold.
    package static func require(_ holds: Bool, _ invariant: @autoclosure () -> String) throws {
      guard holds else { throw BrokenInvariant(description: invariant()) }
    }
  #endif
}

#if DEBUG
  /// An invariant of a data structure that does not hold.
  package struct BrokenInvariant: Error, CustomStringConvertible {
    package let description: String
  }
#endif
