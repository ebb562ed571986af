import Apus
import ApusCluster
import ApusRemote
import ClusterNodes
import Foundation
import Testing

extension ClusterTests {
  /// What Documentation/Guides/Clusters.md says about the care of a cluster, on nodes of its own. The
  /// long form is `Cluster/Scripts/faults --maintenance`.
  @Suite("The care of a cluster") struct CareTests {
    private static let shared = Result { try ClusterNodes(spareCount: 1) }

    private static let end: Void = {
      atexit { try? CareTests.shared.get().stop() }
    }()

    private let nodes: ClusterNodes
    private let name = "care_\(UUID().uuidString.prefix(8))"
    private let db: Database

    init() throws {
      _ = Self.end
      nodes = try Self.shared.get()
      var configuration = Configuration()
      configuration.busyTimeout = .seconds(30)
      db = try Database(engine: nodes.cluster(name), configuration: configuration)
      try db.createNumbers()
    }

    private func leaderLast() throws -> [Int] {
      let leader = try #require(nodes.leader())
      return (0..<nodes.count).filter { $0 != leader } + [leader]
    }

    @Test("all nodes are restarted and then replaced, one after another, while a program writes")
    func maintenance() async throws {
      try await db.writingNumbers {
        for node in try leaderLast() { try nodes.restart(node) }
        for node in try leaderLast() { try nodes.replace(node) }
      }
    }

    @Test("a copy that is made while a program writes has what was written before, and is restored")
    func copy() async throws {
      let folder = FileManager.default.temporaryDirectory.appending(path: "copy-\(UUID())")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      try await db.writingNumbers {
        let before = try await db.fetch(Int.self, "SELECT x FROM t")
        let file = try nodes.copy(of: name, from: try #require(nodes.leader()), into: folder)
        let copy = try Database(path: file.path())
        let copied = try await copy.fetch(Int.self, "SELECT x FROM t ORDER BY x")
        #expect(copied.count >= before.count && Set(copied).isSuperset(of: before))
        let problems = try await copy.fetch(
          String.self, "SELECT integrity_check FROM pragma_integrity_check")
        #expect(problems == ["ok"])
        let restored = try Database(engine: nodes.cluster("\(name)_restored"))
        try restored.createNumbers()
        try await restored.write { tx in
          for x in copied { try tx.execute("INSERT INTO t VALUES (\(x))") }
        }
        #expect(try await restored.fetch(Int.self, "SELECT x FROM t ORDER BY x") == copied)
      }
    }

    @Test("a query without an end stops one node, and is not sent to the next one")
    func endlessQuery() async throws {
      let leader = try #require(nodes.leader())
      let other = try Database(engine: nodes.cluster(name))
      let error = await #expect(throws: RemoteSessionError.self) {
        try await other.fetch(
          Int.self,
          "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n")
      }
      #expect(error?.outcome == .notRun && error?.allowsRetry == false)
      #expect(nodes.leader() != leader)
      for node in 0..<nodes.count where node != leader { try nodes.waitUntilItFollows(node) }
      try await db.writingNumbers {}
      // The program that sent it can use the others as well.
      #expect(try await other.fetch(Int.self, "SELECT x FROM t WHERE x = 7") == [7])
      nodes.kill(leader)
      try nodes.start(leader)
      try nodes.waitUntilItFollows(leader)
    }

    @Test("a cluster whose majority is gone is repaired from the node that knows most")
    func lostMajority() async throws {
      let spare = nodes.count
      try nodes.addSpare(spare)
      nodes.end(spare)
      let order = try leaderLast()
      nodes.kill(order[0])
      // From now on, the other two nodes know each number.
      try await db.writingNumbers {}
      let count = try await db.fetch(Int.self, "SELECT count(*) FROM t")
      nodes.kill(order[1])
      nodes.kill(order[2])
      try nodes.lose(order[0])
      try nodes.lose(order[2])
      #expect(try nodes.knowingMost(of: [spare, order[1]]) == order[1])
      #expect(try nodes.knowingMost(of: [order[1], spare]) == order[1])
      try nodes.repair(from: order[1])
      try nodes.lose(spare)
      #expect(try await db.fetch(Int.self, "SELECT count(*) FROM t") == count)
      try await db.execute("INSERT INTO t VALUES (-2)")
    }
  }
}
