import Apus

/// A table beside the one that is written.
private struct Neighbour: Model {
  @PrimaryKey var id: Int64
  @Column var name: String
}

extension Workload {
  static let observedInsert = Workload(
    name: "W6", title: "W1 with an observer on another table", operations: 100_000, target: 0.88
  ) { fixture in
    try fixture.database.execute("CREATE TABLE Neighbour (id INTEGER PRIMARY KEY, name TEXT)")
    let changes = fixture.database.changes(of: Neighbour.self)
    return try insertion(fixture) { connection, items in
      try withExtendedLifetime(changes) { _ = try connection.insert(items) }
    }
  }
}
