import CSQLite

/// An event of a trace, valid while its listener runs.
/// - SeeAlso: <https://www.sqlite.org/c3ref/trace_v2.html>
public struct TraceEvent: ~Copyable {
  /// The kind of the event, exactly one.
  public let kind: TraceKinds
  /// The statement; nil for `.close`.
  let statement: OpaquePointer?
  /// Whether a trigger of the statement begins, and not the statement itself.
  public var isTrigger: Bool { comment != nil }
  /// The comment that SQLite passes when a trigger begins.
  private let comment: String?
  /// The time that the statement took, for `.profile`.
  public let duration: Duration?

  init(kind: TraceKinds, subject: UnsafeMutableRawPointer?, detail: UnsafeMutableRawPointer?) {
    self.kind = kind
    statement = kind == .close ? nil : subject.map { OpaquePointer($0) }
    let text = kind == .statement ? detail?.assumingMemoryBound(to: CChar.self) : nil
    // SQLite passes the statement's own text, which may begin with a comment as well, or another
    // one.
    let isOwn = UnsafePointer(text) == statement.flatMap { sqlite3_sql($0) }
    comment = isOwn ? nil : text.map { String(cString: $0) }
    duration =
      kind == .profile
      ? detail.map { .nanoseconds($0.assumingMemoryBound(to: Int64.self).pointee) } : nil
  }

  /// The SQL of the statement, with parameters in place of its values. For a trigger that begins,
  /// it is a comment with the name of the trigger.
  public var sql: String? {
    comment ?? statement.flatMap { sqlite3_sql($0) }.map { String(cString: $0) }
  }

  /// The SQL of the statement, with its values in place of the parameters. Do not write it to logs
  /// that others can read.
  ///
  /// - SeeAlso: <https://www.sqlite.org/c3ref/expanded_sql.html>
  public var expandedSQL: String? { comment ?? statement.flatMap(expandedText) }
}
