import Foundation

/// The leader that the sessions of a cluster know, and how often it changed.
///
/// A deposed leader may not know that it was deposed, and would answer reads from its old state. So
/// the sessions with a leader are no longer used once a session with another leader was opened: a
/// client never reads a state older than its own writes.
///
/// `@unchecked Sendable`: the lock guards everything.
final class KnownLeader: @unchecked Sendable {
  private let lock = NSLock()
  private var last: String?
  private var isKnown = false
  private var number = 0

  /// The address of the leader; nil before the first one is found, and after it was lost.
  var address: String? { lock.withLock { isKnown ? last : nil } }

  /// How often the leader changed.
  var generation: Int { lock.withLock { number } }

  /// Notes that a session was opened, and returns the generation of its leader.
  func note(_ address: String) -> Int {
    lock.withLock {
      if last != address { number += 1 }
      last = address
      isKnown = true
      return number
    }
  }

  /// Notes that a node was lost, or does not lead. If it was the known leader, the next session
  /// asks the nodes for the leader.
  func forget(_ address: String) {
    lock.withLock { if last == address { isKnown = false } }
  }
}
