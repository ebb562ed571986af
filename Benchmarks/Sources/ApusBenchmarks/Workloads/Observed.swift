import Apus

/// A model whose table is observed, but not written.
private struct Neighbour: Model {
  @PrimaryKey var id: Int64
  @Column var name: String
}

extension Workload {
  /// Each side receives the old and the new values of every changed row. On the C side, a hook
  /// keeps the same values as Apus. After the commit, it delivers each row once.
  static let observedUpdate = Workload(
    name: "W6", title: "W5 with an observer that gets old and new values", operations: 20_000,
    target: .c(1.15)
  ) { fixture in
    let work = try UpdateWork(fixture)
    let (database, peer) = (fixture.database, fixture.peer)
    let changes = database.changes(of: Item.self)
    let hook = CUpdateHook(on: fixture.connection)
    return Sides(
      c: Side(prepare: work.checkpoint) {
        let changed = try await work.c.run()
        var told = 0
        try hook.deliver { old, new in if old != new { told += 1 } }
        return told == cachedRows ? changed : told
      },
      apus: Side(prepare: work.checkpoint) {
        let changed = try await work.apus.run()
        var told = 0
        for await write in changes {
          for change in write.updated {
            if try change.old(\.$count) != change.new(\.$count) { told += 1 }
          }
          if told >= cachedRows { break }
        }
        // Each row is updated twice, but reported once. If the number of reported rows is right,
        // the side returns the number of updates, as the other sides do.
        return told == cachedRows ? changed : told
      },
      grdb: Side(prepare: work.checkpoint) {
        try peer.observing { try peer.countUpByStatement(work.items, by: work.steps.next()) }
      },
      codable: Side(prepare: work.checkpoint) {
        try peer.observing { try peer.countUpRecords(work.records, by: work.steps.next()) }
      })
  }

  /// The target is the sum of two numbers: the ratio of W1 when the target was set, which was 0.91,
  /// and 0.05 for the hook.
  static let observedNeighbour = Workload(
    name: "W6n", title: "W1 with an observer of another table", operations: 100_000,
    target: .c(0.96)
  ) { fixture in
    try fixture.database.execute("CREATE TABLE Neighbour (id INTEGER PRIMARY KEY, name TEXT)")
    let changes = fixture.database.changes(of: Neighbour.self)
    var sides = try insertion(fixture) { connection, items in
      try withExtendedLifetime(changes) { _ = try connection.insert(items) }
    }
    (sides.grdb, sides.codable) = (nil, nil)
    return sides
  }
}
