import Foundation

// The care of a cluster: what Documentation/Guides/Clusters.md says, as a program.
extension ClusterNodes {
  /// Ends a node, starts it again, and waits until it follows the leader.
  package func restart(_ node: Int) throws {
    end(node)
    try start(node)
    try waitUntilItFollows(node)
  }

  /// Replaces the machine of a node by an empty one with the same address, and waits until it votes.
  package func replace(_ node: Int) throws {
    end(node)
    _ = try shell(".remove \(addresses[node])")
    try lose(node)
    try start(node, joining: (node + 1) % count)
    try waitUntilItFollows(node)
    try waitForVoters()
  }

  /// Waits until a node names the leader, from which it then gets what it missed.
  package func waitUntilItFollows(_ node: Int) throws {
    try waitForLeader(of: [addresses[node]])
  }

  /// Kills a node, and deletes its directory.
  package func lose(_ node: Int) throws {
    kill(node)
    try FileManager.default.removeItem(at: folder.appending(path: "\(node)"))
  }

  /// Starts a spare, and waits until it gets the log without voting.
  package func addSpare(_ node: Int) throws {
    try start(node)
    try waitForMembers { $0.contains { $0.hasSuffix("\(addresses[node])|stand-by") } }
  }

  // MARK: A lost majority

  /// Returns the node, of some that are stopped, that knows most: `Cluster/Scripts/last-entry`.
  package func knowingMost(of nodes: [Int]) throws -> Int? {
    let script = Self.scripts.appending(path: "last-entry").path()
    let lines = try NodeProcess.output(of: [script] + nodes.map { directory($0).path() })
    return nodes.first { node in
      lines.split(separator: "\n").first?.hasSuffix(": \(directory(node).path())") == true
    }
  }

  /// Makes a stopped node the only one of its cluster, and starts it; then starts the others, whose
  /// directories are empty.
  package func repair(from node: Int) throws {
    let info = directory(node).appending(path: "info.yaml")
    // What describes the node is also the only item in the list of the members.
    let lines = try String(contentsOf: info, encoding: .utf8).split(separator: "\n")
      .map { $0.hasPrefix("Role:") ? "Role: 0" : $0 }
    let members = directory(node).appending(path: "cluster.yaml")
    try Data(("- " + lines.joined(separator: "\n  ") + "\n").utf8).write(to: members)
    let answer = try shell(".reconfigure \(directory(node).path()) \(members.path())")
    guard answer == "OK\n" else { throw CareFailed(output: answer) }
    try start(node)
    try waitForLeader(of: [addresses[node]])
    for other in 0..<count where other != node {
      try start(other, joining: node)
      try waitForMembers { $0.contains { $0.contains("|\(addresses[other])|") } }
    }
    try waitForVoters()
    for node in 0..<count { try waitUntilItFollows(node) }
  }

  // MARK: Copies

  /// Copies a database from a node while the cluster runs, into a folder, and returns the file.
  package func copy(of database: String, from node: Int, into folder: URL) throws -> URL {
    let command = ".dump \(addresses[node]) \(database)"
    let answer = try NodeProcess.output(
      of: ["dqlite", "-s", addresses[node], database, command], in: folder)
    guard answer == "OK\n" else { throw CareFailed(output: answer) }
    return folder.appending(path: database)
  }

  private struct CareFailed: Error {
    let output: String
  }

  // MARK: Support

  private func directory(_ node: Int) -> URL {
    folder.appending(path: "\(node)").appending(path: addresses[node])
  }

  /// Runs a command of dqlite's shell, which finds the leader.
  func shell(_ command: String) throws -> String {
    let running = addresses.indices.filter(isRunning).map { addresses[$0] }
    let servers = running.isEmpty ? addresses : running
    return try NodeProcess.output(
      of: ["dqlite", "-s", servers.joined(separator: ","), "demo", command])
  }

  private static let scripts = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../../Scripts").standardized
}
