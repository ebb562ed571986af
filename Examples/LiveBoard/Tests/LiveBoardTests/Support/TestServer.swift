import Apus
import Logging
import Testing

@testable import LiveBoard

/// A server on a free port, with a database file of its own, for one test.
struct TestServer: Sendable {
  let board: Board
  let feed: BoardFeed
  let client: RawClient

  /// Runs a test with a server, when fewer than `TestPlaces.count` others run.
  static func run(
    sample: Bool = false, _ body: @Sendable (TestServer) async throws -> Void
  ) async throws {
    try await TestPlaces.shared.run { try await serve(sample: sample, body) }
  }

  private static func serve(
    sample: Bool, _ body: @Sendable (TestServer) async throws -> Void
  ) async throws {
    let board = Board(in: try Database.temporary(models: Board.models))
    if sample { try await board.addSampleIfEmpty() }
    var logger = Logger(label: "test")
    logger.logLevel = .critical
    let server = BoardServer(board: board, logger: logger)
    let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        defer { continuation.finish() }
        try await server.run(port: 0, signals: []) { continuation.yield($0) }
      }
      var port: Int?
      for await number in ports {
        port = number
        break
      }
      let test = TestServer(
        board: board, feed: server.feed, client: RawClient(port: try #require(port)))
      try await body(test)
      group.cancelAll()
      // A service group may report in several ways that it was cancelled.
      while await group.nextResult() != nil {}
    }
    try await board.db.close()
  }

  /// Adds a list with a card, and returns the card.
  func addCard(_ title: String = "A card", notes: String = "") async throws -> Card {
    let list = try await board.addList(named: "A list", by: nil)
    var edit = CardEdit()
    edit.title = title
    edit.notes = notes
    return try await board.addCard(edit, to: list.id, by: nil).card
  }

  /// Everything that is stored, so that a test can see that nothing was written.
  func stored() async throws -> String {
    try await board.db.read { db in
      var text = "\(try db.fetch(BoardList.order(by: \.$id)))\n"
      text += "\(try db.fetch(Card.order(by: \.$id)))\n\(try db.fetch(Tag.order(by: \.$id)))\n"
      text += "\(try db.fetch(CardTag.all))\n\(try db.fetch(Person.order(by: \.$id)))\n"
      text += "\(try db.fetch(Unread.all))\n\(try db.logPosition())"
      return text
    }
  }
}
