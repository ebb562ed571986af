import CSQLite

/// The closure of a trace listener, with the kinds of events that it wants.
struct TraceListener: Sendable {
  let kinds: TraceKinds
  let body: @Sendable (borrowing TraceEvent) -> Void
}

extension Registrar {
  /// Calls `body` when statements begin, return rows or end, as `kinds` selects.
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
  /// Installs a trace of the kinds that the listeners want, or removes it if they want none.
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
