import Foundation
import NIOSSL
import SQLCore

/// A search for the leader. It asks all nodes at the same time, and returns the leader that most of
/// them name.
///
/// The answer of one node is not enough, because it may be wrong. For example, a leader that was
/// cut off from the other nodes still names itself for a while. So more than half of the nodes must
/// name the same leader. A node that does not answer also counts in the total. A node that answers
/// that it knows no leader does not count, because it may be a spare.
struct LeaderFinder: Sendable {
  private let nodes: [String]
  private let serverName: String?
  private let context: NIOSSLContext?

  /// The time within which the nodes have to answer.
  private static let answerTime = Duration.milliseconds(1_500)

  init(_ cluster: Cluster) throws {
    nodes = cluster.nodes
    serverName = cluster.serverName
    context = try cluster.tls.map { try NIOSSLContext(configuration: $0) }
    for node in nodes { _ = try NodeAddress.parse(node) }
  }

  func connect(to address: String) throws -> NodeChannel {
    try NodeChannel.connect(
      to: address, tls: context, serverName: serverName, timeout: Self.answerTime)
  }

  /// Returns the leader that most nodes name. Throws if they name none.
  func find(isStopped: () -> Bool) throws -> String {
    let answers = ask(nodes)
    if let leader = answers.wait(for: Self.answerTime, isStopped: isStopped) { return leader }
    let failures = answers.failures
    throw RemoteSessionError(
      outcome: .notRun,
      message: failures.isEmpty
        ? "the cluster has no leader at the moment"
        : "most nodes of the cluster name no leader: \(failures.joined(separator: "; "))")
  }

  /// Returns whether the other nodes name another leader.
  func isDeposed(_ address: String) -> Bool {
    let others = nodes.filter { $0 != address }
    guard let leader = ask(others).wait(for: Self.answerTime, isStopped: { false }) else {
      return false
    }
    return leader != address
  }

  private func ask(_ asked: [String]) -> LeaderAnswers {
    let answers = LeaderAnswers(count: asked.count, of: nodes.count)
    for node in asked {
      Thread.detachNewThread { answers.add(Result { try leader(by: node, answers) }) }
    }
    return answers
  }

  /// Returns the leader that a node names; empty if it knows none.
  private func leader(by node: String, _ answers: LeaderAnswers) throws -> String {
    let channel = try connect(to: node)
    defer { channel.close() }
    return try channel.askLeader { answers.isDone }
  }
}

/// The answers of nodes to the question which of them leads.
///
/// `@unchecked Sendable`: the condition guards everything.
private final class LeaderAnswers: @unchecked Sendable {
  private let condition = NSCondition()
  /// The number of nodes that may vote: all nodes except those that have answered that they know no
  /// leader.
  private var voterCount: Int
  private var missing: Int
  private var votes: [String: Int] = [:]
  private var errors: [String] = []
  private var hasEnded = false

  init(count: Int, of nodeCount: Int) {
    missing = count
    voterCount = nodeCount
  }

  var isDone: Bool { condition.withLock { hasEnded } }

  var failures: [String] { condition.withLock { errors } }

  func add(_ answer: Result<String, any Error>) {
    condition.withLock {
      missing -= 1
      switch answer {
      case .success(let address) where !address.isEmpty: votes[address, default: 0] += 1
      case .success: voterCount -= 1
      case .failure(let error): errors.append("\(error)")
      }
      condition.signal()
    }
  }

  /// Waits until most nodes name one leader, and returns it; nil if they do not in time.
  func wait(for timeout: Duration, isStopped: () -> Bool) -> String? {
    condition.lock()
    defer {
      hasEnded = true
      condition.unlock()
    }
    let end = Date(timeIntervalSinceNow: Double(timeout.nanoseconds) / 1e9)
    while true {
      if let leader { return leader }
      guard missing > 0, Date() < end, !isStopped() else { return nil }
      _ = condition.wait(until: Date(timeIntervalSinceNow: 0.02))
    }
  }

  /// The leader that most of the nodes that may vote have named.
  private var leader: String? { votes.first { $0.value * 2 > voterCount }?.key }
}
