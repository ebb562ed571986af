import Apus
import ClusterNodes
import Foundation

// A cluster in production, under the load of the writers: restarts, replacements, copies, repairs. The guide
// Documentation/Guides/Clusters.md describes each part.
extension Trial {
  func maintain() async throws -> [String] {
    print("| Part | Writes acknowledged | p50 ms | p99 ms | longest time without one, ms |")
    print("|---|--:|--:|--:|--:|")
    try await underLoad {
      for _ in 1...options.rounds {
        try await part("nothing else", pause: .seconds(5)) {
          try await Task.sleep(for: .seconds(5))
        }
        try await part("nodes are restarted in turn, the leader last", pause: .seconds(15)) {
          for node in leaderLast() {
            try nodes.restart(node)
            try await waitForProgress("after the restart of node \(node)")
          }
        }
        try await part("nodes are replaced in turn, the leader last", pause: .seconds(15)) {
          for node in leaderLast() {
            try nodes.replace(node)
            try await waitForProgress("after the replacement of node \(node)")
          }
        }
        try await part("the database is copied from each node", pause: .seconds(15)) {
          for node in 0..<nodes.count { try await checkCopy(from: node) }
        }
        try await part("a query without an end stops the leader", pause: .seconds(30)) {
          try await runEndlessQuery()
        }
        try await part("most nodes are lost, and the cluster is repaired", pause: .seconds(60)) {
          try await loseMajority()
        }
        guard try await check("the end of the round", history.settled, in: clients[0].db) else {
          break
        }
      }
    }
    return history.violations
  }

  /// Runs a part, prints its pace, and checks that writes never stopped for long.
  private func part(
    _ name: String, pause: Duration, _ body: () async throws -> Void
  ) async throws {
    _ = history.takePace()
    try await body()
    let pace = history.takePace()
    print(
      "| \(name) | \(pace.count) | \(pace.median.milliseconds) | \(pace.p99.milliseconds) "
        + "| \(pace.longestPause.milliseconds) |")
    fflush(nil)
    if pace.count == 0 || pace.longestPause > pause {
      history.violate("\(name): no write for \(pace.longestPause.milliseconds) ms")
    }
  }

  private func leaderLast() -> [Int] {
    let leader = nodes.leader() ?? 0
    return (0..<nodes.count).filter { $0 != leader } + [leader]
  }

  /// Copies the database from a node, and checks the copy. A copy from the leader has every write that
  /// was acknowledged before; a copy from a follower may lack the last ones.
  private func checkCopy(from node: Int) async throws {
    let expected = nodes.leader() == node ? history.settled : History.Settled()
    let folder = nodes.folder.appending(path: "copy")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = try nodes.copy(of: "faults", from: node, into: folder)
    let copy = try Database(path: file.path())
    _ = try await check("the copy of node \(node)", expected, in: copy)
    try await copy.close()
    try await waitForProgress("after the copy of node \(node)")
  }

  /// One node is lost, which must be killed, and no other one.
  private func runEndlessQuery() async throws {
    let leader = nodes.leader() ?? 0
    do {
      _ = try await clients[3].db.fetch(
        Int.self,
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n")
      history.violate("the query without an end has ended")
    } catch let error as RemoteSessionError where !error.allowsRetry {
    } catch {
      history.violate("the query without an end: \(error)")
    }
    try await waitForProgress("while a node is busy")
    for node in 0..<nodes.count where node != leader {
      try nodes.waitUntilItFollows(node)
    }
    nodes.kill(leader)
    try nodes.start(leader)
    try nodes.waitUntilItFollows(leader)
    try await waitForProgress("after the query without an end")
  }

  /// Two of three nodes are lost with their disks, one after the other. A spare that was stopped before
  /// is behind, so that the cluster must be repaired from the third one.
  private func loseMajority() async throws {
    let spare = nodes.count
    try nodes.addSpare(spare)
    try await waitForProgress("beside a spare")
    nodes.end(spare)
    let order = leaderLast()
    // The other two acknowledge each write from now on, so the last one knows them all.
    nodes.kill(order[0])
    try await waitForProgress("without one node", without: order[0])
    nodes.kill(order[1])
    nodes.kill(order[2])
    let survivor = order[1]
    for node in [order[0], order[2]] { try nodes.lose(node) }
    let best = try nodes.knowingMost(of: [spare, survivor])
    if best != survivor {
      history.violate("\(best.map(String.init) ?? "none") knows most, not \(survivor)")
    }
    try nodes.repair(from: survivor)
    try nodes.lose(spare)
    try await waitForProgress("after the repair")
  }
}
