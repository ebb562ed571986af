import Apus
import Hummingbird
import Logging
import ServiceLifecycle

/// The events that keep open pages up to date.
///
/// It observes the board once, whatever the number of browsers, and renders each change once. The newest
/// events are kept: a browser that was away for a moment gets those that it missed. One that missed
/// more, or that saw another run of the server, gets the whole board. So neither a slow browser nor one
/// that never reads costs memory here.
actor BoardFeed: Service {
  /// The next events for a browser, and the event after which to ask again.
  struct Batch: Sendable {
    var bytes: ByteBuffer
    var id: EventID
  }

  /// The largest number and size of events that are kept.
  static let keptEvents = 1_024
  static let keptBytes = 2 << 20

  let board: Board
  private let logger: Logger
  private let epoch = UInt32.random(in: 1...UInt32.max)
  private var picture = BoardPicture()
  private var events: [FeedEvent] = []
  private var eventBytes = 0
  private var lastNumber = 0
  private var loaded: Set<ObjectIdentifier> = []
  private var problems: [ObjectIdentifier: String] = [:]
  private var activity = ""
  /// The persons that opened a page, and what each can undo and redo, as it was sent last.
  private var seen: Set<Person.ID> = []
  private var steps: [Person.ID: StepsChange] = [:]
  private let activitySignal = AsyncStream.makeStream(
    of: Void.self, bufferingPolicy: .bufferingNewest(1))
  private var isClosed = false
  private var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
  private var lastWaiter = 0
  /// The number of open streams of each person.
  private var streams: [Person.ID?: Int] = [:]

  /// The number of live queries. All of them must have given their first result.
  private static let queries = 6

  init(board: Board, logger: Logger) {
    self.board = board
    self.logger = logger
  }

  // MARK: Observing

  /// Observes the board until the service is stopped.
  func run() async throws {
    await cancelWhenGracefulShutdown {
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await self.follow(BoardList.order(by: \.$position)) { $0.take($1, $2) } }
        group.addTask { await self.follow(CardFace.all) { $0.take($1, $2) } }
        group.addTask { await self.follow(TagOfCard.all) { $0.take($1, $2) } }
        group.addTask { await self.follow(Tag.order(by: \.$name)) { $0.take($1, $2) } }
        group.addTask { await self.followUnread(UnreadCount.all) { $0.take($1) } }
        group.addTask { await self.followUnread(Unread.all) { $0.take($1) } }
        group.addTask { await self.followActivity() }
        group.addTask { await self.beat() }
      }
    }
    close()
  }

  /// Follows one live query, and sends what its differences change.
  private func follow<Query: Fetchable>(
    _ query: Query,
    _ take: @Sendable (inout BoardPicture, Results<Query.Row>, _ isFirst: Bool) -> BoardChange
  ) async where Query.Row: Sendable {
    await observe(query) { feed, results, isFirst in
      let change = take(&feed.picture, results, isFirst)
      guard feed.isLoaded, !change.isEmpty else { return }
      // The first result after an error says nothing about the rows before.
      try feed.send("board", isFirst ? feed.picture.complete : change)
      feed.activitySignal.continuation.yield()
    }
  }

  private func followUnread<Query: Fetchable>(
    _ query: Query, _ take: @Sendable (inout BoardPicture, Results<Query.Row>) -> Set<Person.ID>
  ) async where Query.Row: Sendable {
    await observe(query) { feed, results, _ in
      let persons = take(&feed.picture, results)
      guard feed.isLoaded else { return }
      for person in persons {
        try feed.send("unread", feed.picture.unread(for: person), to: person)
      }
    }
  }

  /// Observes a query. If a row cannot be read, because another program wrote something else into it,
  /// the page shows the reason, and the query is tried again until the row is repaired.
  private func observe<Query: Fetchable>(
    _ query: Query,
    _ handle: (isolated BoardFeed, Results<Query.Row>, _ isFirst: Bool) throws -> Void
  ) async where Query.Row: Sendable {
    let name = ObjectIdentifier(Query.Row.self)
    while !Task.isCancelled {
      do {
        var isFirst = true
        for try await results in board.db.observe(query) {
          if problems.removeValue(forKey: name) != nil { try sendProblem() }
          try handle(self, results, isFirst)
          isFirst = false
          if loaded.insert(name).inserted, isLoaded { wake() }
        }
        return
      } catch is CancellationError {
        return
      } catch {
        logger.error("the board cannot be read", metadata: ["error": "\(error)"])
        problems[name] = "\(error)"
        try? sendProblem()
        try? await Task.sleep(for: .milliseconds(500))
      }
    }
  }

  /// Reads the newest entries of the change log after each change.
  private func followActivity() async {
    activitySignal.continuation.yield()
    for await _ in activitySignal.stream {
      try? await followSteps()
      guard let html = try? await board.activity().html.text, html != activity else { continue }
      activity = html
      if isLoaded { try? send("activity", ActivityChange(html: html)) }
    }
  }

  /// Reads what each person can undo after a change.
  private func followSteps() async throws {
    for id in seen {
      guard let person = try await board.person(id) else { continue }
      let change = StepsChange(try await board.steps(of: person))
      guard change != steps[id] else { continue }
      steps[id] = change
      try send("steps", change, to: id)
    }
  }

  private var isLoaded: Bool { loaded.count == Self.queries }

  private func beat() async {
    while (try? await Task.sleep(for: .seconds(15))) != nil { wake() }
  }

  // MARK: Sending

  private func send(
    _ name: String, _ payload: some Encodable, to audience: Person.ID? = nil
  ) throws {
    lastNumber += 1
    let event = try FeedEvent(name, payload, id: lastID, audience: audience)
    events.append(event)
    eventBytes += event.bytes.readableBytes
    while events.count > Self.keptEvents || eventBytes > Self.keptBytes {
      eventBytes -= events.removeFirst().bytes.readableBytes
    }
    wake()
  }

  private var problem: ProblemChange {
    ProblemChange(
      message: problems.isEmpty ? nil : problems.values.sorted().joined(separator: "\n"))
  }

  private func sendProblem() throws {
    try send("problem", problem)
  }

  private var lastID: EventID { EventID(epoch: epoch, number: lastNumber) }

  private func wake() {
    let waiting = waiters
    waiters = [:]
    for continuation in waiting.values { continuation.resume() }
  }

  private func close() {
    isClosed = true
    wake()
  }

  // MARK: Receiving

  /// Waits until there are events after a given one that concern a person, and returns them. Returns nil
  /// once the service is stopped; an empty batch is a heartbeat.
  func next(after id: EventID?, for person: Person.ID?) async throws -> Batch? {
    var id = id
    while !isClosed {
      try Task.checkCancellation()
      if isLoaded {
        guard let last = id, last.epoch == epoch, let missed = missed(after: last.number) else {
          return try whole(for: person)
        }
        if !missed.isEmpty {
          var bytes = ByteBuffer()
          for event in missed where event.audience == nil || event.audience == person {
            bytes.writeImmutableBuffer(event.bytes)
          }
          id = lastID
          if bytes.readableBytes > 0 { return Batch(bytes: bytes, id: lastID) }
        }
      }
      let wakening = await wait()
      // A stream that ends must not take this for a heartbeat.
      try Task.checkCancellation()
      if wakening == .beat, let id { return Batch(bytes: FeedEvent.heartbeat, id: id) }
    }
    return nil
  }

  /// The event after which a page that is rendered now for a person needs more.
  func position(for person: Person.ID?) -> EventID {
    see(person)
    return lastID
  }

  /// Whether another stream may be opened.
  var hasRoom: Bool { streams.values.reduce(0, +) < Limits.streams }

  /// Counts a stream of a person.
  func open(for person: Person.ID?) {
    see(person)
    streams[person, default: 0] += 1
  }

  private func see(_ person: Person.ID?) {
    if let person, seen.insert(person).inserted { activitySignal.continuation.yield() }
  }

  func close(for person: Person.ID?) {
    guard let count = streams[person] else { return }
    streams[person] = count > 1 ? count - 1 : nil
  }

  /// The persons whose pages are open.
  var present: Set<Person.ID> { Set(streams.keys.compactMap(\.self)) }

  /// The kept events after a number; nil if some of them are no longer kept.
  private func missed(after number: Int) -> ArraySlice<FeedEvent>? {
    guard number <= lastNumber else { return nil }
    let count = lastNumber - number
    return count <= events.count ? events.suffix(count) : nil
  }

  /// The events that show everything, whatever the page showed before.
  private func whole(for person: Person.ID?) throws -> Batch {
    var bytes = ByteBuffer()
    var parts = [
      try FeedEvent("board", picture.complete, id: lastID),
      try FeedEvent("activity", ActivityChange(html: activity), id: lastID),
      try FeedEvent("problem", problem, id: lastID),
    ]
    if let person {
      parts.append(try FeedEvent("unread", picture.unread(for: person), id: lastID))
      if let steps = steps[person] { parts.append(try FeedEvent("steps", steps, id: lastID)) }
    }
    for part in parts { bytes.writeImmutableBuffer(part.bytes) }
    return Batch(bytes: bytes, id: lastID)
  }

  private enum Wakening { case event, beat }

  private func wait() async -> Wakening {
    lastWaiter += 1
    let waiter = lastWaiter
    let number = lastNumber
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        if Task.isCancelled { continuation.resume() } else { waiters[waiter] = continuation }
      }
    } onCancel: {
      Task { await self.cancel(waiter) }
    }
    return lastNumber == number && isLoaded ? .beat : .event
  }

  private func cancel(_ waiter: Int) {
    waiters.removeValue(forKey: waiter)?.resume()
  }
}
