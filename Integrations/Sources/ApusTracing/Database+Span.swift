import Apus
import Tracing

extension Database {
  /// Runs a closure in a transaction, as a span with a child for each of its statements.
  ///
  /// ```swift
  /// try await db.write(span: "move card") { tx in
  ///   try tx.run(Card.update { $0.$list = list }.where { $0.$id == id })
  /// }
  /// // move card
  /// //   UPDATE      db.query.text: UPDATE "Card" SET "list" = ? WHERE "id" = ?
  /// ```
  ///
  /// The span begins when the write is requested and ends after its commit, so it includes the
  /// waiting for other writers. The spans have the attributes of OpenTelemetry's conventions, but
  /// not the values of parameters. Throws the errors of `write`, which the span also records. If
  /// the tracer does not record the span, its statements are not traced.
  /// - SeeAlso: <https://opentelemetry.io/docs/specs/semconv/database/>
  @discardableResult
  public func write<Result: Sendable>(
    span name: String, label: String? = nil, file: String = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (Connection) throws -> Result
  ) async throws -> Result {
    try await withSpan(name, ofKind: .client, file: file, line: line) { span in
      describe(span)
      let scope = SpanScope(span)
      return try await write(label: label) { try scope.run(body, on: $0) }
    }
  }

  /// Reads from one snapshot, as a span with a child for each statement.
  ///
  /// ```swift
  /// let cards = try await db.read(span: "board") { try $0.fetch(Card.all) }
  /// ```
  ///
  /// The spans are the same as those of `write(span:label:_:)`.
  public func read<Result: Sendable>(
    span name: String, on execution: ReadExecution = .caller, file: String = #fileID,
    line: UInt = #line, _ body: @escaping @Sendable (Connection) throws -> Result
  ) async throws -> Result {
    try await withSpan(name, ofKind: .client, file: file, line: line) { span in
      describe(span)
      let scope = SpanScope(span)
      return try await read(on: execution) { try scope.run(body, on: $0) }
    }
  }

  private func describe(_ span: any Span) {
    guard span.isRecording else { return }
    span.attributes["db.system.name"] = "sqlite"
    if let name = path?.split(separator: "/").last {
      span.attributes["db.namespace"] = String(name)
    }
  }
}

/// The span of an access, in a form that can be passed to the closure of the access. The closure
/// may run on a thread of the database, where the task-local values of the caller are missing.
private struct SpanScope: Sendable {
  let context: ServiceContext
  let tracer: any Tracer
  let isRecording: Bool

  init(_ span: any Span) {
    context = span.context
    tracer = InstrumentationSystem.tracer
    isRecording = span.isRecording
  }

  /// Runs a closure in the span. While the closure runs, each statement that ends becomes a child
  /// of the span.
  func run<Result>(
    _ body: (Connection) throws -> Result, on connection: Connection
  ) throws -> Result {
    guard isRecording else { return try body(connection) }
    let listener = try connection.onTrace(.profile) { event in
      if let duration = event.duration, let sql = event.sql { record(sql, duration) }
    }
    defer { try? connection.remove(listener) }
    return try withTracer(tracer) {
      try ServiceContext.withValue(context) { try body(connection) }
    }
  }

  /// Records a statement that has just ended.
  private func record(_ sql: String, _ duration: Duration) {
    let end = DefaultTracerClock.now
    let (seconds, attoseconds) = duration.components
    let taken = UInt64(clamping: seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    let start = end.nanosecondsSinceEpoch - min(taken, end.nanosecondsSinceEpoch)
    let operation = sql.prefix { !$0.isWhitespace }.uppercased()
    let span = tracer.startSpan(
      operation, context: context, ofKind: .client,
      at: DefaultTracerClock.Timestamp(nanosecondsSinceEpoch: start))
    span.attributes["db.system.name"] = "sqlite"
    span.attributes["db.operation.name"] = operation
    span.attributes["db.query.text"] = sql
    span.end(at: end)
  }
}
