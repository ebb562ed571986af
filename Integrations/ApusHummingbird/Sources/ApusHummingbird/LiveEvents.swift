import Apus
import Hummingbird
import Logging
import ServiceLifecycle
import Synchronization

/// A service that sends the rows of a live query, as server-sent events, to any number of clients.
///
/// ```swift
/// let posts = LiveEvents(db.observe(Post.order(by: \.$id)), logger: logger)
/// router.get("posts/events") { request, _ in try posts.response(to: request) }
/// var app = Application(router: router)
/// app.addServices(posts)
/// ```
///
/// The query is observed once, whatever the number of clients, and each change is rendered once. A
/// client first gets all rows, and then each change:
///
/// | Event | Data | To do |
/// |---|---|---|
/// | `rows` | `[row, …]` | show these rows, and no others |
/// | `change` | `{"removed": [index, …], "inserted": [[index, row], …], "updated": [[index, row], …]}` | remove from the last index to the first, insert from the first to the last, then replace |
/// | `problem` | `{"message": "…"}` | the rows cannot be read at present; `rows` follows when they can |
///
/// A row that moved is removed and inserted. A client that connects again gets the changes that it
/// missed, or all rows: see `EventFeed`.
///
/// For a query that depends on the request, use `Request.events(of:)`.
public final class LiveEvents<Row: Encodable & Sendable>: Service {
  private struct State {
    /// The last result; nil before the first.
    var results: Results<Row>?
    /// The event with all rows; nil after a change, until a client needs the event.
    var rows: ServerSentEvent?
    /// The event that is sent while the rows cannot be read.
    var problem: ServerSentEvent?
    /// The position of this state in the feed; nil before the feed is open.
    var position: EventPosition?
  }

  private let observation: QueryObservation<Row>
  private let feed: EventFeed<Never>
  private let logger: Logger?
  private let state = Mutex(State())

  /// Makes the service for a live query. No events are sent before the service runs.
  ///
  /// - Parameters:
  ///   - limits: The number and size of the events that are kept, the number of streams, and the
  ///     heartbeat.
  ///   - logger: The logger for errors while reading the rows. Clients get no details of these
  ///     errors.
  public init(
    _ observation: QueryObservation<Row>, limits: EventFeed<Never>.Limits = .init(),
    logger: Logger? = nil
  ) {
    self.observation = observation
    self.logger = logger
    feed = EventFeed(limits: limits)
  }

  /// Follows the query until the service shuts down, the task is cancelled or the database is closed,
  /// and then ends all streams.
  ///
  /// If the rows cannot be read, for example because another program has stored a value of another
  /// type, the query is tried again until they can be read.
  public func run() async throws {
    await cancelWhenGracefulShutdown { await self.follow() }
    feed.finish()
    // If this service returned before the others, the service group would end the others as well.
    try? await gracefulShutdown()
  }

  /// Returns the answer to a request for the events: a stream that stays open.
  ///
  /// For the end of the stream and for the errors, see
  /// `EventFeed.response(to:for:background:whole:)`.
  public func response(to request: Request) throws -> Response {
    try feed.response(to: request) { _ in try self.whole() }
  }

  /// Returns the answer to a request for which this object was made. The query is observed as long
  /// as the answer is sent.
  fileprivate func onlyResponse(to request: Request) throws -> Response {
    try feed.response(
      to: request, background: { try await self.run() }, whole: { _ in try self.whole() })
  }

  private func follow() async {
    while !Task.isCancelled {
      do {
        var isFirst = true
        for try await results in observation {
          let event = try isFirst ? Self.rows(results) : Self.change(to: results)
          show(event) { state in
            state.results = results
            state.rows = isFirst ? event : nil
            state.problem = nil
          }
          isFirst = false
        }
        return
      } catch is CancellationError {
        return
      } catch {
        if state.withLock({ $0.problem == nil }) {
          logger?.error(
            "the rows of an event stream cannot be read", metadata: ["error": "\(error)"])
          let problem = ServerSentEvent("problem", text: #"{"message":"the rows cannot be read"}"#)
          show(problem) { $0.problem = problem }
        }
        try? await Task.sleep(for: .milliseconds(500))
      }
    }
  }

  /// Changes the state, and sends the event that describes this change to the clients.
  private func show(_ event: ServerSentEvent, _ change: (inout State) -> Void) {
    state.withLock { state in
      change(&state)
      // Before the feed is opened, no client has any rows, so the event is not sent. The clients
      // get the whole state instead.
      if state.position != nil { feed.send(event) }
      state.position = feed.position
    }
    feed.open()
  }

  private func whole() throws -> EventFeed<Never>.Whole {
    let now = state.withLock { $0 }
    let position = now.position ?? feed.position
    var rows = now.rows
    if rows == nil, let results = now.results {
      rows = try Self.rows(results)
      state.withLock { if $0.position == now.position { $0.rows = rows } }
    }
    return ([rows, now.problem].compactMap(\.self), position)
  }

  private static func rows(_ results: Results<Row>) throws -> ServerSentEvent {
    try ServerSentEvent("rows", json: Array(results))
  }

  private static func change(to results: Results<Row>) throws -> ServerSentEvent {
    let difference = results.difference
    return try ServerSentEvent(
      "change",
      json: ResultsChange(
        removed: (difference.removed + difference.moved.map(\.origin)).sorted(),
        inserted: (difference.inserted + difference.moved.map(\.destination)).sorted()
          .map { .init(index: $0, row: results[$0]) },
        updated: difference.updated.map { .init(index: $0, row: results[$0]) }))
  }
}

/// The data of the event `change`.
private struct ResultsChange<Row: Encodable>: Encodable {
  struct Place: Encodable {
    var index: Int
    var row: Row

    func encode(to encoder: any Encoder) throws {
      var container = encoder.unkeyedContainer()
      try container.encode(index)
      try container.encode(row)
    }
  }

  var removed: [Int]
  var inserted: [Place]
  var updated: [Place]
}

extension Request {
  /// Returns a stream of server-sent events with the rows of a live query that belongs to this
  /// request.
  ///
  /// ```swift
  /// router.get("authors/:id/posts/events") { request, context in
  ///   let id = try context.parameters.require("id", as: Int64.self)
  ///   let posts = Post.where { $0.$authorID == Unique64(rawValue: id) }
  ///   return try request.events(of: db.observe(posts))
  /// }
  /// ```
  ///
  /// The events are those of `LiveEvents`. Each stream has its own observation of the query. So a
  /// client that connects again gets all rows, and the number of streams is not limited. For a
  /// query that many clients follow, share one `LiveEvents`.
  public func events<Row: Encodable & Sendable>(
    of observation: QueryObservation<Row>, heartbeat: Duration = .seconds(15),
    logger: Logger? = nil
  ) throws -> Response {
    var limits = EventFeed<Never>.Limits()
    limits.heartbeat = heartbeat
    return try LiveEvents(observation, limits: limits, logger: logger).onlyResponse(to: self)
  }
}
