import Apus
import ApusHummingbird
import Hummingbird
import Logging
import ServiceLifecycle

/// The events that keep open pages up to date.
///
/// The feed observes the board once, whatever the number of browsers, and renders each change once.
/// A browser gets the whole board if it has missed more events than the feed keeps, or if its last
/// event came from an earlier run of the server.
actor BoardFeed: Service {
  let board: Board
  /// The events that were sent. The audience of an event for one person is the person's key.
  nonisolated let events = EventFeed<Person.ID>()
  private let logger: Logger
  private var picture = BoardPicture()
  private var loaded: Set<ObjectIdentifier> = []
  private var problems: [ObjectIdentifier: String] = [:]
  private var activity = ""
  /// The persons who have opened a page. `steps` says for each of them whether the last event said
  /// that the person can undo or redo something.
  private var seen: Set<Person.ID> = []
  private var steps: [Person.ID: StepsChange] = [:]
  private let activitySignal = AsyncStream.makeStream(
    of: Void.self, bufferingPolicy: .bufferingNewest(1))

  /// The number of live queries. Events are sent only after each of them has returned its first
  /// result.
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
      }
    }
    events.finish()
  }

  /// Follows one live query, and sends the changes of the board in each new result.
  private func follow<Query: Fetchable>(
    _ query: Query,
    _ take: @Sendable (inout BoardPicture, Results<Query.Row>, _ isFirst: Bool) -> BoardChange
  ) async where Query.Row: Sendable {
    await observe(query) { feed, results, isFirst in
      let change = take(&feed.picture, results, isFirst)
      guard feed.isLoaded, !change.isEmpty else { return }
      // The first result after an error does not say how it differs from the rows that the page
      // shows, so the whole board is sent.
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

  /// Observes a query. If a row cannot be read, for example because another program has stored a
  /// value of another type, the page shows the reason. The query is then tried again until the row
  /// can be read.
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
          if loaded.insert(name).inserted, isLoaded { events.open() }
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

  /// Reads what each person can undo and redo now, and sends an event to the persons for whom this
  /// has changed.
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

  // MARK: Sending

  private func send(
    _ name: String, _ payload: some Encodable, to audience: Person.ID? = nil
  ) throws {
    events.send(try ServerSentEvent(name, json: payload), to: audience)
  }

  private var problem: ProblemChange {
    ProblemChange(
      message: problems.isEmpty ? nil : problems.values.sorted().joined(separator: "\n"))
  }

  private func sendProblem() throws {
    try send("problem", problem)
  }

  /// Returns the present position of the feed. A page that is rendered for a person after this call
  /// needs the events that follow this position.
  func position(for person: Person.ID?) -> EventPosition {
    see(person)
    return events.position
  }

  private func see(_ person: Person.ID?) {
    if let person, seen.insert(person).inserted { activitySignal.continuation.yield() }
  }

  /// Returns the events that bring a page to the present state, whatever the page has shown before.
  func whole(for person: Person.ID?) throws -> EventFeed<Person.ID>.Whole {
    see(person)
    var parts = [
      try ServerSentEvent("board", json: picture.complete),
      try ServerSentEvent("activity", json: ActivityChange(html: activity)),
      try ServerSentEvent("problem", json: problem),
    ]
    if let person {
      parts.append(try ServerSentEvent("unread", json: picture.unread(for: person)))
      if let steps = steps[person] { parts.append(try ServerSentEvent("steps", json: steps)) }
    }
    return (parts, events.position)
  }
}
