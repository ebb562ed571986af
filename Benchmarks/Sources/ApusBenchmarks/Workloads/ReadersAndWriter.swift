import Apus

/// Workloads with at most eight readers, while a writer may change the same table. Each reader
/// finds 20,000 rows, each in a separate read. Each change of the writer is a separate transaction.
/// On the C side, the readers and the writer have threads of their own.
extension Workload {
  /// The writer commits as often as it can until the readers are done. So the numbers of commits
  /// may differ between the sides. The report has the number for each side.
  static let readersAndWriter = readers(
    "W12", "8 × 20,000 finds while one writes", commits: nil, target: .c(0.75))

  /// The writer makes the same number of commits on each side, however long the readers take. The
  /// measured time ends when the readers and the writer are done.
  static let readersAndCommits = readers(
    "W12e", "8 × 20,000 finds and 4,000 commits at the same time", commits: 4_000,
    target: .c(1.2))

  /// One to eight readers without a writer.
  static let readersAlone = finds(by: 8, name: "W12r", target: .c(0.85))
  static let fewReadersAlone = [1, 2, 4].map { finds(by: $0, name: "W12r-\($0)") }

  private static func finds(by count: Int, name: String, target: Target? = nil) -> Workload {
    readers(
      name, "\(count) × 20,000 finds at the same time", of: count, commits: 0, target: target)
  }

  /// Measures the commits of one thread while another thread finds rows without a pause. Each find
  /// is a separate read. Both threads do their work themselves, so no thread has to be woken, and
  /// each thread has a core of its own.
  static let commitsBesideReader = Workload(
    name: "W12c", title: "4,000 commits while another thread finds without a pause",
    operations: 4_000, target: .c(1.15)
  ) { fixture in
    try fixture.fill(with: PlainItem.samples(cachedRows))
    let (database, path) = (fixture.database, fixture.path("c.sqlite"))
    let keys = scatteredKeys(20_000, of: cachedRows)
    return Sides(
      c: Side { try commits(4_000, path, whileReadingWith: keys) },
      apus: Side {
        let isDone = Shared(false)
        let reader = ThreadGroup()
        reader.start {
          while true {
            for key in keys {
              if isDone.value { return }
              _ = try database.find(Item.self, key)
            }
          }
        }
        for key in (1...4_000) as ClosedRange<Int64> {
          try database.run(Item.update { $0.$count += 1 }.where { $0.$id == key })
        }
        isDone.value = true
        try reader.wait()
        return 4_000
      })
  }

  /// - Parameters:
  ///   - count: The number of readers.
  ///   - commits: The number of commits. If nil, the writer commits until the readers are done.
  private static func readers(
    _ name: String, _ title: String, of count: Int = 8, commits limit: Int?, target: Target?
  ) -> Workload {
    Workload(name: name, title: title, operations: count * 20_000, target: target, isLong: true) {
      fixture in
      try fixture.fill(with: PlainItem.samples(cachedRows))
      let (database, peer) = (fixture.database, fixture.peer)
      let path = fixture.path("c.sqlite")
      let keys = scatteredKeys(20_000, of: cachedRows)
      let (c, apus, grdb) = (CommitCount(limit), CommitCount(limit), CommitCount(limit))
      return Sides(
        c: Side(commits: { c.last }) { try readWithC(path, keys, by: count, c) },
        apus: .task(commits: { apus.last }) {
          try await readers(
            count, apus,
            find: {
              var titles = 0
              for key in keys {
                titles += try await database.find(Item.self, key)?.title.utf8.count ?? 0
              }
              return titles
            },
            write: { key in
              try await database.run(Item.update { $0.$count += 1 }.where { $0.$id == key })
            })
        },
        grdb: .task(commits: { grdb.last }) {
          try await readers(
            count, grdb, find: { try await peer.findTitles(keys) },
            write: { try await peer.countUp($0) })
        })
    }
  }

  private static func readers(
    _ count: Int, _ commits: CommitCount, find: @escaping @Sendable () async throws -> Int,
    write: @escaping @Sendable (Int64) async throws -> Void
  ) async throws -> Int {
    commits.begin()
    let writer = Task {
      while let key = commits.next() { try await write(key) }
    }
    let titles = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<count { group.addTask { try await find() } }
      return try await group.reduce(0, +)
    }
    commits.readersAreDone()
    try await writer.value
    return titles
  }
}
