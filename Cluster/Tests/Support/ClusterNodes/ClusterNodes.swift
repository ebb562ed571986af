import ApusCluster
import Foundation

/// A cluster of nodes on this machine, each a process of `dqlite-demo`, which can be killed, paused
/// and, in namespaces of the network, cut off.
///
/// `@unchecked Sendable`: the lock guards the processes; everything else is constant.
package final class ClusterNodes: @unchecked Sendable {
  package enum Network: Sendable {
    /// All nodes have the loopback interface, and free ports.
    case loopback
    /// Each node has a namespace of its own, on one bridge with this process. It needs to be run as
    /// root, in namespaces of the network and of mounts that are private: `unshare --net --mount`.
    case namespaces
  }

  package let folder: URL
  package let addresses: [String]
  /// The number of nodes that clients know. Further ones are spares, which are started later.
  package let count: Int
  private let network: Network
  private let lock = NSLock()
  private var processes: [Int: NodeProcess] = [:]

  /// Starts the nodes, one after another.
  package init(count: Int = 3, spareCount: Int = 0, network: Network = .loopback) throws {
    self.network = network
    self.count = count
    let all = count + spareCount
    folder = FileManager.default.temporaryDirectory.appending(path: "cluster-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    switch network {
    case .loopback:
      // Each node has two: see `apiAddress`.
      let first = FreePorts.next(2 * all).lowerBound
      addresses = (0..<all).map { "127.0.0.1:\(first + 2 * $0)" }
    case .namespaces:
      addresses = (1...all).map { "10.77.0.\($0):9001" }
      try Self.makeNetwork(count: all)
    }
    do {
      for node in 0..<count {
        try start(node)
        // Of two nodes, the second one is a spare, which knows no leader.
        try waitForLeader(of: [addresses[0]])
      }
      try waitForVoters()
      try waitForLeader()
    } catch {
      stop()
      throw error
    }
  }

  /// A description of the cluster, for a database of its own.
  package func cluster(_ name: String = "test-\(UUID().uuidString)") -> Cluster {
    Cluster(nodes: Array(addresses.prefix(count)), database: name)
  }

  /// Returns the number of the node that leads; nil if none does.
  package func leader() -> Int? {
    (try? cluster().leaderAddress()).flatMap { addresses.firstIndex(of: $0) }
  }

  // MARK: Processes

  /// Starts a node. If its directory is empty, it joins the cluster of another one: that of the first
  /// node, unless `other` names one.
  package func start(_ node: Int, joining other: Int? = nil) throws {
    var arguments = [
      "/usr/bin/dqlite-demo", "--api", apiAddress(node), "--db", addresses[node],
      "--dir", folder.appending(path: "\(node)").path(),
    ]
    if let other = other ?? (node > 0 ? 0 : nil) { arguments += ["--join", addresses[other]] }
    // `ip netns exec` becomes the program, so signals reach it.
    if network == .namespaces { arguments = ["ip", "netns", "exec", "node\(node)"] + arguments }
    let process = try NodeProcess(arguments, log: folder.appending(path: "\(node).log"))
    lock.withLock { processes[node] = process }
  }

  private func apiAddress(_ node: Int) -> String {
    let parts = addresses[node].split(separator: ":")
    return "\(parts[0]):\((Int(parts[1]) ?? 0) + 1)"
  }

  /// Whether the process of a node runs. One that ended by itself has failed.
  package func isRunning(_ node: Int) -> Bool {
    lock.withLock { processes[node]?.isRunning ?? false }
  }

  package func kill(_ node: Int) {
    lock.withLock({ processes.removeValue(forKey: node) })?.kill()
  }

  /// Ends a node as a supervisor does, with SIGTERM: it first hands its role over.
  package func end(_ node: Int) {
    lock.withLock({ processes.removeValue(forKey: node) })?.end()
  }

  package func pause(_ node: Int) { signal(node, SIGSTOP) }

  package func resume(_ node: Int) { signal(node, SIGCONT) }

  private func signal(_ node: Int, _ signal: Int32) {
    lock.withLock { processes[node] }?.send(signal)
  }

  /// The end of the log of a node, for reports.
  package func log(_ node: Int) -> String {
    let text =
      (try? String(contentsOf: folder.appending(path: "\(node).log"), encoding: .utf8)) ?? ""
    return text.split(separator: "\n").suffix(20).joined(separator: "\n")
  }

  /// Waits until the nodes have a leader.
  package func waitForLeader() throws { try waitForLeader(of: Array(addresses.prefix(count))) }

  /// Waits until a node names the leader that some nodes name.
  func waitForLeader(of nodes: [String]) throws {
    var cluster = Cluster(nodes: nodes, database: "probe")
    cluster.timeout = .seconds(30)
    try cluster.connect(isReader: true) { false }.close()
  }

  /// Waits until every node is a voter, or one of two. Before, the loss of the leader may leave no
  /// majority: the second node becomes a voter only some time after the third one was started.
  func waitForVoters() throws {
    try waitForMembers { members in
      let voterCount = members.filter { $0.hasSuffix("|voter") }.count
      return members.count == count && voterCount == (count == 2 ? 1 : count)
    }
  }

  /// Waits until the members, each as its number, its address and its role, fulfil a condition.
  func waitForMembers(_ condition: ([Substring]) -> Bool) throws {
    let start = ContinuousClock.now
    while true {
      let members = try shell(".cluster")
      if condition(members.split(separator: "\n")) { return }
      guard ContinuousClock.now - start < .seconds(60) else { throw NotReady(nodes: members) }
      Thread.sleep(forTimeInterval: 0.2)
    }
  }

  private struct NotReady: Error {
    let nodes: String
  }

  package func stop() {
    for node in addresses.indices { kill(node) }
    try? FileManager.default.removeItem(at: folder)
  }

  // MARK: The network

  /// Cuts a node off from the other nodes and from this process.
  package func cut(_ node: Int) throws { try Self.run("ip link set port\(node) down") }

  /// Ends a cut.
  package func heal(_ node: Int) throws { try Self.run("ip link set port\(node) up") }

  private static func makeNetwork(count: Int) throws {
    var lines = [
      "ip link set lo up", "ip link add nodes type bridge", "ip addr add 10.77.0.254/24 dev nodes",
      "ip link set nodes up", "mkdir -p /run/netns",
      // Names of a namespace that has ended would stay.
      "mount -t tmpfs netns /run/netns",
    ]
    for node in 0..<count {
      lines += [
        "ip netns add node\(node)", "ip link add port\(node) type veth peer name inner\(node)",
        "ip link set inner\(node) netns node\(node)", "ip link set port\(node) master nodes up",
        "ip -n node\(node) addr add 10.77.0.\(node + 1)/24 dev inner\(node)",
        "ip -n node\(node) link set inner\(node) up", "ip -n node\(node) link set lo up",
      ]
    }
    for line in lines { try run(line) }
  }

  private struct CommandFailed: Error {
    let command: String
  }

  private static func run(_ command: String) throws {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = command.split(separator: " ").map(String.init)
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw CommandFailed(command: command) }
  }
}
