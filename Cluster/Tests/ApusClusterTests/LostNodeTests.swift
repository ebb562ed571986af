import Apus
import ApusCluster
import ClusterNodes
import Foundation
import Testing

extension ClusterTests {
  /// The leader is lost under a program that writes.
  @Suite struct LostNodeTests {
    private let nodes: ClusterNodes
    private let db: Database

    init() throws {
      nodes = try SharedNodes.get()
      var configuration = Configuration()
      configuration.busyTimeout = .seconds(30)
      db = try Database(engine: nodes.cluster(), configuration: configuration)
      try db.execute("CREATE TABLE t (x INTEGER NOT NULL)")
    }

    /// Writes 300 numbers with keys, in three tasks, and calls a closure when 30 are written. All
    /// must be there once, in spite of it.
    private func writing(_ disturb: () async throws -> Void) async throws {
      let db = db
      let writers = (0..<3).map { writer in
        Task.detached {
          for number in 0..<100 {
            let x = number * 3 + writer
            try await db.write(id: "number \(x)") { try $0.execute("INSERT INTO t VALUES (\(x))") }
            let last = try await db.fetch(Int.self, "SELECT x FROM t WHERE x = \(x)")
            #expect(last == [x], "a read goes behind a write of the same client")
          }
        }
      }
      defer { for writer in writers { writer.cancel() } }
      let start = ContinuousClock.now
      while try await db.fetch(Int.self, "SELECT count(*) FROM t")[0] < 30 {
        try #require(ContinuousClock.now - start < .seconds(30), "no progress")
        await Task.yield()
      }
      try await disturb()
      for writer in writers { try await writer.value }
      #expect(try await db.fetch(Int.self, "SELECT x FROM t ORDER BY x") == Array(0..<300))
    }

    @Test func theLeaderIsKilled() async throws {
      try await writing {
        let leader = try #require(nodes.leader())
        nodes.kill(leader)
        try nodes.waitForLeader()
        try nodes.start(leader)
      }
    }

    @Test func theLeaderIsPausedAndAnotherOneTakesOver() async throws {
      try await writing {
        let leader = try #require(nodes.leader())
        nodes.pause(leader)
        defer { nodes.resume(leader) }
        try nodes.waitForLeader()
        #expect(nodes.leader() != leader)
      }
    }

    @Test func aFollowerIsKilled() async throws {
      try await writing {
        let leader = try #require(nodes.leader())
        let follower = (leader + 1) % nodes.count
        nodes.kill(follower)
        #expect(try await db.fetch(Int.self, "SELECT 1") == [1])
        try nodes.start(follower)
      }
    }
  }
}
