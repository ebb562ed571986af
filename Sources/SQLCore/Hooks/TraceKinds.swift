import CSQLite

/// The kinds of events that `onTrace` reports.
///
/// - SeeAlso: <https://www.sqlite.org/c3ref/c_trace.html>
public struct TraceKinds: OptionSet, Sendable {
  /// The bits, which are those of SQLite.
  public let rawValue: UInt32

  /// Creates a set of kinds from SQLite's bits.
  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// A statement, or a trigger of one, begins.
  public static let statement = TraceKinds(rawValue: UInt32(SQLITE_TRACE_STMT))
  /// A statement has ended; the event has its duration.
  public static let profile = TraceKinds(rawValue: UInt32(SQLITE_TRACE_PROFILE))
  /// A statement returns a row.
  public static let row = TraceKinds(rawValue: UInt32(SQLITE_TRACE_ROW))
  /// The connection closes.
  public static let close = TraceKinds(rawValue: UInt32(SQLITE_TRACE_CLOSE))
}
