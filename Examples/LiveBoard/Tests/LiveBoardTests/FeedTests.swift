import Apus
import ApusHummingbird
import Foundation
import Testing

@testable import LiveBoard

@Suite("Event streams")
struct FeedTests {
  /// The page of a browser, which applies events as `board.js` does.
  struct Page: Equatable {
    var lists: [String] = []
    var orders: [String: [String]] = [:]
    var cards: [String: String] = [:]
    var unread = UnreadPart()
    var last: EventPosition?

    struct UnreadPart: Codable, Equatable {
      var lists: [String: Int] = [:]
      var cards: [String] = []
    }

    struct BoardPart: Decodable {
      struct List: Decodable { var id: String }
      var isComplete: Bool
      var lists: [List]?
      var orders: [String: [String]]
      var cards: [String: String]
      var removed: [String]
    }

    mutating func apply(_ text: String) throws {
      for event in text.components(separatedBy: "\n\n") {
        let lines = event.split(separator: "\n")
        guard let name = lines.first(where: { $0.hasPrefix("event: ") })?.dropFirst(7),
          let data = lines.first(where: { $0.hasPrefix("data: ") })?.dropFirst(6)
        else { continue }
        last = lines.first { $0.hasPrefix("id: ") }.flatMap {
          EventPosition(String($0.dropFirst(4)))
        }
        switch name {
        case "board": apply(try JSONDecoder().decode(BoardPart.self, from: Data(data.utf8)))
        case "unread": unread = try JSONDecoder().decode(UnreadPart.self, from: Data(data.utf8))
        default: break
        }
      }
    }

    private mutating func apply(_ change: BoardPart) {
      if change.isComplete { (orders, cards) = ([:], [:]) }
      if let lists = change.lists { self.lists = lists.map(\.id) }
      for id in change.removed { cards[id] = nil }
      cards.merge(change.cards) { _, new in new }
      orders.merge(change.orders) { _, new in new }
    }

    /// The page without lists that are gone, and without the number of the last event.
    var shown: Page {
      var page = self
      page.orders = orders.filter { lists.contains($0.key) && !$0.value.isEmpty }
      page.cards = cards.filter { card in page.orders.values.contains { $0.contains(card.key) } }
      page.last = nil
      return page
    }
  }

  @Test(
    "browsers that read slowly, break off and connect again show what a new one shows",
    arguments: [1, 2, 3, 4] as [UInt64])
  func convergence(seed: UInt64) async throws {
    try await TestServer.run(sample: true) { server in
      var random = SeededGenerator(seed: seed)
      let people = try await server.board.db.fetch(Person.order(by: \.$id))
      let person = try #require(people.first)
      var pages = Array(repeating: Page(), count: 3)
      for step in 0..<60 {
        try await randomEdit(step, in: server, by: people, &random)
        for index in pages.indices where Int.random(in: 0..<4, using: &random) == 0 {
          // A browser that lost its place, and one that saw another run of the server.
          if Int.random(in: 0..<12, using: &random) == 0 { pages[index].last = nil }
          if Int.random(in: 0..<12, using: &random) == 0 {
            pages[index].last = EventPosition("0.3")
          }
          try await catchUp(&pages[index], server, person)
        }
      }
      // Some events may still be on their way. If they do not come in a minute, they never will.
      var waits = 0
      while true {
        for index in pages.indices { try await catchUp(&pages[index], server, person) }
        var fresh = Page()
        try await read(&fresh, server, person)
        let difference = try await differences(from: fresh, server, person)
        if difference.isEmpty, pages.allSatisfy({ $0.shown == fresh.shown }) { return }
        try await Task.sleep(for: .milliseconds(10))
        waits += 1
        if waits == 6_000 {
          Issue.record("seed \(seed): \(difference), \(pages.map(\.shown)), \(fresh.shown)")
          return
        }
      }
    }
  }

  /// Reads everything that was sent until now.
  private func catchUp(_ page: inout Page, _ server: TestServer, _ person: Person) async throws {
    while page.last != server.feed.events.position {
      try await read(&page, server, person)
      // Before the feed is open, a batch is empty and comes at once. Without the pause, these tests
      // could keep all threads of Swift's pool busy, and the feed would never open.
      if page.last == nil { try await Task.sleep(for: .milliseconds(1)) }
    }
  }

  /// Reads the next batch as the server sends it.
  private func read(_ page: inout Page, _ server: TestServer, _ person: Person) async throws {
    let feed = server.feed
    let batch = try await feed.events.batch(after: page.last, for: person.id) {
      try await feed.whole(for: $0)
    }
    try page.apply(String(buffer: try #require(batch).bytes))
    page.last = batch?.position
  }

  /// The parts of a page that differ from the database.
  private func differences(
    from page: Page, _ server: TestServer, _ person: Person
  ) async throws -> [String] {
    let stored = try await server.board.page(for: person)
    var found: [String] = []
    if page.lists != stored.lists.map(\.id.text) { found.append("lists") }
    for list in stored.lists {
      let order = stored.faces.filter { $0.card.listID == list.id }.map(\.id.text)
      if page.orders[list.id.text, default: []] != order { found.append("order of \(list.name)") }
    }
    for face in stored.faces {
      let html = CardView(face: face, tags: stored.tagsOfCards[face.id, default: []]).html.text
      if page.cards[face.id.text] != html { found.append("card \(face.card.title)") }
    }
    if Set(page.unread.cards) != Set(stored.unreadCards.map(\.text)) { found.append("unread") }
    let counts = Dictionary(
      stored.unreadCounts.map { ($0.key.text, $0.value) }, uniquingKeysWith: { $1 })
    if page.unread.lists != counts { found.append("counts") }
    return found
  }

  private func randomEdit(
    _ step: Int, in server: TestServer, by people: [Person], _ random: inout SeededGenerator
  ) async throws {
    let board = server.board
    let person = people.randomElement(using: &random)
    let lists = try await board.db.fetch(BoardList.order(by: \.$position))
    let cards = try await board.db.fetch(Card.all)
    guard let list = lists.randomElement(using: &random),
      let card = cards.randomElement(using: &random)
    else { return _ = try await board.addList(named: "\(step)", by: nil) }
    switch Int.random(in: 0..<10, using: &random) {
    case 0, 1: _ = try await board.addCard(CardEdit(title: "\(step)"), to: list.id, by: person)
    case 2:
      _ = try await board.editCard(card.id, CardEdit(title: "<\(step)>"), version: nil, by: person)
    case 3:
      let edit = CardEdit(isUnassigned: Bool.random(using: &random), tags: ["web", "t\(step % 5)"])
      _ = try await board.editCard(card.id, edit, version: nil, by: person)
    case 4: _ = try await board.moveCard(card.id, to: list.id, before: nil, by: person)
    case 5: try await board.deleteCard(card.id, version: nil, by: person)
    case 6:
      if lists.count > 2, step % 4 == 0 {
        try await board.deleteList(list.id, by: nil)
      } else {
        _ = try await board.renameList(list.id, to: "list \(step)", by: nil)
      }
    case 7: if let person { try await board.markRead(list: list.id, for: person.id) }
    case 8:
      // Another program, with several rows at once.
      let shell = try Connection(path: #require(board.db.path))
      try shell.execute(
        "UPDATE Card SET listID = \(list.id), title = title || '.' WHERE id % 3 = 0")
    default: _ = try await board.addList(named: "new \(step)", by: nil)
    }
  }

  @Test("an edit of another program arrives over HTTP, and a missed one after connecting again")
  func http() async throws {
    try await TestServer.run { server in
      let card = try await server.addCard("before")
      let shell = try Connection(path: #require(server.board.db.path))
      // The feed may not have seen the card yet, so that it comes with the second event.
      let first = try await server.client.events("/events") {
        $0.contains("event: board") && $0.contains("before")
      }
      #expect(first.contains("text/event-stream"))
      let last = try #require(
        first.split(separator: "\n").last { $0.hasPrefix("id: ") }.map { String($0.dropFirst(4)) })
      try shell.execute("UPDATE Card SET title = 'missed' WHERE id = \(card.id)")
      let second = try await server.client.events("/events", ["Last-Event-ID": last]) {
        $0.contains("missed")
      }
      #expect(!second.contains(#""isComplete":true"#))
    }
  }

  @Test("a value that cannot be read is reported to the pages, until it is repaired")
  func unreadable() async throws {
    try await TestServer.run { server in
      let card = try await server.addCard("before")
      _ = try await server.board.editCard(card.id, CardEdit(tags: ["web"]), version: nil, by: nil)
      let shell = try Connection(path: #require(server.board.db.path))
      let first = try await server.client.events("/events") { $0.contains("event: problem") }
      #expect(!first.contains(#""message""#))
      try shell.execute("UPDATE Tag SET hue = 'infrared'")
      _ = try await server.client.events("/events") {
        $0.contains("event: problem") && $0.contains("Tag.hue")
      }
      try shell.execute("UPDATE Tag SET hue = 'pink', name = 'repaired'")
      _ = try await server.client.events("/events") {
        $0.contains("repaired") && $0.contains("hue-pink")
      }
    }
  }
}
