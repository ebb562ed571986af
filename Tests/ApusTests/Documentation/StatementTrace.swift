import CSQLite
import Foundation
import Synchronization

/// Every statement that runs on any connection of this process, from before the connection is
/// prepared: SQLite calls an extension for each connection that it opens.
///
/// A test that uses it runs in a process of its own, so that all connections are those of the test.
final class StatementTrace: Sendable {
  /// Which database a statement runs in.
  enum Place {
    /// The file that the test opens.
    case database
    /// Another file.
    case otherFile
    case memory
  }

  private struct Entry {
    let place: Place
    let line: String
  }

  private let entries = Mutex<[Entry]>([])

  /// The trace of this process; it begins with the first use.
  static let shared = StatementTrace()

  /// The name of the file that the test opens.
  static let fileName = "blog.sqlite"

  private init() {
    // The entry point has parameters; the interface asks for one without.
    sqlite3_auto_extension(unsafeBitCast(traceOpened, to: (@convention(c) () -> Void).self))
  }

  /// The statements that ran in a database since this was last asked, each on one line.
  func take(_ place: Place) -> [String] {
    entries.withLock { entries in
      defer { entries.removeAll { $0.place == place } }
      return entries.filter { $0.place == place }.map(\.line)
    }
  }

  /// Forgets what ran so far.
  func clear() {
    entries.withLock { $0 = [] }
  }

  fileprivate func note(_ text: String, of statement: OpaquePointer, at place: Place) {
    var text = text[...]
    // What runs while another statement does shows as a comment, as a trigger does.
    let isNested = sqlite3_sql(statement).map { "-- " + String(cString: $0) == text } ?? false
    if isNested {
      guard !isSQLites(statement) else { return }
      text = text.dropFirst(3)
    } else if text.hasPrefix("-- "), !text.contains("\n") {
      return
    }
    for mark in ["-- looks into the schema\n", "-- counts as far as it matters\n"]
    where text.hasPrefix(mark) {
      text = text.dropFirst(mark.count)
    }
    let line = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    entries.withLock { $0.append(Entry(place: place, line: line)) }
  }

  /// Whether SQLite runs a statement by itself: VACUUM, ANALYZE, the table functions `pragma_…` and
  /// FTS5 are written in SQL.
  private func isSQLites(_ statement: OpaquePointer) -> Bool {
    var other = sqlite3_next_stmt(sqlite3_db_handle(statement), nil)
    while let outer = other {
      if outer != statement, sqlite3_stmt_busy(outer) != 0, let text = sqlite3_sql(outer) {
        let sql = String(cString: text)
        if ["VACUUM", "CREATE VIRTUAL TABLE", "ANALYZE"].contains(where: sql.hasPrefix) {
          return true
        }
        if ["pragma_", "fts5"].contains(where: sql.contains) { return true }
      }
      other = sqlite3_next_stmt(sqlite3_db_handle(statement), outer)
    }
    return false
  }

  fileprivate static func place(of statement: OpaquePointer) -> Place {
    guard let name = sqlite3_db_filename(sqlite3_db_handle(statement), "main"), name.pointee != 0
    else { return .memory }
    return String(cString: name).hasSuffix("/" + fileName) ? .database : .otherFile
  }
}

private let traceOpened:
  @convention(c) (
    OpaquePointer?, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, UnsafeRawPointer?
  ) -> Int32 = { handle, _, _ in
    // Only the trace of times reports EXPLAIN, when it has ended.
    sqlite3_trace_v2(
      handle, UInt32(SQLITE_TRACE_STMT | SQLITE_TRACE_PROFILE),
      { kind, _, subject, detail in
        guard let subject, let detail else { return 0 }
        let statement = OpaquePointer(subject)
        var text: UnsafePointer<CChar>?
        if kind == UInt32(SQLITE_TRACE_STMT) {
          text = UnsafePointer(detail.assumingMemoryBound(to: CChar.self))
        } else if sqlite3_stmt_isexplain(statement) != 0 {
          text = sqlite3_sql(statement)
        }
        if let text {
          StatementTrace.shared.note(
            String(cString: text), of: statement, at: StatementTrace.place(of: statement))
        }
        return 0
      }, nil)
  }
