import SQLCore

/// An engine that runs the SQL of a database somewhere else: in a cluster, or on a server.
///
/// ```swift
/// let db = try Database(engine: engine, models: [Author.self, Post.self])
/// ```
///
/// The engine must understand SQLite's SQL. Models, queries, commands, transactions and migrations
/// are used in the same way as with a file.
///
/// Each connection of the pool has its own session with the engine. It also has a database in
/// memory with a copy of the schema, without rows. A statement is first compiled for this copy. So
/// a mistake in the statement throws an error before the statement is sent, and the statement's
/// columns and parameters are known. Then the statement is sent with its values. A virtual table
/// passes the returned rows to SQLite, and the rows are decoded like the rows of a file.
/// - SeeAlso: <https://www.sqlite.org/vtab.html>
public protocol RemoteEngine: Sendable {
  /// The name of the engine in errors, such as "a dqlite cluster".
  var name: String { get }
  /// The maximum number of parameters of a statement. The library sends at most 999.
  var maximumParameterCount: Int { get }
  /// Opens a session. The method is called on the thread that needs the session, and may block.
  ///
  /// The engine calls `isStopped` while it waits. If the result is true, the read or write that
  /// needs the session was cancelled or interrupted, or its deadline has passed. The engine then
  /// stops waiting and throws any error.
  func connect(isReader: Bool, isStopped: () -> Bool) throws -> any RemoteSession
}

/// A session with an engine. It corresponds to a connection to a file. A session is used by only
/// one thread at a time.
///
/// If a method throws because of its statement, the session stays open. If a method throws because
/// the session was lost, or because `isStopped` returned true, the method first closes the session.
/// When a session is closed, the engine rolls its transaction back.
///
/// An error of SQLite is thrown as `DatabaseError`, with SQLite's extended code and message. The
/// library reads the violated constraint from both.
/// - SeeAlso: <https://www.sqlite.org/rescode.html>
public protocol RemoteSession: AnyObject {
  /// Whether the session can be used. A closed session stays closed.
  var isOpen: Bool { get }
  /// Sends a statement that returns rows, and returns these rows. Before each call, the library
  /// closes the rows of the previous statement, or reads them to their end, or calls their
  /// `keepRemaining`.
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
  /// The values of the statement's parameters, in order.
  public let values: [DatabaseValue]
  /// Whether the statement returns rows, and changes neither rows nor the schema.
  public let isReadOnly: Bool
  /// Whether the statement is sent inside an open transaction of the session.
  public let isInTransaction: Bool
  /// The columns that the statement returns. The array is empty for a statement without rows, and
  /// for the library's own statements, whose columns have short names and no declared type other
  /// than TEXT.
  public let columns: [Column]
  /// The first eight tokens of the statement, without the comments and semicolons before it. Words
  /// and names are in lower case, and names have no quotation marks.
  @_spi(Engines)
  public let firstTokens: [String]

  /// A column that a statement returns.
  public struct Column: Hashable, Sendable {
    /// The name of the column in the result: the name after AS, or else the name of the table's
    /// column or the text of the expression.
    public let name: String
    /// The type that the table declares for the column; nil for an expression.
    public let declaredType: String?

    /// Creates a column.
    public init(name: String, declaredType: String? = nil) {
      self.name = name
      self.declaredType = declaredType
    }
  }

  /// Creates a statement, for an engine that passes statements on to another engine, or for tests.
  public init(
    sql: String, values: [DatabaseValue] = [], isReadOnly: Bool = false,
    isInTransaction: Bool = false, columns: [Column] = []
  ) {
    self.init(
      sql: sql, values: values, isReadOnly: isReadOnly, isInTransaction: isInTransaction,
      columns: columns, firstTokens: SQLTokens(sql).firstTokens)
  }

  init(
    sql: String, values: [DatabaseValue], isReadOnly: Bool, isInTransaction: Bool,
    columns: [Column], firstTokens: [String]
  ) {
    self.sql = sql
    self.values = values
    self.isReadOnly = isReadOnly
    self.isInTransaction = isInTransaction
    self.columns = columns
    self.firstTokens = firstTokens
  }

  /// The statement without the comments and semicolons before and after it.
  @_spi(Engines)
  public var bareSQL: String {
    let source = SQLTokens(sql)
    var tokens = source.tokens.drop { $0.isSign(";") }
    while tokens.last?.isSign(";") == true { tokens.removeLast() }
    return source.text(tokens)
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
  /// Moves to the next row. Returns false after the last row.
  func next(isStopped: () -> Bool) throws -> Bool
  /// Calls a closure with the value in a column of the current row.
  func withValue(at index: Int, _ body: (RemoteValue) -> Void)
  /// Reads the remaining rows into memory. Afterwards, the session can send another statement while
  /// these rows are still being read.
  func keepRemaining(isStopped: () -> Bool) throws
  /// Ends the reading of the rows, whether or not all rows were read.
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
