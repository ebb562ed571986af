import Apus
import HTTPTypes
import Hummingbird
import ServiceLifecycle

extension BoardServer {
  /// The stream of events that keeps a page up to date.
  func addEvents(to router: Router<BoardContext>) {
    let feed = feed
    router.resource(
      "events",
      [
        .get: { request, context in
          // A browser that connects again sends the last event that it received.
          let text = try request.headers[.lastEventID] ?? request.queryFields()["after"]
          let start = text.flatMap(EventID.init)
          let person = context.person?.id
          guard await feed.hasRoom else {
            throw Refusal(
              status: .serviceUnavailable, code: "streams",
              reason: "\(Limits.streams) pages are open already", headers: [.retryAfter: "10"])
          }
          let body = ResponseBody { writer in
            await feed.open(for: person)
            do {
              try await send(feed, after: start, for: person, to: &writer)
              await feed.close(for: person)
            } catch {
              await feed.close(for: person)
              throw error
            }
            try await writer.finish(nil)
          }
          return Response(
            status: .ok,
            headers: [
              .contentType: "text/event-stream; charset=utf-8", .cacheControl: "no-store",
              .xAccelBuffering: "no",
            ],
            body: body)
        }
      ])
  }
}

/// Sends events until the browser is gone or the server stops. A browser that reads slowly makes `write`
/// wait, and gets everything that happened meanwhile at once.
private func send(
  _ feed: BoardFeed, after start: EventID?, for person: Person.ID?,
  to writer: inout any ResponseBodyWriter
) async throws {
  var last = start
  // The browser waits this long before it connects again.
  try await writer.write(ByteBuffer(string: "retry: 500\n\n"))
  while let batch = try await nextUnlessStopping(feed, after: last, for: person) {
    try await writer.write(batch.bytes)
    last = batch.id
  }
}

/// Returns the next batch; nil once the server stops.
private func nextUnlessStopping(
  _ feed: BoardFeed, after last: EventID?, for person: Person.ID?
) async throws -> BoardFeed.Batch? {
  do {
    return try await cancelWhenGracefulShutdown { try await feed.next(after: last, for: person) }
  } catch is CancellationError where !Task.isCancelled {
    return nil
  }
}

extension HTTPField.Name {
  static let lastEventID = HTTPField.Name("Last-Event-ID") ?? .server
}
