import Apus
import ApusHistory

/// The exchange of transactions with a database in another process.
///
/// One side pulls: it asks for the transactions after the position that it has reached in the other
/// side's log, and applies them. Then the other side pulls. Each side keeps its position in its
/// database, with the rows. So the connection may end at any time; the next exchange continues from
/// the position.
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
    /// Whether the log of the other side lacks the requested position, because its file was
    /// restored from a backup.
    var isUnknown = false
  }

  /// The transactions that a side applied, and their conflicts.
  struct Result {
    var transactions = 0
    var conflicts: [ResolvedConflict] = []
    /// The changes that wait, for example until this program is updated to the models of the other
    /// program.
    var waiting: LogWaiting?
  }

  let db: Database
  let peer: Peer

  /// Applies the transactions of the other side that this side lacks. Of two changes of the same
  /// column, the later one wins.
  func pull() throws -> Result {
    var result = Result()
    let other = try ask(.identity).identity
    while true {
      let position = try db.log.appliedPosition(of: other)
      let answer = try ask(.batch(after: position))
      if answer.isUnknown {
        // Everything is asked for again; transactions that were applied before are skipped.
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

  /// Answers the other side until it has everything.
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
