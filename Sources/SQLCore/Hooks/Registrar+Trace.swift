import CSQLite

/// What `onTrace` tells of.
///
/// - SeeAlso: <https://www.sqlite.org/c3ref/c_trace.html>
public struct TraceKinds: OptionSet, Sendable {
  /// The bits, which are SQLite's own.
  public let rawValue: UInt32

  /// Kinds from SQLite's bits.
  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// A statement, or a trigger of it, begins.
  public static let statement = TraceKinds(rawValue: UInt32(SQLITE_TRACE_STMT))
  /// A statement ended, with the time that it took.
  public static let profile = TraceKinds(rawValue: UInt32(SQLITE_TRACE_PROFILE))
  /// A statement gives a row.
  public static let row = TraceKinds(rawValue: UInt32(SQLITE_TRACE_ROW))
  /// The connection closes.
  public static let close = TraceKinds(rawValue: UInt32(SQLITE_TRACE_CLOSE))
}

/// What a trace tells; lent while its listener runs.
/// - SeeAlso: <https://www.sqlite.org/c3ref/trace_v2.html>
public struct TraceEvent: ~Copyable {
  /// Exactly one kind.
  public let kind: TraceKinds
  /// The statement; nil for `.close`.
  let statement: OpaquePointer?
  /// The comment that SQLite gives for the beginning of a trigger.
  private let comment: String?
  /// How long the statement took, for `.profile`.
  public let duration: Duration?

  init(kind: TraceKinds, subject: UnsafeMutableRawPointer?, detail: UnsafeMutableRawPointer?) {
    self.kind = kind
    statement = kind == .close ? nil : subject.map { OpaquePointer($0) }
    let text =
      kind == .statement
      ? detail.map { String(cString: $0.assumingMemoryBound(to: CChar.self)) } : nil
    comment = text?.hasPrefix("--") == true ? text : nil
    duration =
      kind == .profile
      ? detail.map { .nanoseconds($0.assumingMemoryBound(to: Int64.self).pointee) } : nil
  }

  /// The text of the statement, its values as parameters; for a trigger that begins, a comment that
  /// names it.
  public var sql: String? {
    comment ?? statement.flatMap { sqlite3_sql($0) }.map { String(cString: $0) }
  }

  /// The text with the values in place of the parameters: not for logs that others read.
  ///
  /// - SeeAlso: <https://www.sqlite.org/c3ref/expanded_sql.html>
  public var expandedSQL: String? { comment ?? statement.flatMap(expandedText) }
}

/// A listener to traces, and what it wants to be told.
struct TraceListener: Sendable {
  let kinds: TraceKinds
  let body: @Sendable (borrowing TraceEvent) -> Void
}

extension Registrar {
  /// Calls `body` when statements begin, give rows and end, as `kinds` says.
  ///
  /// ```swift
  /// try db.onTrace(.profile) { event in log(event.sql, event.duration) }
  /// ```
  ///
  /// Statements of the library's own are told of as well. While it runs, its connection runs nothing
  /// else. Off until somebody asks.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/trace_v2.html>
  @discardableResult
  public func onTrace(
    _ kinds: TraceKinds, _ body: @escaping @Sendable (borrowing TraceEvent) -> Void
  ) throws -> HookListener {
    try listen(\.trace, TraceListener(kinds: kinds, body: body))
  }
}

extension ConnectionCore {
  /// Traces what somebody listens to, and nothing else.
  func installTrace(_ listeners: [Listening<TraceListener>]) {
    let wanted = listeners.reduce(into: TraceKinds()) { $0.formUnion($1.body.kinds) }
    guard wanted != state.pointee.tracedKinds else { return }
    state.pointee.tracedKinds = wanted
    sqlite3_trace_v2(
      handle, wanted.rawValue, wanted.isEmpty ? nil : didTrace,
      wanted.isEmpty ? nil : UnsafeMutableRawPointer(state))
  }
}

private func didTrace(
  kind: UInt32, context: UnsafeMutableRawPointer?, subject: UnsafeMutableRawPointer?,
  detail: UnsafeMutableRawPointer?
) -> Int32 {
  guard let state = context?.assumingMemoryBound(to: ConnectionState.self) else { return 0 }
  let event = TraceEvent(kind: TraceKinds(rawValue: kind), subject: subject, detail: detail)
  state.callingOut { listeners in
    for listening in listeners.trace
    where !listening.listener.isRemoved && listening.body.kinds.contains(TraceKinds(rawValue: kind))
    {
      listening.body.body(event)
    }
  }
  return 0
}

/// The text of a statement with its values in place of the parameters.
func expandedText(_ statement: OpaquePointer) -> String? {
  guard let text = sqlite3_expanded_sql(statement) else { return nil }
  defer { sqlite3_free(text) }
  return String(cString: text)
}
