import Apus
import CSQLiteBench

/// Inserts that wait until they are stored on the disk. The databases have `synchronous=FULL`, as
/// on servers.
extension Workload {
  static let durableInserts = Workload.durable(
    name: "W9", title: "1,000 tasks, a durable insert each", tasks: 1_000, target: .grdb(30))
  static let durableInsertsOfFew = Workload.durable(
    name: "W9t", title: "10 tasks, 100 durable inserts each", tasks: 10, target: .grdb(4))

  private static func durable(
    name: String, title: String, tasks: Int, target: Target
  ) -> Workload {
    Workload(name: name, title: title, operations: 1_000, target: target) { fixture in
      let items = PlainItem.samples(1_000)
      let models = items.map(Item.init)
      let database = try Database(path: fixture.path("apus-full.sqlite"), models: [Item.self])
      let connection = try CConnection(path: fixture.path("c-full.sqlite"))
      try connection.execute("PRAGMA synchronous = FULL")
      let peer = try Peer(path: fixture.path("grdb-full.sqlite"), synchronous: "FULL")
      let table =
        try database.row("SELECT sql FROM sqlite_schema WHERE name = 'Item'")?[
          "sql", as: String.self]
        ?? ""
      try connection.execute(table)
      try peer.execute(table)
      return Sides(
        c: Side(prepare: { try connection.execute("DELETE FROM Item") }) {
          try connection.withStatement(insertSQL) { statement in
            for item in items { try insert(item, by: statement) }
          }
          return items.count
        },
        apus: .task(prepare: { try database.execute("DELETE FROM Item") }) {
          try await withThrowingTaskGroup(of: Void.self) { group in
            for part in models.split(into: tasks) {
              group.addTask {
                for model in part { try await database.insert(model) }
              }
            }
            try await group.waitForAll()
          }
          return models.count
        },
        grdb: .task(prepare: { try peer.execute("DELETE FROM Item") }) {
          try await peer.insertByTasks(items, tasks: tasks)
        })
    }
  }
}

extension Array {
  /// Returns `parts` parts of equal length.
  func split(into parts: Int) -> [ArraySlice<Element>] {
    let length = count / parts
    return (0..<parts).map { self[($0 * length)..<(($0 + 1) * length)] }
  }
}
