import Apus

extension Workload {
  static let insertEach = Workload(
    name: "W1s", title: "insert 100,000 models, a call each", operations: 100_000, target: .c(1.03)
  ) { fixture in
    try insertion(fixture) { connection, items in
      for item in items { try connection.insert(item) }
    }
  }
}
