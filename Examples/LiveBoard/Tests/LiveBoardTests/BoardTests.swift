import Apus
import Foundation
import Testing

@testable import LiveBoard

@Suite("The board")
struct BoardTests {
  private let board: Board

  init() throws {
    board = Board(in: try Database.temporary(models: Board.models))
  }

  private func card(_ title: String, _ tags: [String]? = nil) -> CardEdit {
    var edit = CardEdit()
    edit.title = title
    edit.tags = tags
    return edit
  }

  @Test("the live queries are maintained, so that a commit costs what it changed")
  func maintenance() async throws {
    let db = board.db
    #expect(try await db.observe(CardFace.all).explanation.isMaintained)
    #expect(try await db.observe(TagOfCard.all).explanation.isMaintained)
    #expect(try await db.observe(UnreadCount.all).explanation.isMaintained)
    #expect(try await db.observe(Unread.all).explanation.isMaintained)
    #expect(try await db.observe(BoardList.order(by: \.$position)).explanation.isMaintained)
    #expect(try await db.observe(Tag.order(by: \.$name)).explanation.isMaintained)
  }

  @Test("the sample is there after the first start only")
  func sample() async throws {
    try await board.addSampleIfEmpty()
    let titles = try await board.db.fetch(Card.select(\.$title))
    #expect(titles.count == 12)
    try await board.addSampleIfEmpty()
    #expect(try await board.db.count(Card.all) == titles.count)
  }

  @Test("cards stay in the order into which they are moved, however often", arguments: 1...4)
  func moves(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let lists = [
      try await board.addList(named: "a", by: nil), try await board.addList(named: "b", by: nil),
    ]
    var orders: [[Card.ID]] = [[], []]
    for number in 0..<8 {
      orders[0].append(try await board.addCard(card("\(number)"), to: lists[0].id, by: nil).id)
    }
    for _ in 0..<150 {
      let from =
        orders[0].isEmpty ? 1 : orders[1].isEmpty ? 0 : Int.random(in: 0...1, using: &random)
      let id = orders[from].randomElement(using: &random) ?? orders[from][0]
      let to = Int.random(in: 0...1, using: &random)
      orders[from].removeAll { $0 == id }
      // Mostly to the beginning, where the positions become close.
      let place =
        Bool.random(using: &random)
        ? min(1, orders[to].count)
        : Int.random(in: 0...orders[to].count, using: &random)
      let before = place < orders[to].count ? orders[to][place] : nil
      orders[to].insert(id, at: place)
      _ = try await board.moveCard(id, to: lists[to].id, before: before, by: nil)
      let page = try await board.page(for: nil)
      for index in 0...1 {
        let stored = page.faces.filter { $0.card.listID == lists[index].id }.map(\.id)
        #expect(stored == orders[index], "seed \(seed)")
      }
    }
  }

  @Test("a card moved between two others a hundred times keeps its place")
  func closePositions() async throws {
    let list = try await board.addList(named: "a", by: nil)
    let first = try await board.addCard(card("1"), to: list.id, by: nil)
    var others: [Card.ID] = []
    for title in ["2", "3"] {
      others.append(try await board.addCard(card(title), to: list.id, by: nil).id)
    }
    for _ in 0..<100 {
      _ = try await board.moveCard(others[1], to: list.id, before: others[0], by: nil)
      others.swapAt(0, 1)
      let order = try await board.page(for: nil).faces.map(\.id)
      #expect(order == [first.id] + others)
    }
  }

  @Test("tags are found whatever their case, and a card has each once")
  func tags() async throws {
    let list = try await board.addList(named: "a", by: nil)
    let face = try await board.addCard(
      card("1", ["Web", "web", " WEB ", "new"]), to: list.id, by: nil)
    #expect(try await board.form(of: face.id).tags.map(\.name) == ["new", "Web"])
    _ = try await board.editCard(face.id, card("1", ["NEW"]), version: nil, by: nil)
    #expect(try await board.form(of: face.id).tags.map(\.name) == ["new"])
    #expect(try await board.db.count(Tag.all) == 2)
  }

  @Test("a change is unread for everyone else until it is read")
  func unread() async throws {
    let ada = try await board.db.insert(Person(name: "Ada"))
    let grace = try await board.db.insert(Person(name: "Grace"))
    let list = try await board.addList(named: "a", by: nil)
    let face = try await board.addCard(card("1"), to: list.id, by: ada)
    func counts() async throws -> [Int] {
      let ofAda = try await board.page(for: ada).unreadCounts[list.id] ?? 0
      let ofGrace = try await board.page(for: grace).unreadCounts[list.id] ?? 0
      return [ofAda, ofGrace]
    }
    #expect(try await counts() == [0, 1])
    try await board.markRead(face.id, for: grace.id)
    #expect(try await counts() == [0, 0])
    _ = try await board.editCard(face.id, card("2"), version: nil, by: grace)
    #expect(try await counts() == [1, 0])
    // An edit without a difference makes nothing unread.
    try await board.markRead(list: list.id, for: ada.id)
    _ = try await board.editCard(face.id, card("2"), version: nil, by: grace)
    #expect(try await counts() == [0, 0])
    try await board.deleteCard(face.id, version: nil, by: ada)
    #expect(try await board.db.count(Unread.all) == 0)
  }

  @Test("search finds words by their beginnings in titles and notes, and no sign is syntax")
  func search() async throws {
    let list = try await board.addList(named: "a", by: nil)
    var edit = card("Release notes")
    edit.notes = "Ask everyone"
    _ = try await board.addCard(edit, to: list.id, by: nil)
    edit = card("Other")
    edit.notes = "the release, and its notes"
    _ = try await board.addCard(edit, to: list.id, by: nil)
    func titles(_ text: String) async throws -> [String] {
      try await board.search(text).found.map(\.face.card.title)
    }
    #expect(try await titles("relea not") == ["Release notes", "Other"])
    #expect(try await titles("every") == ["Release notes"])
    for text in ["\"", "*", "a AND", "NEAR(", "-", "release OR other", "title:"] {
      _ = try await titles(text)
    }
  }

  @Test("the activity says what each change did, and by whom")
  func activity() async throws {
    let ada = try await board.db.insert(Person(name: "Ada"))
    let list = try await board.addList(named: "Ideas", by: "Ada")
    let face = try await board.addCard(card("One"), to: list.id, by: ada)
    _ = try await board.editCard(face.id, card("Two"), version: nil, by: ada)
    let shell = try Connection(path: #require(board.db.path))
    try shell.execute("UPDATE Card SET notes = 'x'")
    let lines = try await board.activity().lines.map { "\($0.author ?? "-"): \($0.text.text)" }
    #expect(
      lines == [
        "-: edited the notes of “<q>Two</q>”", "Ada: renamed “<q>One</q>” to “<q>Two</q>”",
        "Ada: added “<q>One</q>” to Ideas", "Ada: added the list “<q>Ideas</q>”",
      ])
  }

  @Test("keys are strings in the JSON of the API, which JavaScript would round as numbers")
  func keys() async throws {
    try await TestServer.run(sample: true) { server in
      for path in ["/api/board", "/api/lists", "/api/cards"] {
        let text = try await server.client.get(path).body
        #expect(text.contains(#"":""#) && text.firstMatch(of: /"(\w*I[Dd]|id)":-?\d/) == nil)
      }
      let text = try await server.client.get("/api/lists").body
      let lists = try JSONDecoder().decode([BoardList].self, from: Data(text.utf8))
      #expect(try await server.board.db.fetch(BoardList.order(by: \.$position)) == lists)
    }
  }

  @Test("arguments are checked")
  func arguments() throws {
    let none = try Arguments([])
    #expect(none.port == 8_080)
    let some = try Arguments(["x.sqlite", "--port", "0"])
    #expect(some.path == "x.sqlite" && some.port == 0)
    #expect(try Arguments(["--help"]).wantsHelp)
    for wrong in [["--port"], ["--port", "x"], ["--port", "70000"], ["--no"], ["a", "b"]] {
      let error = #expect(throws: ArgumentError.self) { try Arguments(wrong) }
      #expect(error?.description.hasSuffix("; see --help") == true)
    }
  }
}

/// A random generator whose numbers follow from its seed.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed &* 0x9e37_79b9_7f4a_7c15 }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}
