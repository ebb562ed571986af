import CSQLite
import Foundation
import Synchronization

/// Every statement that runs on any connection to one file, beginning before the connection is
/// prepared: SQLite calls an extension for each connection that it opens.
final class StatementTrace: Sendable {
  private let path: String
  private let statements = Mutex<[String]>([])

  private static let traces = Mutex<[StatementTrace]>([])

  /// Begins to trace the connections to the file that are opened from now on.
  init(path: String) {
    self.path = path
    Self.traces.withLock { $0.append(self) }
    // The entry point has parameters, but the interface takes one without.
    sqlite3_auto_extension(unsafeBitCast(traceOpened, to: (@convention(c) () -> Void).self))
  }

  /// Returns the statements that ran since the last call, each on one line.
  func take() -> [String] {
    statements.withLock { statements in
      defer { statements = [] }
      return statements
    }
  }

  fileprivate func note(_ sql: String) {
    // A statement that runs inside another one appears as a comment, as do triggers and a virtual
    // table's own work, which have one line.
    guard !sql.hasPrefix("-- ") || sql.contains("\n") else { return }
    var text = sql.hasPrefix("-- ") ? sql.dropFirst(3) : sql[...]
    let mark = "looks into the schema\n"
    if text.hasPrefix(mark) { text = text.dropFirst(mark.count) }
    let line = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    statements.withLock { $0.append(line) }
  }

  fileprivate static func trace(ofFile path: String) -> StatementTrace? {
    traces.withLock { $0.first { path.hasSuffix($0.path) } }
  }
}

private let traceOpened:
  @convention(c) (
    OpaquePointer?, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, UnsafeRawPointer?
  ) -> Int32 = { handle, _, _ in
    guard let name = sqlite3_db_filename(handle, "main"),
      let trace = StatementTrace.trace(ofFile: String(cString: name))
    else { return SQLITE_OK }
    return sqlite3_trace_v2(
      handle, UInt32(SQLITE_TRACE_STMT),
      { _, context, _, text in
        if let context, let text {
          Unmanaged<StatementTrace>.fromOpaque(context).takeUnretainedValue()
            .note(String(cString: text.assumingMemoryBound(to: CChar.self)))
        }
        return 0
      }, Unmanaged.passUnretained(trace).toOpaque())
  }
