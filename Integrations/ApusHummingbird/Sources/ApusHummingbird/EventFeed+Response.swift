import Foundation
import HTTPTypes
import Hummingbird
import ServiceLifecycle
import Synchronization

extension EventFeed {
  /// Returns the answer to a request for the events: a stream that stays open.
  ///
  /// The stream begins after the position in the header `Last-Event-ID`. Without this header, it
  /// begins after the position in the parameter `after` of the address, which a page can set to the
  /// position at which it was rendered. The stream ends in these cases:
  ///
  /// - The client is gone.
  /// - The client does not accept an event within two heartbeats.
  /// - The feed is finished.
  /// - The service shuts down gracefully. So open streams do not keep the server running after its
  ///   other requests are answered.
  ///
  /// Throws `HTTPError` with the status 503 if the largest number of streams is open.
  ///
  /// - Parameters:
  ///   - audience: The audience whose events the client gets, in addition to the events for all.
  ///   - background: A closure that runs as long as the stream, such as one that fills the feed. If it
  ///     returns or throws, the stream ends.
  ///   - whole: A closure that returns the events that show the whole state, and a position in the
  ///     feed. The state must include all events up to this position, and may include later ones.
  public func response(
    to request: Request, for audience: Audience? = nil,
    background: (@Sendable () async throws -> Void)? = nil,
    whole: @escaping @Sendable (Audience?) async throws -> Whole
  ) throws -> Response {
    // The stream is counted here, and not only when the body runs, so that requests at the same
    // time cannot exceed the limit. If the answer is discarded, nothing refers to the stream any
    // more, and it is no longer counted.
    guard let stream = begin(for: audience) else {
      throw HTTPError(
        .serviceUnavailable, headers: [.retryAfter: "10"],
        message: "\(limits.streams) event streams are open already")
    }
    let text =
      request.headers[.lastEventID] ?? request.uri.queryParameters["after"].map(String.init)
    let start = text.flatMap { EventPosition($0) }
    let body = ResponseBody { writer in
      let lent = LentWriter(writer)
      let delivery = Delivery(
        feed: self, stream: stream, audience: audience, position: start, whole: whole)
      try await delivery.run(to: lent, background)
      try await writer.finish(nil)
    }
    return Response(
      status: .ok,
      headers: [
        .contentType: "text/event-stream; charset=utf-8", .cacheControl: "no-store",
        // Without this header, a proxy such as nginx would collect several events before it sends
        // them on.
        .xAccelBuffering: "no",
      ],
      body: body)
  }
}

extension HTTPField.Name {
  static let lastEventID = HTTPField.Name("Last-Event-ID") ?? .ifMatch
  static let link = HTTPField.Name("Link") ?? .location
  static let xAccelBuffering = HTTPField.Name("X-Accel-Buffering") ?? .cacheControl
}

/// The error that ends a stream because its client accepts no more events.
struct SlowClient: Error {}

/// The writer of a response body. Another task uses it while the task that writes the response
/// waits.
///
/// `@unchecked Sendable`: only this other task uses the writer.
private final class LentWriter: @unchecked Sendable {
  private var writer: any ResponseBodyWriter

  init(_ writer: any ResponseBodyWriter) { self.writer = writer }

  func write(_ bytes: ByteBuffer) async throws { try await writer.write(bytes) }
}

/// The events that are sent to one client.
private final class Delivery<Audience: Hashable & Sendable>: Sendable {
  private let feed: EventFeed<Audience>
  private let stream: EventFeed<Audience>.OpenStream
  private let audience: Audience?
  private let start: EventPosition?
  private let whole: @Sendable (Audience?) async throws -> EventFeed<Audience>.Whole

  private struct Progress {
    /// The number of the last write that has begun, and the number of the last write that has
    /// ended.
    var begun = 0
    var ended = 0
    /// The value that `begun` had at the previous heartbeat.
    var atLastBeat = 0
    /// Whether a comment is to be sent if there are no events.
    var isBeatDue = false
    /// Whether the stream ends, so that no further write begins.
    var isEnding = false
  }
  private let progress = Mutex(Progress())

  init(
    feed: EventFeed<Audience>, stream: EventFeed<Audience>.OpenStream, audience: Audience?,
    position: EventPosition?,
    whole: @escaping @Sendable (Audience?) async throws -> EventFeed<Audience>.Whole
  ) {
    self.feed = feed
    self.stream = stream
    self.audience = audience
    start = position
    self.whole = whole
  }

  /// Sends events until the stream has to end. If the body of the response ends with a complete
  /// event, returns, so that the caller can finish the response. Otherwise, throws, so that the
  /// connection is closed.
  func run(to writer: LentWriter, _ background: (@Sendable () async throws -> Void)?) async throws {
    defer { stream.end() }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await self.deliver(to: writer) }
      group.addTask { try await self.beat() }
      group.addTask {
        do { try await gracefulShutdown() } catch is CancellationError {}
      }
      if let background { group.addTask { try await background() } }
      defer { group.cancelAll() }
      try await group.next()
      await endWriting()
    }
    // If the end of the stream has interrupted a write, the client may have only a part of an
    // event. Nothing may follow it, so the connection is closed.
    if progress.withLock({ $0.begun != $0.ended }) { throw SlowClient() }
  }

  private func deliver(to writer: LentWriter) async throws {
    var position = start
    // The time, in milliseconds, that the client waits before it connects again.
    try await write(ByteBuffer(string: "retry: 500\n\n"), to: writer)
    for await _ in stream.signal {
      guard let batch = try await feed.batch(after: position, for: audience, whole: whole) else {
        return
      }
      // Before the feed is opened, a batch has no position and no events. The loop continues when
      // the feed is opened.
      if let reached = batch.position { position = reached }
      if batch.bytes.readableBytes > 0 {
        try await write(batch.bytes, to: writer)
      } else if progress.withLock({ $0.isBeatDue }) {
        try await write(ServerSentEvent.heartbeat, to: writer)
      }
      // Events may have been sent since the whole state was read. In this case, the stream sends
      // them at once.
      if let reached = batch.position, feed.position != reached { feed.beat(stream.id) }
    }
    // The loop ends only if this task was cancelled. The task that has ended first decides how the
    // stream ends.
    try Task.checkCancellation()
  }

  private func write(_ bytes: ByteBuffer, to writer: LentWriter) async throws {
    let isEnding = progress.withLock { progress in
      if !progress.isEnding { progress.begun += 1 }
      progress.isBeatDue = false
      return progress.isEnding
    }
    if isEnding { throw CancellationError() }
    try await writer.write(bytes)
    // If the task is cancelled while a write waits for the client, the write may return without an
    // error, although it is not complete.
    try Task.checkCancellation()
    progress.withLock { $0.ended += 1 }
  }

  /// Prevents further writes, and gives the last write 0.2 seconds to end. The client may already
  /// have the bytes of this write.
  private func endWriting() async {
    for _ in 0..<20 {
      let isWriting = progress.withLock { progress in
        progress.isEnding = true
        return progress.begun != progress.ended
      }
      guard isWriting else { return }
      try? await Task.sleep(for: .milliseconds(10))
    }
  }

  /// At each heartbeat, requests a comment if nothing was sent since the previous heartbeat. Throws
  /// if one write lasts from one heartbeat to the next.
  private func beat() async throws {
    while true {
      do { try await Task.sleep(for: feed.limits.heartbeat) } catch { return }
      let isStuck = progress.withLock { progress in
        defer { progress.atLastBeat = progress.begun }
        if progress.begun != progress.ended { return progress.begun == progress.atLastBeat }
        progress.isBeatDue = progress.begun == progress.atLastBeat
        return false
      }
      if isStuck { throw SlowClient() }
      feed.beat(stream.id)
    }
  }
}
