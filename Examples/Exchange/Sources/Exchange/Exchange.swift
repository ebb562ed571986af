import Apus
import ApusHistory

/// The exchange of transactions with a database in another process.
///
/// First, one process pulls: it asks the other process for the transactions that follow a position
/// in the other database's log, and applies them. Then the two processes change their roles. Each
/// database stores the position that it has reached, in the same file as the rows. So if the
/// connection ends too early, the next exchange continues from this position.
struct Exchange {
  /// A request of the side that pulls.
  enum Question: Codable {
    case identity
    case batch(after: LogPosition)
    case done
  }

  /// The answer of the other side.
  struct Answer: Codable {
    var identity: String
    var batch: LogBatch?
    /// Whether the log of the side that answers lacks the requested position, because the file was
    /// restored from a backup.
    var isUnknown = false
  }

  /// The transactions that a side applied, and their conflicts.
  struct Result {
    var transactions = 0
    var conflicts: [ResolvedConflict] = []
    /// The changes that cannot be applied yet. For example, if the other program has a newer model,
    /// they wait until this program has the same model.
    var waiting: LogWaiting?
  }

  let db: Database
  let peer: Peer

  /// Asks the other side for the transactions that this side does not have yet, and applies them.
  /// If both sides have changed the same column of a row, the later change wins.
  func pull() throws -> Result {
    var result = Result()
    let other = try ask(.identity).identity
    while true {
      let position = try db.log.appliedPosition(of: other)
      let answer = try ask(.batch(after: position))
      if answer.isUnknown {
        // From now on, all transactions are requested again. Those that were applied before are
        // skipped.
        try db.write { try $0.setAppliedLogPosition(.start, of: other) }
        continue
      }
      guard let batch = answer.batch, batch.end != position else { break }
      let applied = try db.log.apply(batch, resolving: .newer)
      result.transactions += applied.count
      result.conflicts += applied.conflicts
      result.waiting = applied.waiting
    }
    try peer.send(Question.done)
    return result
  }

  /// Answers the questions of the other side, until the other side has all transactions.
  func serve() throws {
    let identity = try db.log.identity
    while true {
      switch try peer.receive(Question.self) {
      case .identity:
        try peer.send(Answer(identity: identity))
      case .batch(let position):
        do {
          try peer.send(Answer(identity: identity, batch: db.log.batch(after: position)))
        } catch LogError.unknownPosition {
          try peer.send(Answer(identity: identity, isUnknown: true))
        }
      case .done:
        return
      }
    }
  }

  private func ask(_ question: Question) throws -> Answer {
    try peer.send(question)
    return try peer.receive(Answer.self)
  }
}
