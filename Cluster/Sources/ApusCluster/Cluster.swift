import Foundation
import NIOSSL
import SQLCore

/// A dqlite cluster: SQLite, replicated by Raft on several nodes.
///
/// ```swift
/// let cluster = Cluster(
///   nodes: ["10.0.0.1:9001", "10.0.0.2:9001", "10.0.0.3:9001"], database: "blog")
/// let db = try Database(engine: cluster, models: [Author.self, Post.self])
/// ```
///
/// `db` is a `Database` like one of a file: the same models, queries, commands, transactions and
/// migrations run there. One node leads; all statements go to it. If it is lost, the others elect
/// another one, and new sessions find it.
/// - SeeAlso: <https://dqlite.io/docs>
public struct Cluster: RemoteEngine {
  /// The addresses of the nodes, or of some of them, as `host:port`.
  public var nodes: [String]
  /// The name of the database in the cluster. It is created if it does not exist.
  public var database: String
  /// How long opening a session waits for a leader.
  public var timeout = Duration.seconds(10)
  /// The TLS configuration of the connections; nil for connections without TLS.
  public var tls: TLSConfiguration?
  /// The name that the certificates of the nodes must have, if it is not their host.
  public var serverName: String?

  private let leader = LastLeader()

  /// Creates a description of a cluster. Nothing is connected yet.
  public init(nodes: [String], database: String) {
    self.nodes = nodes
    self.database = database
  }

  /// The name of the engine in errors.
  public var name: String { "a dqlite cluster" }
  /// The maximum number of parameters of a statement, by the wire protocol.
  public var maximumParameterCount: Int { 255 }

  /// Opens a session with the leader. Asks the nodes for it, again and again until `timeout`.
  public func connect(
    isReader: Bool, isStopped: () -> Bool
  ) throws -> any RemoteSession {
    let context = try tls.map { try NIOSSLContext(configuration: $0) }
    let start = ContinuousClock.now
    var pause = 0.1
    while true {
      do {
        return try connectOnce(context, isStopped)
      } catch let error as RemoteSessionError where error.outcome == .notRun {
        leader.forget()
        guard ContinuousClock.now - start < timeout, !isStopped() else { throw error }
        Thread.sleep(forTimeInterval: pause)
        pause = min(pause * 2, 1)
      }
    }
  }

  private func connectOnce(
    _ context: NIOSSLContext?, _ isStopped: () -> Bool
  ) throws -> any RemoteSession {
    let address = try leader.known ?? findLeader(context, isStopped)
    let channel = try connect(to: address, context)
    do {
      let session = try ClusterSession(channel, database: database, isStopped: isStopped)
      leader.note(address)
      return session
    } catch {
      channel.close()
      throw RemoteSessionError(outcome: .notRun, message: "\(error)")
    }
  }

  private func connect(to address: String, _ context: NIOSSLContext?) throws -> NodeChannel {
    try NodeChannel.connect(
      to: address, tls: context, serverName: serverName, timeout: .seconds(2))
  }

  /// Asks all nodes at once for the leader, and returns the first answer.
  private func findLeader(
    _ context: NIOSSLContext?, _ isStopped: () -> Bool
  ) throws -> String {
    for node in nodes { _ = try NodeAddress.parse(node) }
    let answers = LeaderAnswers(count: nodes.count)
    for node in nodes {
      Thread.detachNewThread {
        answers.add(
          Result {
            let channel = try connect(to: node, context)
            defer { channel.close() }
            try channel.send(.leader)
            let response = try channel.receive { answers.isDone }
            guard response.kind == .server else { throw ProtocolError.unexpected(response.type) }
            var answer = WireReader(response.body)
            _ = try answer.readWord()
            return try answer.readText()
          })
      }
    }
    return try answers.wait(for: timeout, isStopped: isStopped)
  }
}

/// The address of the last leader, which is tried first.
private final class LastLeader: @unchecked Sendable {
  private let lock = NSLock()
  private var address: String?

  var known: String? { lock.withLock { address } }
  func note(_ address: String) { lock.withLock { self.address = address } }
  func forget() { lock.withLock { address = nil } }
}

/// The answers of the nodes to the question which of them leads.
private final class LeaderAnswers: @unchecked Sendable {
  private let condition = NSCondition()
  private var missing: Int
  private var leader: String?
  private var failures: [String] = []
  private var hasEnded = false

  init(count: Int) {
    missing = count
  }

  var isDone: Bool { condition.withLock { hasEnded } }

  func add(_ answer: Result<String, any Error>) {
    condition.withLock {
      missing -= 1
      switch answer {
      case .success(let address) where !address.isEmpty: leader = leader ?? address
      case .success: break
      case .failure(let error): failures.append("\(error)")
      }
      condition.signal()
    }
  }

  func wait(for timeout: Duration, isStopped: () -> Bool) throws -> String {
    condition.lock()
    defer {
      hasEnded = true
      condition.unlock()
    }
    let end = Date(timeIntervalSinceNow: Double(timeout.nanoseconds) / 1e9)
    while leader == nil, missing > 0, Date() < end, !isStopped() {
      _ = condition.wait(until: Date(timeIntervalSinceNow: 0.02))
    }
    if let leader { return leader }
    throw RemoteSessionError(
      outcome: .notRun,
      message: failures.isEmpty
        ? "the cluster has no leader at the moment"
        : "no node of the cluster knows the leader: \(failures.joined(separator: "; "))")
  }
}
