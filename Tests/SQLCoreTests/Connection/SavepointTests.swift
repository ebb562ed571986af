import SQLCore
import Testing

@Suite("Savepoints")
struct SavepointTests {
  private struct Failure: Error {}
  private let folder: TemporaryFolder
  private let connection: Connection

  init() throws {
    folder = try TemporaryFolder()
    connection = try folder.connection()
    try connection.execute("CREATE TABLE note (n INTEGER PRIMARY KEY) STRICT")
  }

  private var committed: [DatabaseValue?] {
    get throws { try folder.connection().rows("SELECT n FROM note ORDER BY n").map { $0[0] } }
  }

  private func insert(_ n: Int) throws {
    try connection.execute("INSERT INTO note VALUES (\(n))")
  }

  @Test("the outermost savepoint commits when it returns, and restores autocommit")
  func outermost() throws {
    #expect(try connection.savepoint { _ in try insert(1) } == ())
    #expect(try !connection.isInTransaction)
    #expect(try committed == [1])
  }

  @Test("after the outermost savepoint is rolled back, autocommit is on and writes are stored")
  func outermostRolledBack() throws {
    #expect(throws: Failure.self) {
      try connection.savepoint { _ in
        try insert(1)
        throw Failure()
      }
    }
    #expect(try !connection.isInTransaction)
    try connection.savepoint { connection in
      try insert(2)
      try connection.requestRollback()
    }
    #expect(try !connection.isInTransaction)
    try insert(3)
    #expect(try committed == [3])
  }

  @Test("savepoints nest, and an inner one is undone on its own")
  func nested() throws {
    try connection.savepoint { connection in
      try insert(1)
      #expect(throws: Failure.self) {
        try connection.savepoint { connection in
          try insert(2)
          try connection.savepoint { _ in try insert(3) }
          throw Failure()
        }
      }
      try connection.savepoint { connection in
        try insert(4)
        try connection.requestRollback()
      }
      try connection.savepoint { connection in
        try insert(5)
        try connection.savepoint { connection in
          try insert(6)
          try connection.requestRollback()
        }
        try insert(7)
      }
      #expect(try connection.isInTransaction)
    }
    #expect(try committed == [1, 5, 7])
    #expect(try !connection.isInTransaction)
  }

  @Test("savepoints nest in a transaction and are rolled back with it")
  func inTransaction() throws {
    try connection.transaction { connection in
      try connection.savepoint { _ in try insert(1) }
      try? connection.savepoint { _ in
        try insert(2)
        throw Failure()
      }
    }
    #expect(try committed == [1])
    #expect(throws: Failure.self) {
      try connection.transaction { connection in
        try connection.savepoint { _ in try insert(3) }
        throw Failure()
      }
    }
    #expect(try committed == [1])
  }

  @Test("an outer rollback request survives an inner savepoint that succeeds")
  func requests() throws {
    try connection.transaction { connection in
      try insert(1)
      try connection.requestRollback()
      try connection.savepoint { _ in try insert(2) }
    }
    #expect(try committed == [])
  }

  @Test("raw savepoints work beside those of the library")
  func raw() throws {
    try connection.execute("SAVEPOINT mine")
    try insert(1)
    try? connection.savepoint { _ in
      try insert(2)
      throw Failure()
    }
    try connection.execute("RELEASE mine")
    #expect(try committed == [1])
    try connection.savepoint { connection in
      try connection.execute("SAVEPOINT apus_1")
      try insert(3)
      try connection.execute("ROLLBACK TO apus_1; RELEASE apus_1")
      try insert(4)
    }
    #expect(try committed == [1, 4])
  }

  @Test("a whole rollback inside ends every savepoint, and its error is thrown")
  func wholeRollback() throws {
    let error = #expect(throws: DatabaseError.self) {
      try connection.transaction { connection in
        try insert(1)
        try connection.savepoint { connection in
          try connection.execute("INSERT OR ROLLBACK INTO note VALUES (1)")
        }
      }
    }
    #expect(error?.constraint?.kind == .primaryKey)
    #expect(try !connection.isInTransaction)
    #expect(throws: DatabaseError.self) {
      try connection.transaction { connection in
        try connection.savepoint { try $0.execute("ROLLBACK") }
      }
    }
    #expect(try !connection.isInTransaction)
    try connection.savepoint { _ in try insert(9) }
    #expect(try committed == [9])
  }

  @Test("1,000 savepoints can be nested")
  func deep() throws {
    func nest(_ depth: Int) throws {
      guard depth > 0 else { return try insert(1) }
      try connection.savepoint { _ in try nest(depth - 1) }
    }
    try nest(1_000)
    #expect(try committed == [1])
    #expect(try connection.statementCacheStatistics.count <= 128)
  }
}
