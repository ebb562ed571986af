import Apus
import ApusCluster
import ApusRemote
import ClusterNodes
import Foundation

/// Times inserts, finds and streams on a cluster of three nodes, and those of dqlite's Go client on the
/// same nodes: `Cluster/Scripts/bench`.
@main
struct ClusterBench {
  private struct Bird: Model {
    @PrimaryKey var id: Int
    @Column var name: String
    @Column var grams: Double
  }

  static func main() async throws {
    let nodes = try ClusterNodes()
    defer { nodes.stop() }
    let db = try Database(engine: nodes.cluster(), models: [Bird.self])
    print("| Apus | Count | Each | Rate |\n|---|---|---|---|")
    try await measure("insert, each with its commit", 500) { count in
      for id in 1...count {
        try await db.insert(Bird(id: id, name: "bird \(id)", grams: 44.5))
      }
    }
    try await measure("write with a key, each with its commit", 500) { count in
      for id in 1...count {
        try await db.write(id: "bird \(id)") { tx in
          try tx.run(Bird.update { $0.$grams += 1 }.where { $0.$id == id })
        }
      }
    }
    try await measure("insert of one row, in one transaction", 100_000) { count in
      try await db.write { tx in
        for id in 1...count {
          try tx.insert(Bird(id: id + 1_000, name: "bird \(id)", grams: 44.5))
        }
      }
    }
    try await measure("insert of an array, in one transaction", 100_000) { count in
      let birds = (1...count).map {
        Bird(id: $0 + 1_000_000, name: "bird \($0)", grams: 44.5)
      }
      try await db.insert(birds)
    }
    try await measure("find by key", 10_000) { count in
      for id in 1...count { _ = try await db.find(Bird.self, id + 1_000) }
    }
    try await measure("stream of rows", 100_000) { count in
      var found = 0
      for try await _ in db.stream(Bird.where { $0.$id > 1_000_000 }) { found += 1 }
      guard found == count else { throw WrongCount() }
    }
    guard let peer = CommandLine.arguments.dropFirst().first else { return }
    print("\n| Go | Count | Each | Rate |\n|---|---|---|---|")
    fflush(nil)
    let process = Process()
    process.executableURL = URL(filePath: peer)
    process.arguments = ["bench"] + nodes.addresses
    try process.run()
    process.waitUntilExit()
  }

  private struct WrongCount: Error {}

  private static func measure(
    _ name: String, _ count: Int, _ body: @Sendable (Int) async throws -> Void
  ) async throws {
    let start = ContinuousClock.now
    try await body(count)
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    let each = (seconds / Double(count) * 10_000_000).rounded() / 10
    print("| \(name) | \(count) | \(each) µs | \(Int(Double(count) / seconds))/s |")
    fflush(nil)
  }
}
