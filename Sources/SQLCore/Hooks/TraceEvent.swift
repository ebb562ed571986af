import CSQLite

/// An event that `onTrace` reports to a listener, such as the beginning of a statement. It is valid
/// only while the listener runs.
/// - SeeAlso: <https://www.sqlite.org/c3ref/trace_v2.html>
public struct TraceEvent: ~Copyable {
  /// The kind of the event. The set has exactly one element.
  public let kind: TraceKinds
  /// The statement; nil for `.close`.
  let statement: OpaquePointer?
  /// Whether the event reports that a trigger begins, rather than the statement itself.
  public var isTrigger: Bool { comment != nil }
  /// The comment that SQLite passes in place of the SQL text when a trigger begins; nil for any
  /// other event.
  private let comment: String?
  /// The time that the statement took. Only an event of the kind `.profile` has it.
  public let duration: Duration?

  init(kind: TraceKinds, subject: UnsafeMutableRawPointer?, detail: UnsafeMutableRawPointer?) {
    self.kind = kind
    statement = kind == .close ? nil : subject.map { OpaquePointer($0) }
    let text = kind == .statement ? detail?.assumingMemoryBound(to: CChar.self) : nil
    // For a statement, SQLite passes the statement's own text. For a trigger, it passes a comment.
    // The pointers are compared because a statement's own text may also begin with a comment.
    let isOwn = UnsafePointer(text) == statement.flatMap { sqlite3_sql($0) }
    comment = isOwn ? nil : text.map { String(cString: $0) }
    duration =
      kind == .profile
      ? detail.map { .nanoseconds($0.assumingMemoryBound(to: Int64.self).pointee) } : nil
  }

  /// The SQL of the statement, with parameters in place of its values. If the event reports that a
  /// trigger begins, the text is a comment with the name of the trigger.
  public var sql: String? {
    comment ?? statement.flatMap { sqlite3_sql($0) }.map { String(cString: $0) }
  }

  /// The SQL of the statement, with its values in place of the parameters. Do not write it to logs
  /// that others can read.
  ///
  /// - SeeAlso: <https://www.sqlite.org/c3ref/expanded_sql.html>
  public var expandedSQL: String? { comment ?? statement.flatMap(expandedText) }

  /// A value that the program sets for a task, such as the name of a request. The closure that
  /// receives the statements of the task can read it.
  ///
  /// ```swift
  /// configuration.onStatement = { event in
  ///   if let request = TraceEvent.origin as? String { print(request, event.sql ?? "") }
  /// }
  /// try await TraceEvent.$origin.withValue("GET /posts") {
  ///   print(try await db.count(Post.all))
  /// }
  /// ```
  ///
  /// The statements of an access often run on a thread of the database, outside of the task. If
  /// `Configuration.onStatement` is set, the database passes this value on to reads, writes and
  /// streams of rows. BEGIN and COMMIT of a shared transaction do not get the value, because they
  /// belong to no single write. Live results do not get it either, because the library's own tasks
  /// read them.
  @TaskLocal public static var origin: (any Sendable)?
}

/// The kinds of events that `onTrace` reports.
///
/// ```swift
/// try db.onTrace([.statement, .profile]) { event in print(event.sql ?? "") }
/// ```
///
/// - SeeAlso: <https://www.sqlite.org/c3ref/c_trace.html>
public struct TraceKinds: OptionSet, Sendable {
  /// The bits, which are SQLite's own.
  public let rawValue: UInt32

  /// Creates a set of kinds from SQLite's bits.
  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// A statement or one of its triggers begins.
  public static let statement = TraceKinds(rawValue: UInt32(SQLITE_TRACE_STMT))
  /// A statement has ended; the event has its duration.
  public static let profile = TraceKinds(rawValue: UInt32(SQLITE_TRACE_PROFILE))
  /// A statement returns a row.
  public static let row = TraceKinds(rawValue: UInt32(SQLITE_TRACE_ROW))
  /// The connection closes.
  public static let close = TraceKinds(rawValue: UInt32(SQLITE_TRACE_CLOSE))
}

/// The closure of a trace listener, and the kinds of events for which it is called.
struct TraceListener: Sendable {
  let kinds: TraceKinds
  let body: @Sendable (borrowing TraceEvent) -> Void
}

extension Registrar {
  /// Calls `body` when a statement begins, returns a row or ends, and when a connection closes.
  /// `kinds` selects which of these events are reported.
  ///
  /// ```swift
  /// try db.onTrace(.profile) { event in log(event.sql, event.duration) }
  /// ```
  ///
  /// The library's own statements are reported as well. While `body` runs, its connection runs
  /// nothing else. Tracing is off until a listener is added.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/trace_v2.html>
  @discardableResult
  public func onTrace(
    _ kinds: TraceKinds, _ body: @escaping @Sendable (borrowing TraceEvent) -> Void
  ) throws -> HookListener {
    try listen(\.trace, TraceListener(kinds: kinds, body: body))
  }
}

extension ConnectionCore {
  /// Installs SQLite's trace callback for the kinds of events that the listeners want. Removes the
  /// callback if the listeners want no events.
  func installTrace(of wanted: TraceKinds) {
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

/// Returns the SQL of a statement, with its values in place of the parameters.
func expandedText(_ statement: OpaquePointer) -> String? {
  guard let text = sqlite3_expanded_sql(statement) else { return nil }
  defer { sqlite3_free(text) }
  return String(cString: text)
}
