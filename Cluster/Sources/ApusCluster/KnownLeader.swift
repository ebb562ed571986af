import Foundation

/// The leader of a cluster, as its sessions know it, and the number of times that the leader has
/// changed.
///
/// A leader that was deposed may not know this, and would answer reads from its old state. So as
/// soon as a session with a new leader is opened, the sessions with the former leader are no longer
/// used. A client therefore never reads a state that is older than its own writes.
///
/// `@unchecked Sendable`: the lock guards all stored properties.
final class KnownLeader: @unchecked Sendable {
  private let lock = NSLock()
  private var last: String?
  private var isKnown = false
  private var number = 0

  /// The address of the leader. Nil if no leader was found yet, or if the connection to the last
  /// leader was lost.
  var address: String? { lock.withLock { isKnown ? last : nil } }

  /// How often the leader changed.
  var generation: Int { lock.withLock { number } }

  /// Records that a session with the leader at this address was opened. Returns the generation of
  /// this leader.
  func note(_ address: String) -> Int {
    lock.withLock {
      if last != address { number += 1 }
      last = address
      isKnown = true
      return number
    }
  }

  /// Records that a node cannot be reached, or is not the leader. If it was the known leader, the
  /// next session first asks the nodes for the leader.
  func forget(_ address: String) {
    lock.withLock { if last == address { isKnown = false } }
  }
}
