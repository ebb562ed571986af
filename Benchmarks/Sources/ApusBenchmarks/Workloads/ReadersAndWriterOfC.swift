import CSQLiteBench

extension Workload {
  /// Runs some readers and a writer, each on its own thread, and returns the total length of the
  /// titles that the readers found.
  static func readWithC(
    _ path: String, _ keys: [Int64], by count: Int, _ commits: CommitCount
  ) throws -> Int {
    commits.begin()
    let titles = Shared(0)
    let (readers, writer) = (ThreadGroup(), ThreadGroup())
    for _ in 0..<count {
      readers.start {
        let found = try findTitles(path, keys)
        titles.change { $0 += found }
      }
    }
    writer.start { try commit(path) { commits.next() } }
    try readers.wait()
    commits.readersAreDone()
    try writer.wait()
    return titles.value
  }

  /// Makes commits on the calling thread while another thread reads without a pause. Returns the
  /// number of commits.
  static func commits(
    _ count: Int, _ path: String, whileReadingWith keys: [Int64]
  ) throws -> Int {
    let isDone = Shared(false)
    let reader = ThreadGroup()
    reader.start {
      while !isDone.value { _ = try findTitles(path, keys, until: { isDone.value }) }
    }
    var key: Int64 = 0
    try commit(path) {
      key += 1
      return key <= count ? key : nil
    }
    isDone.value = true
    try reader.wait()
    return count
  }

  /// Changes one row after another, each in a transaction of its own, until `next` returns nil.
  private static func commit(_ path: String, next: () -> Int64?) throws {
    let connection = try CConnection(path: path)
    try connection.withStatement(#"UPDATE "Item" SET "count" = "count" + 1 WHERE "id" = ?"#) {
      statement in
      while let key = next() { try run(statement, with: key) }
    }
  }

  /// Finds rows, each in a transaction of its own, and returns the length of their titles.
  private static func findTitles(
    _ path: String, _ keys: [Int64], until isDone: () -> Bool = { false }
  ) throws -> Int {
    let connection = try CConnection(path: path)
    return try connection.withStatement("BEGIN DEFERRED") { begin in
      try connection.withStatement("COMMIT") { commit in
        try connection.withStatement(selectSQL + #" WHERE "id" = ?"#) { statement in
          var titles = 0
          for key in keys {
            if isDone() { break }
            try run(begin)
            sqlite3_bind_int64(statement, 1, key)
            if sqlite3_step(statement) == SQLITE_ROW {
              titles += try PlainItem(rowOf: statement).title.utf8.count
            }
            try check(sqlite3_reset(statement))
            try run(commit)
          }
          return titles
        }
      }
    }
  }
}
