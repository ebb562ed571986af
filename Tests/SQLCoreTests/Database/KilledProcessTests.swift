import SQLCore
import TestRun
import Testing

@Suite("Killed processes", .blocking)
struct KilledProcessTests {
  @Test("after a kill during shared commits, every acknowledged write is stored")
  func killed() throws {
    let seed = TestSeed.draw()
    var generator = SeededGenerator(seed: seed)
    let folder = try TemporaryFolder()
    try Database(path: folder.file()).execute("CREATE TABLE item (id INTEGER PRIMARY KEY) STRICT")
    var last = 0
    let rounds = TestSize.count(small: 10, full: 100)
    for round in 0..<rounds {
      let child = try ChildProcess("commit", folder.file())
      var acknowledged: [String] = []
      for _ in 0..<Int.random(in: 1...40, using: &generator) { acknowledged.append(child.line()) }
      acknowledged += child.kill()

      let connection = try Connection(path: folder.file())
      let ids: [Int] = try connection.fetch(
        Int.self, "SELECT id FROM item WHERE id > \(last)")
      let stored = Set(ids.map(String.init))
      let lost = acknowledged.filter { !stored.contains($0) }
      #expect(lost.isEmpty, "lost in round \(round) of seed \(seed)")
      let check = try connection.value(String.self, "PRAGMA integrity_check")
      #expect(check == "ok", "round \(round) of seed \(seed)")
      last = try connection.value(Int.self, "SELECT coalesce(max(id), 0) FROM item") ?? 0
      guard lost.isEmpty, check == "ok" else { return }
    }
    // Each round added something, so the processes were killed while they wrote.
    #expect(last >= rounds)
  }
}
