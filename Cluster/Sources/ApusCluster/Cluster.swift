import ApusRemote
import Foundation
import NIOSSL
import SQLCore

/// A dqlite cluster: an SQLite database that several nodes replicate by the Raft protocol.
///
/// ```swift
/// let cluster = Cluster(
///   nodes: ["10.0.0.1:9001", "10.0.0.2:9001", "10.0.0.3:9001"], database: "blog")
/// let db = try Database(engine: cluster, models: [Author.self, Post.self])
/// ```
///
/// `db` works like the `Database` of a file, with the same models, queries, commands, transactions
/// and migrations. One node is the leader, and all statements are sent to it. If the leader is
/// lost, the other nodes elect a new leader, with which new sessions are then opened.
/// - SeeAlso: <https://dqlite.io/docs>
public struct Cluster: RemoteEngine {
  /// The addresses of all voting nodes, as `host:port`. The list may also contain spare nodes,
  /// which do not vote. Each node is asked for the leader, and a session is opened with the leader
  /// that most of the nodes name. A node does not count if it answers that it knows no leader, as a
  /// spare does.
  public var nodes: [String]
  /// The name of the database in the cluster. It is created if it does not exist.
  public var database: String
  /// The time for which the opening of a session waits until the cluster has a leader.
  public var timeout = Duration.seconds(10)
  /// The TLS configuration of the connections; nil for connections without TLS.
  public var tls: TLSConfiguration?
  /// The name that the certificates of the nodes must have. If nil, the certificate of each node
  /// must have the host that the node's address contains: a host name or an IP address.
  public var serverName: String?

  private let leader = KnownLeader()

  /// Creates a description of a cluster, without connecting to any node.
  public init(nodes: [String], database: String) {
    self.nodes = nodes
    self.database = database
  }

  /// The name of the engine in errors.
  public var name: String { "a dqlite cluster" }
  /// The maximum number of parameters that the wire protocol allows in a statement.
  public var maximumParameterCount: Int { 255 }

  /// Opens a session with the leader. If the leader is not known, asks the nodes for it. If no
  /// session can be opened, tries again until `timeout` has passed.
  public func connect(
    isReader: Bool, isStopped: () -> Bool
  ) throws -> any RemoteSession {
    let finder = try LeaderFinder(self)
    let start = ContinuousClock.now
    var pause = 0.05
    while true {
      do {
        return try connectOnce(finder, isStopped)
      } catch let error as RemoteSessionError where error.outcome == .notRun {
        guard ContinuousClock.now - start < timeout, !isStopped() else { throw error }
        Thread.sleep(forTimeInterval: pause)
        pause = min(pause * 2, 0.5)
      }
    }
  }

  /// Asks the nodes once which of them leads, and returns its address.
  ///
  /// Throws `RemoteSessionError` if most nodes do not name the same leader, for example during an
  /// election, or when most nodes cannot be reached. Throws `DatabaseError` if an address is not
  /// valid.
  public func leaderAddress() throws -> String {
    try LeaderFinder(self).find { false }
  }

  private func connectOnce(
    _ finder: LeaderFinder, _ isStopped: () -> Bool
  ) throws -> any RemoteSession {
    let address = try leader.address ?? finder.find(isStopped: isStopped)
    let channel: NodeChannel
    do {
      channel = try finder.connect(to: address)
    } catch {
      leader.forget(address)
      throw error
    }
    // While a session waits for an answer of its node, it calls this closure from time to time, to
    // find out whether its node is still the leader.
    channel.isAbandoned = { finder.isDeposed(address) }
    let end = ContinuousClock.now + Self.openingTime
    do {
      let session = try ClusterSession(
        channel, database: database, leader: leader,
        isStopped: { isStopped() || ContinuousClock.now > end })
      return session
    } catch {
      channel.close()
      leader.forget(address)
      throw RemoteSessionError(outcome: .notRun, message: "\(error)")
    }
  }

  /// The time that a node has to open the database. Without a limit, the wait could last forever,
  /// because a paused node accepts connections, but never answers.
  private static let openingTime = Duration.seconds(3)
}
