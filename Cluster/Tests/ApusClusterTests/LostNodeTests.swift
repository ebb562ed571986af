import Apus
import ApusCluster
import ApusRemote
import ClusterNodes
import Foundation
import Synchronization
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
      try db.createNumbers()
    }

    private func writing(_ disturb: () async throws -> Void) async throws {
      try await db.writingNumbers(disturb)
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

private final class End: Sendable {
  let isReached = Mutex(false)
}

extension Database {
  func createNumbers() throws {
    try execute("CREATE TABLE t (x INTEGER PRIMARY KEY)")
  }

  /// Writes numbers with keys, in three tasks, at least 300, and on until a closure has ended, which is
  /// called when 30 are written. All must be there once, in spite of it.
  func writingNumbers(_ disturb: () async throws -> Void) async throws {
    let end = End()
    let writers = (0..<3).map { writer in
      Task.detached {
        var number = 0
        while number < 100 || !end.isReached.withLock({ $0 }) {
          try Task.checkCancellation()
          let x = number * 3 + writer
          try await self.write(id: "number \(x)") { try $0.execute("INSERT INTO t VALUES (\(x))") }
          let last = try await self.fetch(Int.self, "SELECT x FROM t WHERE x = \(x)")
          #expect(last == [x], "a read goes behind a write of the same client")
          number += 1
        }
        return number
      }
    }
    defer { for writer in writers { writer.cancel() } }
    let start = ContinuousClock.now
    while try await fetch(Int.self, "SELECT count(*) FROM t")[0] < 30 {
      try #require(ContinuousClock.now - start < .seconds(30), "no progress")
      await Task.yield()
    }
    try await disturb()
    end.isReached.withLock { $0 = true }
    var expected: [Int] = []
    for (writer, task) in writers.enumerated() {
      expected += try await (0..<task.value).map { $0 * 3 + writer }
    }
    #expect(try await fetch(Int.self, "SELECT x FROM t ORDER BY x") == expected.sorted())
  }
}
