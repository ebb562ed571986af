import SQLCore
import Testing

@Suite("P14 savepoints")
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

  @Test("P14 the outermost savepoint commits when it returns, and autocommit is on again")
  func outermost() throws {
    #expect(try connection.savepoint { _ in try insert(1) } == ())
    #expect(try !connection.isInTransaction)
    #expect(try committed == [1])
  }

  @Test("P14 after the outermost savepoint was rolled back, autocommit is on again and writes stay")
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

  @Test("P14 savepoints nest: an inner one is undone alone")
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

  @Test("P14 savepoints nest in a transaction, and go with it")
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

  @Test("a request to roll back an inner savepoint does not reach the outer one, nor back")
  func requests() throws {
    try connection.transaction { connection in
      try insert(1)
      try connection.requestRollback()
      try connection.savepoint { _ in try insert(2) }
    }
    #expect(try committed == [])
  }

  @Test("raw savepoints live beside those of the library")
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

  @Test("a whole rollback inside takes every savepoint with it, and its error is thrown")
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

  @Test("1,000 savepoints in each other")
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
