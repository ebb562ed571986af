import SQLCore

/// An engine that runs the SQL of a database somewhere else: in a cluster, or on a server.
///
/// ```swift
/// let db = try Database(engine: engine, models: [Author.self, Post.self])
/// ```
///
/// The engine must understand SQLite's SQL. Everything above the SQL stays the same: models,
/// queries, commands, transactions, migrations, and the code that decodes rows.
///
/// Each connection of the pool has its own session, and a copy of the schema in memory, without
/// rows. A statement is first compiled against the copy. So a mistake in it throws before anything
/// is sent, and its columns and parameters are known. Then the statement is sent with its values. A
/// virtual table gives the rows of the answer to SQLite, and they are decoded like the rows of a
/// file.
/// - SeeAlso: <https://www.sqlite.org/vtab.html>
public protocol RemoteEngine: Sendable {
  /// The name of the engine in errors, such as "a dqlite cluster".
  var name: String { get }
  /// The maximum number of parameters of a statement.
  var maximumParameterCount: Int { get }
  /// Opens a session. It is called on the thread that needs it, and may block.
  ///
  /// `isStopped` returns true when the waiting access was cancelled or its deadline has passed. The
  /// engine calls it while it waits, and throws any error if the result is true.
  func connect(isReader: Bool, isStopped: () -> Bool) throws -> any RemoteSession
}

/// A session with an engine. It corresponds to a connection to a file. One thread at a time uses
/// it.
///
/// A method that throws because of the statement leaves the session open. A method that throws
/// because the session was lost, or because `isStopped` returned true, closes it. A transaction of a
/// closed session is rolled back by the engine.
///
/// An error of SQLite is thrown as `DatabaseError`, with SQLite's extended code and its message.
/// The library finds the violated constraint from these.
/// - SeeAlso: <https://www.sqlite.org/rescode.html>
public protocol RemoteSession: AnyObject {
  /// Whether the session can be used. A session that is closed stays so.
  var isOpen: Bool { get }
  /// Sends a statement that returns rows, and returns them. Only one result at a time is read: the
  /// rows before are closed, or were read to their end.
  func rows(
    of statement: RemoteText, isStopped: () -> Bool
  ) throws -> any RemoteRows
  /// Sends a statement that returns no rows.
  func run(_ statement: RemoteText, isStopped: () -> Bool) throws -> RemoteOutcome
  /// Closes the session.
  func close()
}

/// A statement with its values, to be sent to an engine.
/// - SeeAlso: <https://www.sqlite.org/lang.html>
public struct RemoteText: Sendable {
  /// The text of one statement.
  public let sql: String
  /// The values of its parameters, in order.
  public let values: [DatabaseValue]
  /// Whether the statement changes neither rows nor the schema.
  public let isReadOnly: Bool
  /// Whether the session has an open transaction.
  public let isInTransaction: Bool
  /// The columns that the statement returns. The array is empty for a statement without rows, and
  /// for the library's own statements, whose columns have short names and no declared type.
  public let columns: [Column]

  /// A column that a statement returns.
  public struct Column: Hashable, Sendable {
    /// The name: the column's name, the name after AS, or the text of the expression.
    public let name: String
    /// The type that the definition of the table declares; nil for an expression.
    public let declaredType: String?

    /// Creates a column.
    public init(name: String, declaredType: String? = nil) {
      self.name = name
      self.declaredType = declaredType
    }
  }

  /// Creates a statement, for an engine that passes it on to another one, or for its tests.
  public init(
    sql: String, values: [DatabaseValue] = [], isReadOnly: Bool = false,
    isInTransaction: Bool = false, columns: [Column] = []
  ) {
    self.sql = sql
    self.values = values
    self.isReadOnly = isReadOnly
    self.isInTransaction = isInTransaction
    self.columns = columns
  }
}

/// The result of a statement that returns no rows.
/// - SeeAlso: <https://www.sqlite.org/c3ref/changes.html>
public struct RemoteOutcome: Sendable {
  /// The rowid of the last insert of the session.
  public var lastInsertRowID: Int64
  /// The number of rows that the statement changed.
  public var changeCount: Int

  /// Creates an outcome.
  public init(lastInsertRowID: Int64, changeCount: Int) {
    self.lastInsertRowID = lastInsertRowID
    self.changeCount = changeCount
  }
}

/// The rows that a statement returns, read one after another.
/// - SeeAlso: <https://www.sqlite.org/vtab.html>
public protocol RemoteRows: AnyObject {
  /// The number of columns.
  var columnCount: Int { get }
  /// Goes to the next row. Returns false after the last one.
  func next(isStopped: () -> Bool) throws -> Bool
  /// Calls a closure with the value in a column of the current row.
  func withValue(at index: Int, _ body: (RemoteValue) -> Void)
  /// Reads the remaining rows into memory, so that the session can send another statement.
  func keepRemaining(isStopped: () -> Bool) throws
  /// Ends the rows, whether or not all were read.
  func close()
}

/// A value of a row. Its bytes are valid only during the closure that receives it.
/// - SeeAlso: <https://www.sqlite.org/datatype3.html>
public enum RemoteValue {
  /// NULL.
  case null
  /// An integer.
  case integer(Int64)
  /// A real number.
  case real(Double)
  /// The bytes of a text, in UTF-8.
  case text(UnsafeRawBufferPointer)
  /// The bytes of a BLOB.
  case blob(UnsafeRawBufferPointer)
}
