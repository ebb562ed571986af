import Apus
import Hummingbird
import Logging

/// A middleware that limits the time of a request. When the time is over, the task of the handler
/// is cancelled. If the cancellation ends the handler, the request is answered with 503.
///
/// ```swift
/// router.add(middleware: DeadlineMiddleware(.seconds(5)))
/// ```
///
/// The cancellation interrupts a running statement and ends a wait for a connection. A transaction
/// that is not committed is rolled back. The time in which the body of an answer is sent is not
/// limited, because it is sent after the handler has returned. This concerns event streams, for
/// example.
public struct DeadlineMiddleware<Context: RequestContext>: RouterMiddleware {
  private let duration: Duration

  /// Makes a middleware that gives each request at most the given time.
  public init(_ duration: Duration) {
    self.duration = duration
  }

  /// The handler of the request, which is called in a task that can be cancelled.
  ///
  /// `@unchecked Sendable`: only the task that can be cancelled calls the handler. The task of the
  /// request waits meanwhile.
  private struct Handler: @unchecked Sendable {
    let context: Context
    let next: (Request, Context) async throws -> Response
  }

  /// Answers a request.
  public func handle(
    _ request: Request, context: Context,
    next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    try await withoutActuallyEscaping(next) { next in
      let handler = Handler(context: context, next: next)
      return try await withThrowingTaskGroup(of: Response?.self) { group in
        group.addTask { try await handler.next(request, handler.context) }
        group.addTask { [duration] in
          try? await Task.sleep(for: duration)
          return nil
        }
        defer { group.cancelAll() }
        if let response = try await group.next() ?? nil { return response }
        // If this line is reached, the time is over, or the request itself was cancelled.
        group.cancelAll()
        do {
          // The handler may have succeeded in spite of the cancellation, and may have committed a
          // transaction. In this case, its answer is sent.
          if let response = try await group.next() ?? nil { return response }
        } catch let error where Task.isCancelled || !Self.isCancellation(error) {
          throw error
        } catch {
          throw DatabaseFailure(busy: error)
        }
        throw CancellationError()
      }
    }
  }

  private static func isCancellation(_ error: any Error) -> Bool {
    error is CancellationError || (error as? DatabaseError)?.isInterruption == true
  }
}

/// A middleware that logs the slow statements of a request. It uses the logger of the request, so
/// each message has the id of the request.
///
/// ```swift
/// var configuration = Configuration()
/// configuration.reportSlowStatements(over: .milliseconds(20))
/// router.add(middleware: SlowStatementMiddleware())
/// // warning: a statement was slow  hb.request.id=… path=/posts duration_ms=31 sql=SELECT …
/// ```
///
/// The logged SQL has parameters in place of values. The statements of reads, writes and streams of
/// rows are logged. The statements of live results are not logged, and neither is a commit that
/// several requests share. See `TraceEvent.origin`.
public struct SlowStatementMiddleware<Context: RequestContext>: RouterMiddleware {
  /// Makes the middleware.
  public init() {}

  /// Answers a request.
  public func handle(
    _ request: Request, context: Context,
    next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    let origin = RequestOrigin(logger: context.logger, path: request.uri.path)
    return try await TraceEvent.$origin.withValue(origin) { try await next(request, context) }
  }
}

/// The request that has caused a statement.
private struct RequestOrigin: Sendable {
  let logger: Logger
  let path: String
}

extension Configuration {
  /// Reports each statement that takes longer than a duration, if it belongs to a request that
  /// `SlowStatementMiddleware` handles. The report goes to the logger of the request. A closure
  /// that was already set as `onStatement` is still called. With this setting, SQLite measures each
  /// statement, in whole milliseconds.
  public mutating func reportSlowStatements(
    over limit: Duration, at level: Logger.Level = .warning
  ) {
    let earlier = onStatement
    onStatement = { event in
      earlier?(event)
      guard let duration = event.duration, duration > limit,
        let origin = TraceEvent.origin as? RequestOrigin, origin.logger.logLevel <= level
      else { return }
      let milliseconds =
        duration.components.seconds * 1_000
        + duration.components.attoseconds / 1_000_000_000_000_000
      origin.logger.log(
        level: level, "a statement was slow",
        metadata: [
          "path": "\(origin.path)", "sql": "\(event.sql ?? "")", "duration_ms": "\(milliseconds)",
        ])
    }
  }
}
