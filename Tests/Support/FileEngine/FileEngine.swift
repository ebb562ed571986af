import ApusRemote
import SQLCore
import Synchronization

/// An engine over a file, for tests of what runs statements elsewhere: each session is a connection
/// of its own, which gets texts and values and returns copies of rows.
package final class FileEngine: RemoteEngine {
  package let name = "the test engine"
  package let maximumParameterCount: Int
  package let path: String
  /// What has been sent, in order.
  package let sent = Lock<[String]>([])
  /// Called before a statement is sent; an error closes the session.
  package let fault = Lock<(@Sendable (String) throws -> Void)?>(nil)
  /// Called after a statement that returns no rows has run; an error closes the session.
  package let faultAfter = Lock<(@Sendable (String) throws -> Void)?>(nil)
  /// Raised by `closeSessions`; an older session is no longer open.
  fileprivate let generation = Lock(0)

  package init(path: String, maximumParameterCount: Int = 255) {
    self.path = path
    self.maximumParameterCount = maximumParameterCount
  }

  package func connect(isReader: Bool, isStopped: () -> Bool) throws -> any RemoteSession {
    FileSession(try Connection(path: path), self)
  }

  /// Closes all sessions, as a node does that stops while they are idle.
  package func closeSessions() { generation.withLock { $0 += 1 } }
}

package final class FileSession: RemoteSession {
  private var connection: Connection?
  private let engine: FileEngine
  private let generation: Int

  init(_ connection: consuming Connection, _ engine: FileEngine) {
    self.connection = connection
    self.engine = engine
    generation = engine.generation.withLock { $0 }
  }

  package var isOpen: Bool {
    connection != nil && generation == engine.generation.withLock { $0 }
  }

  private func use(_ text: RemoteText) throws -> Connection {
    engine.sent.withLock { $0.append(text.sql) }
    do {
      try engine.fault.withLock { $0 }?(text.sql)
    } catch {
      close()
      throw error
    }
    guard isOpen, let connection else {
      throw RemoteSessionError(outcome: .notRun, message: "the session is closed")
    }
    return connection
  }

  private func sql(_ text: RemoteText) -> SQL {
    var sql = SQL(unsafe: "")
    let parts = text.sql
    sql = SQL(text: parts, bindings: text.values.map { .value($0) })
    return sql
  }

  package func rows(
    of statement: RemoteText, isStopped: () -> Bool
  ) throws -> any RemoteRows {
    let connection = try use(statement)
    var rows: [[DatabaseValue]] = []
    var count = 0
    try connection.forEach(sql(statement)) { row in
      count = row.count
      rows.append(try (0..<row.count).map { try row.databaseValue(at: $0) })
    }
    return FileRows(rows, columnCount: count)
  }

  package func run(_ statement: RemoteText, isStopped: () -> Bool) throws -> RemoteOutcome {
    let connection = try use(statement)
    try connection.execute(sql(statement))
    let outcome = RemoteOutcome(
      lastInsertRowID: try connection.lastInsertRowID, changeCount: try connection.changeCount)
    do {
      try engine.faultAfter.withLock { $0 }?(statement.sql)
    } catch {
      close()
      throw error
    }
    return outcome
  }

  package func close() {
    connection = nil
  }
}

private final class FileRows: RemoteRows {
  private let rows: [[DatabaseValue]]
  private var index = -1
  let columnCount: Int

  init(_ rows: [[DatabaseValue]], columnCount: Int) {
    self.rows = rows
    self.columnCount = columnCount
  }

  func next(isStopped: () -> Bool) throws -> Bool {
    index += 1
    return index < rows.count
  }

  func withValue(at column: Int, _ body: (RemoteValue) -> Void) {
    switch rows[index][column] {
    case .null: body(.null)
    case .integer(let integer): body(.integer(integer))
    case .real(let real): body(.real(real))
    case .text(var text):
      text.withUTF8 { body(.text(UnsafeRawBufferPointer($0))) }
    case .invalidText(let data): data.withUnsafeBytes { body(.text($0)) }
    case .blob(let data): data.withUnsafeBytes { body(.blob($0)) }
    }
  }

  func keepRemaining(isStopped: () -> Bool) {}
  func close() {}
}
