import Apus
import Testing

@testable import LiveBoard

@Suite("Undo")
struct UndoTests {
  private let board: Board
  private let ada: Person
  private let grace: Person
  private let list: BoardList

  init() async throws {
    board = Board(in: try Database.temporary(models: Board.models))
    ada = try await board.db.insert(Person(name: "Ada"))
    grace = try await board.db.insert(Person(name: "Grace"))
    list = try await board.addList(named: "list", by: nil)
  }

  private func shown() async throws -> [String] {
    let page = try await board.page(for: nil)
    return page.faces.map { face in
      let tags = page.tagsOfCards[face.id, default: []].map(\.name)
      return ([face.card.title, face.card.notes] + tags).joined(separator: "|")
    }
  }

  @Test("takes back one's own edits, one by one, and redo makes them again")
  func steps() async throws {
    let card = try await board.addCard(CardEdit(title: "one"), to: list.id, by: ada)
    _ = try await board.editCard(
      card.id, CardEdit(title: "two", tags: ["a", "b"]), version: nil, by: ada)
    _ = try await board.editCard(card.id, CardEdit(notes: "by Grace"), version: nil, by: grace)
    try await board.deleteCard(card.id, version: nil, by: ada)
    #expect(try await shown() == [])
    #expect(try await board.undo(by: ada) == "delete card")
    #expect(try await shown() == ["two|by Grace|a|b"])
    #expect(try await board.search("two").count == 1)
    #expect(try await board.undo(by: ada) == "edit card")
    // The notes are of another author, and of another column.
    #expect(try await shown() == ["one|by Grace"])
    #expect(try await board.search("two").isEmpty)
    #expect(try await board.redo(by: ada) == "edit card")
    #expect(try await shown() == ["two|by Grace|a|b"])
    #expect(try await board.undo(by: grace) == "edit card")
    #expect(try await shown() == ["two||a|b"])
    #expect(try await board.undo(by: grace) == nil)
  }

  @Test("of an added card removes it, and what is unread of it, and redo adds it again")
  func addedCard() async throws {
    let card = try await board.addCard(CardEdit(title: "one", tags: ["a"]), to: list.id, by: ada)
    #expect(try await board.page(for: grace).unreadCards == [card.id])
    #expect(try await board.undo(by: ada) == "add card")
    #expect(try await shown() == [])
    #expect(try await board.db.count(Unread.all) == 0)
    #expect(try await board.redo(by: ada) == "add card")
    #expect(try await shown() == ["one||a"])
    #expect(try await board.page(for: grace).unreadCards == [card.id])
    #expect(try await board.undo(by: ada) == "add card")
    #expect(try await board.undo(by: ada) == nil)
    #expect(try await board.db.rows("PRAGMA foreign_key_check").isEmpty)
  }

  @Test("is refused if another edit changed the same since, and names the column")
  func conflict() async throws {
    let other = try await board.addCard(CardEdit(title: "other"), to: list.id, by: ada)
    let card = try await board.addCard(CardEdit(title: "one"), to: list.id, by: grace)
    _ = try await board.editCard(card.id, CardEdit(title: "two"), version: nil, by: ada)
    _ = try await board.editCard(card.id, CardEdit(title: "three"), version: nil, by: grace)
    do {
      _ = try await board.undo(by: ada)
      Issue.record("the undo was not refused")
    } catch BoardError.overtaken(let reason) {
      #expect(reason.hasPrefix("“edit card” cannot be undone, because the row"))
      #expect(reason.contains("title"))
    }
    #expect(try await shown().sorted() == ["other|", "three|"])
    // The change before it can be undone.
    #expect(try await board.undo(by: ada) == "add card")
    #expect(try await board.db.find(Card.self, other.id) == nil)
    #expect(try await shown() == ["three|"])
  }

  @Test("gives the card a version that it never had, so that an open editor gets a conflict")
  func versions() async throws {
    var versions: Set<Int> = []
    let card = try await board.addCard(CardEdit(title: "one"), to: list.id, by: ada)
    versions.insert(card.card.version)
    for title in ["two", "three"] {
      let face = try await board.editCard(card.id, CardEdit(title: title), version: nil, by: ada)
      #expect(versions.insert(face.card.version).inserted)
      try await board.markRead(card.id, for: grace.id)
      _ = try await board.undo(by: ada)
      let undone = try #require(try await board.db.find(Card.self, card.id))
      #expect(versions.insert(undone.version).inserted)
      #expect(try await board.page(for: grace).unreadCards == [card.id])
      #expect(try await board.page(for: ada).unreadCards == [])
    }
  }

  @Test("works after a restart, and goes on with what was undone before it")
  func restart() async throws {
    let added = try await board.addCard(CardEdit(title: "one"), to: list.id, by: ada)
    for title in ["two", "three"] {
      _ = try await board.editCard(added.id, CardEdit(title: title), version: nil, by: ada)
    }
    _ = try await board.editCard(added.id, CardEdit(notes: "by Grace"), version: nil, by: grace)
    #expect(try await board.undo(by: ada) == "edit card")
    try board.db.close()

    let again = try Board(path: try #require(board.db.path))
    try await again.trimLog()
    // An edit without an author, as of the shell, ends neither.
    try await again.db.run(Card.update { $0.$position = 3 })
    func card() async throws -> Card? { try await again.db.find(Card.self, added.id) }
    let version = try #require(try await card()).version
    #expect(try await again.redo(by: ada) == "edit card")
    #expect(try await card()?.title == "three")
    for title in ["two", "one"] {
      #expect(try await again.undo(by: ada) == "edit card")
      #expect(try await card()?.title == title)
    }
    #expect(try await card()?.notes == "by Grace")
    #expect(try #require(try await card()).version > version)
    // Grace's notes would be lost with the card.
    do {
      _ = try await again.undo(by: ada)
      Issue.record("the undo was not refused")
    } catch BoardError.overtaken(let reason) {
      #expect(reason.contains("notes"))
    }
    #expect(try await again.undo(by: grace) == "edit card")
    #expect(try await card()?.notes == "")
  }

  @Test("of a list brings its cards back")
  func lists() async throws {
    let card = try await board.addCard(
      CardEdit(title: "one", assigneeID: grace.id, tags: ["a"]), to: list.id, by: ada)
    try await board.deleteList(list.id, by: "Ada")
    #expect(try await board.db.count(CardTag.all) == 0)
    #expect(try await board.undo(by: ada) == "delete list")
    #expect(try await shown() == ["one||a"])
    #expect(try await board.form(of: card.id).face.assignee == grace)
  }
}
