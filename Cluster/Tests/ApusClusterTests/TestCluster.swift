import ApusCluster
import Foundation

/// A cluster of three nodes on the loopback interface, each a process of `dqlite-demo`.
final class TestCluster: @unchecked Sendable {
  static let shared = Result { try TestCluster() }

  let folder: URL
  let ports: [Int]
  private var processes: [Int: Process] = [:]

  var addresses: [String] { ports.map { "127.0.0.1:\($0)" } }

  init(size: Int = 3) throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "apus-cluster-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let first = Int.random(in: 20_000..<50_000)
    ports = (0..<size).map { first + 2 * $0 }
    atexit { try? TestCluster.shared.get().stop() }
    for node in 0..<size {
      try start(node)
      try waitForLeader()
    }
  }

  /// A description of the cluster, for a database of its own.
  func database(_ name: String = "test-\(UUID().uuidString)") -> Cluster {
    Cluster(nodes: addresses, database: name)
  }

  func start(_ node: Int) throws {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/dqlite-demo")
    process.arguments = [
      "--api", "127.0.0.1:\(ports[node] + 1)", "--db", addresses[node],
      "--dir", folder.appending(path: "\(node)").path(),
    ]
    if node > 0 { process.arguments? += ["--join", addresses[0]] }
    let log = folder.appending(path: "\(node).log")
    if !FileManager.default.fileExists(atPath: log.path()) {
      _ = FileManager.default.createFile(atPath: log.path(), contents: nil)
    }
    let output = try FileHandle(forWritingTo: log)
    try output.seekToEnd()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    processes[node] = process
  }

  func kill(_ node: Int) {
    guard let process = processes.removeValue(forKey: node) else { return }
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  func signal(_ node: Int, _ signal: Int32) {
    if let process = processes[node] { Foundation.kill(process.processIdentifier, signal) }
  }

  /// Waits until the nodes have a leader.
  func waitForLeader() throws {
    var cluster = database("probe")
    cluster.timeout = .seconds(8)
    try cluster.connect(isReader: true) { false }.close()
  }

  func stop() {
    for node in processes.keys { kill(node) }
    try? FileManager.default.removeItem(at: folder)
  }
}
