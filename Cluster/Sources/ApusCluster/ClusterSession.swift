import ApusRemote
import NIOCore
import SQLCore

/// A session with the leader: a connection of SQLite on that node.
final class ClusterSession: RemoteSession {
  private let channel: NodeChannel
  private var database: UInt32 = 0
  private let leader: KnownLeader
  private var generation = 0

  init(
    _ channel: NodeChannel, database name: String, leader: KnownLeader, isStopped: () -> Bool
  ) throws {
    self.channel = channel
    self.leader = leader
    // A node that is not the leader would also open the database. It would only refuse the
    // statements later.
    let named = try channel.askLeader(isStopped: isStopped)
    guard named == channel.address else {
      throw RemoteSessionError(
        outcome: .notRun, message: "the node \(channel.address) does not lead")
    }
    try channel.send(.open(database: name))
    var answer = WireReader(try receive(.database, isStopped).body)
    database = UInt32(truncatingIfNeeded: try answer.readWord())
    generation = leader.note(channel.address)
  }

  /// Whether the session can be used. It cannot if its node has closed the connection, or if
  /// another leader was found since the session was opened.
  var isOpen: Bool { channel.isOpen && generation == leader.generation }

  func close() {
    channel.close()
  }

  func rows(
    of statement: RemoteText, isStopped: () -> Bool
  ) throws -> any RemoteRows {
    try statement.checkForCluster()
    let sql = try statement.sqlForCluster()
    try channel.send(.querySQL(database: database, sql: sql, values: statement.values))
    let first = try receive(.rows, isStopped)
    return try decoding { try ClusterRows(first: first, self) }
  }

  func run(_ statement: RemoteText, isStopped: () -> Bool) throws -> RemoteOutcome {
    try statement.checkForCluster()
    try channel.send(
      .executeSQL(database: database, sql: statement.sql, values: statement.values))
    var answer = WireReader(try receive(.result, isStopped).body)
    return try decoding {
      let id = Int64(bitPattern: try answer.readWord())
      return RemoteOutcome(
        lastInsertRowID: id, changeCount: Int(truncatingIfNeeded: try answer.readWord()))
    }
  }

  /// Decodes an answer. If the answer violates the protocol, closes the session.
  private func decoding<Result>(_ decode: () throws -> Result) throws -> Result {
    do {
      return try decode()
    } catch {
      channel.close()
      throw RemoteSessionError(outcome: .unknown, message: "\(error)")
    }
  }

  /// Waits for an answer. Throws the error of SQLite if the statement failed.
  func receive(_ kind: Response.Kind, _ isStopped: () -> Bool) throws -> Response {
    let response: Response
    do {
      response = try channel.receive(isStopped: isStopped)
    } catch {
      leader.forget(channel.address)
      throw error
    }
    if response.kind == kind { return response }
    guard response.kind == .failure else {
      channel.close()
      throw RemoteSessionError(
        outcome: .unknown, message: "\(ProtocolError.unexpected(response.type))")
    }
    let answer = try decoding { try FailureAnswer(response.body) }
    throw failure(answer.code, answer.message)
  }

  /// Returns the error for an answer that has a code and a message. Closes the session if the node
  /// is no longer the leader.
  private func failure(_ code: Int32, _ message: String) -> any Error {
    switch code {
    case Self.notFound where message == "no database opened":
      // A node that lost the leadership closes the databases of its sessions.
      channel.close()
      leader.forget(channel.address)
      return RemoteSessionError(
        outcome: .notRun, message: "the node \(channel.address) has closed the database")
    case Self.notLeader,
      Self.handsOver where Self.saysSuccess(message):
      channel.close()
      leader.forget(channel.address)
      return RemoteSessionError(
        outcome: .notRun, message: "the node \(channel.address) is no longer the leader")
    case Self.leadershipLost:
      channel.close()
      leader.forget(channel.address)
      return RemoteSessionError(
        outcome: .unknown,
        message: "the node \(channel.address) lost the leadership while it ran the statement")
    default:
      return DatabaseError(code: ResultCode(rawValue: code), message: message)
    }
  }

  /// `SQLITE_NOTFOUND`.
  private static let notFound: Int32 = 12
  /// The code `SQLITE_IOERR_NOT_LEADER` of dqlite. The statement was not run.
  private static let notLeader: Int32 = 10_250
  /// The code `RAFT_NOTLEADER`. A leader that hands its leadership over to another node refuses a
  /// COMMIT, without running it. `SQLITE_NOMEM` has the same number. They are distinguished by the
  /// message: for `RAFT_NOTLEADER`, dqlite 1.11 sends SQLite's message about the previous
  /// statement.
  private static let handsOver: Int32 = 7

  private static func saysSuccess(_ message: String) -> Bool {
    ["not an error", "no more rows available", "another row available"].contains(message)
  }

  /// The code `SQLITE_IOERR_LEADERSHIP_LOST` of dqlite. The statement may have been committed.
  private static let leadershipLost: Int32 = 10_506
}
