import SQLCore
import Testing

@Suite("Transactions")
struct TransactionTests {
  private struct Failure: Error {}
  private let folder: TemporaryFolder
  private let connection: Connection
  private let other: Connection

  init() throws {
    folder = try TemporaryFolder()
    connection = try folder.connection()
    try connection.execute(
      """
      CREATE TABLE parent (id INTEGER PRIMARY KEY);
      CREATE TABLE child (parent INTEGER REFERENCES parent DEFERRABLE INITIALLY DEFERRED);
      CREATE TABLE note (n INTEGER PRIMARY KEY) STRICT
      """)
    other = try folder.connection()
  }

  /// The committed rows, as another connection sees them.
  private var committed: [DatabaseValue?] {
    get throws { try other.rows("SELECT n FROM note ORDER BY n").map { $0[0] } }
  }

  private func insert(_ n: Int) throws {
    try connection.execute("INSERT INTO note VALUES (\(n))")
  }

  @Test("a transaction commits when its closure returns, and returns the closure's value")
  func commit() throws {
    let value = try connection.transaction { connection -> String in
      try insert(1)
      #expect(try connection.isInTransaction)
      #expect(try committed == [])
      return "done"
    }
    #expect(value == "done")
    #expect(try committed == [1])
    #expect(try !connection.isInTransaction)
  }

  @Test("a requested rollback is not an error, and the closure's value is returned")
  func requestedRollback() throws {
    let value = try connection.transaction { connection -> Int in
      try insert(1)
      try connection.requestRollback()
      try insert(2)
      return 7
    }
    #expect(value == 7)
    #expect(try committed == [])
    #expect(try !connection.isInTransaction)
    // The request applies only to that transaction.
    try connection.transaction { _ in try insert(3) }
    #expect(try committed == [3])
  }

  @Test(
    "a transaction can return with its value whether it is committed", arguments: [false, true])
  func outcome(isUndone: Bool) throws {
    let (value, isRolledBack) = try connection.transaction { connection in
      try insert(1)
      // A savepoint that is undone leaves the transaction as it was.
      let inner = try connection.savepoint { connection in
        try connection.requestRollback()
        return try connection.isRollbackRequested
      }
      #expect(inner)
      if isUndone { try connection.requestRollback() }
      return (7, try connection.isRollbackRequested)
    }
    #expect(value == 7 && isRolledBack == isUndone)
    #expect(try committed == (isUndone ? [] : [1]))
    #expect(try !connection.isRollbackRequested)
  }

  @Test("a transaction rolls back when its closure throws, and rethrows the error")
  func error() throws {
    #expect(throws: Failure.self) {
      try connection.transaction { _ in
        try insert(1)
        throw Failure()
      }
    }
    #expect(try committed == [])
    #expect(try !connection.isInTransaction)
    try insert(2)
    #expect(try committed == [2])
  }

  @Test("an SQL error that the closure catches leaves the rest of the transaction intact")
  func caughtError() throws {
    try connection.transaction { _ in
      try insert(1)
      #expect(throws: DatabaseError.self) { try insert(1) }
      try insert(2)
    }
    #expect(try committed == [1, 2])
  }

  @Test("a COMMIT that fails is rolled back, and its error is thrown", arguments: [false, true])
  func failedCommit(inSavepoint: Bool) throws {
    let body: (Connection) throws -> Void = { connection in
      try insert(1)
      try connection.execute("INSERT INTO child VALUES (99)")
    }
    let error = #expect(throws: DatabaseError.self) {
      if inSavepoint {
        try connection.savepoint(body)
      } else {
        try connection.transaction(.deferred, body)
      }
    }
    #expect(error?.constraint?.kind == .foreignKey)
    #expect(try !connection.isInTransaction)
    #expect(try committed == [])
    try insert(2)
    #expect(try committed == [2])
  }

  @Test("a commit beside an unfinished INSERT fails, and nothing is stored")
  func unfinishedStatement() throws {
    let statement = try connection.prepare("INSERT INTO note VALUES (1), (2) RETURNING n")
    #expect(throws: DatabaseError.self) {
      try connection.transaction { _ in _ = try statement.step() }
    }
    #expect(try !connection.isInTransaction)
    try statement.reset()
    #expect(try committed == [])
    try insert(3)
    #expect(try committed == [3])
  }

  @Test("a transaction inside another throws misuse, and the outer one goes on")
  func nested() throws {
    try connection.transaction { connection in
      try insert(1)
      let error = #expect(throws: DatabaseError.self) {
        try connection.transaction { _ in try insert(2) }
      }
      #expect(error?.code == .misuse)
      #expect(try connection.isInTransaction)
    }
    #expect(try committed == [1])
  }

  @Test(
    "raw transaction control inside a transaction is refused, and the connection stays usable",
    arguments: ["COMMIT", "ROLLBACK", "END", "BEGIN", "; COMMIT", "ROLLBACK; BEGIN"])
  func rawControl(sql: String) throws {
    let error = #expect(throws: DatabaseError.self) {
      try connection.transaction { connection in
        try insert(1)
        try connection.execute(SQL(unsafe: sql))
      }
    }
    #expect(error?.code == .misuse)
    #expect(try !connection.isInTransaction)
    try connection.transaction { connection in
      try insert(2)
      // A closure that catches the error goes on in its transaction.
      #expect(throws: DatabaseError.self) { try connection.execute(SQL(unsafe: sql)) }
      #expect(try connection.isInTransaction)
      try insert(3)
    }
    #expect(try committed == [2, 3])
  }

  @Test("after SQLite rolls the transaction back, nothing else in the closure is committed")
  func goesOnAfterRollback() throws {
    let body: (Connection) throws -> Void = { connection in
      try insert(1)
      #expect(throws: DatabaseError.self) {
        try connection.execute("INSERT OR ROLLBACK INTO note VALUES (1)")
      }
      let later = #expect(throws: DatabaseError.self) { try insert(2) }
      #expect(later?.code == .abort)
      #expect(throws: DatabaseError.self) { try connection.savepoint { _ in try insert(3) } }
    }
    let error = #expect(throws: DatabaseError.self) { try connection.transaction(.immediate, body) }
    #expect(error?.code == .abort)
    #expect(
      error?.message == "the transaction was rolled back: UNIQUE constraint failed: note.n")
    #expect(try committed == [])
    #expect(throws: Failure.self) {
      try connection.transaction { connection in
        try insert(1)
        try? connection.execute("INSERT OR ROLLBACK INTO note VALUES (1)")
        throw Failure()
      }
    }
    try insert(4)
    #expect(try committed == [4])
  }

  @Test("ON CONFLICT ROLLBACK ends the whole transaction, and its error is thrown")
  func conflictRollback() throws {
    let error = #expect(throws: DatabaseError.self) {
      try connection.transaction { connection in
        try insert(1)
        try connection.execute("INSERT OR ROLLBACK INTO note VALUES (1)")
      }
    }
    #expect(error?.constraint?.kind == .primaryKey)
    #expect(try committed == [])
    #expect(try !connection.isInTransaction)
  }

  @Test(
    "a deferred transaction takes no write lock; an immediate or exclusive one takes it at once")
  func kinds() throws {
    let impatient = try folder.connection(.with { $0.busyTimeout = .zero })
    try connection.transaction(.deferred) { _ in
      try impatient.execute("INSERT INTO note VALUES (1)")
    }
    for kind in [TransactionKind.immediate, .exclusive] {
      try connection.transaction(kind) { _ in
        let error = #expect(throws: DatabaseError.self) {
          try impatient.execute("INSERT INTO note VALUES (2)")
        }
        #expect(error?.code.primary == .busy)
      }
    }
    #expect(try committed == [1])
  }

  @Test("a transaction with raw BEGIN and COMMIT works")
  func byHand() throws {
    try connection.execute("BEGIN")
    try insert(1)
    #expect(try connection.isInTransaction)
    try connection.execute("COMMIT")
    #expect(try committed == [1])
  }
}
