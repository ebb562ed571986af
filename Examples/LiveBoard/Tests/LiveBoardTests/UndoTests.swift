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
    #expect(try await board.undo(by: ada) == "restored “<q>two</q>”")
    #expect(try await shown() == ["two|by Grace|a|b"])
    #expect(try await board.search("two").total == 1)
    #expect(try await board.undo(by: ada) == "renamed “<q>two</q>” back to “<q>one</q>”")
    // The notes are of another author, and of another column.
    #expect(try await shown() == ["one|by Grace"])
    #expect(try await board.search("two").found.isEmpty)
    #expect(try await board.redo(by: ada) == "renamed “<q>one</q>” back to “<q>two</q>”")
    #expect(try await shown() == ["two|by Grace|a|b"])
    #expect(try await board.undo(by: grace) == "restored the notes of “<q>two</q>”")
    #expect(try await shown() == ["two||a|b"])
    #expect(try await board.undo(by: grace) == nil)
  }

  @Test("of an added card removes it, and what is unread of it, and redo adds it again")
  func addedCard() async throws {
    let card = try await board.addCard(CardEdit(title: "one", tags: ["a"]), to: list.id, by: ada)
    #expect(try await board.page(for: grace).unreadCards == [card.id])
    #expect(try await board.undo(by: ada) == "removed “<q>one</q>” again")
    #expect(try await shown() == [])
    #expect(try await board.db.count(Unread.all) == 0)
    #expect(try await board.redo(by: ada) == "restored “<q>one</q>”")
    #expect(try await shown() == ["one||a"])
    #expect(try await board.page(for: grace).unreadCards == [card.id])
    #expect(try await board.undo(by: ada) == "removed “<q>one</q>” again")
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
      #expect(
        reason == "your change of “three” cannot be undone, because its title changed since")
    }
    #expect(try await shown().sorted() == ["other|", "three|"])
    // The change before it can be undone.
    #expect(try await board.undo(by: ada) == "removed “<q>other</q>” again")
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
    #expect(try await board.undo(by: ada) == "renamed “<q>three</q>” back to “<q>two</q>”")
    try await board.db.close()

    let again = try Board(path: try #require(board.db.path))
    try await again.trimLog()
    // An edit without an author, as of the shell, ends neither.
    try await again.db.run(Card.update { $0.$position = 3 })
    func card() async throws -> Card? { try await again.db.find(Card.self, added.id) }
    let version = try #require(try await card()).version
    #expect(try await again.redo(by: ada) == "renamed “<q>two</q>” back to “<q>three</q>”")
    #expect(try await card()?.title == "three")
    for (old, title) in [("three", "two"), ("two", "one")] {
      #expect(
        try await again.undo(by: ada) == "renamed “<q>\(old)</q>” back to “<q>\(title)</q>”")
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
    #expect(try await again.undo(by: grace) == "restored the notes of “<q>one</q>”")
    #expect(try await card()?.notes == "")
  }

  @Test("of a list brings its cards back")
  func lists() async throws {
    let card = try await board.addCard(
      CardEdit(title: "one", assigneeID: grace.id, tags: ["a"]), to: list.id, by: ada)
    try await board.deleteList(list.id, by: "Ada")
    #expect(try await board.db.count(CardTag.all) == 0)
    #expect(try await board.undo(by: ada) == "restored the list “<q>list</q>” with 1 card")
    #expect(try await shown() == ["one||a"])
    #expect(try await board.form(of: card.id).face.assignee == grace)
  }

  @Test("takes a step of before, by its number, once")
  func earlierStep() async throws {
    let cards = try await [
      board.addCard(CardEdit(title: "one"), to: list.id, by: ada),
      board.addCard(CardEdit(title: "two"), to: list.id, by: ada),
    ]
    try await board.deleteCard(cards[0].id, version: nil, by: ada)
    let step = try #require(try await board.steps(of: ada).undoable.last)
    try await board.deleteCard(cards[1].id, version: nil, by: ada)
    #expect(try await board.undo(step.id, by: ada) == "restored “<q>one</q>”")
    #expect(try await board.undo(step.id, by: ada) == nil)
    #expect(try await board.undo(by: ada) == "restored “<q>two</q>”")
    #expect(try await shown() == ["one|", "two|"])
  }

  @Test("is possible for a person who changed something, and redo after it")
  func possible() async throws {
    func can(_ person: Person) async throws -> [Bool] {
      let steps = try await board.page(for: person).steps
      return [steps.canUndo, steps.canRedo]
    }
    #expect(try await can(ada) == [false, false])
    _ = try await board.addCard(CardEdit(title: "one"), to: list.id, by: ada)
    #expect(try await can(ada) == [true, false])
    #expect(try await can(grace) == [false, false])
    _ = try await board.undo(by: ada)
    #expect(try await can(ada) == [false, true])
  }

  @Test("sentences describe the other changes")
  func sentences() async throws {
    let done = try await board.addList(named: "done", by: "Ada")
    let card = try await board.addCard(CardEdit(title: "one"), to: list.id, by: ada)
    _ = try await board.moveCard(card.id, to: done.id, before: nil, by: ada)
    _ = try await board.editCard(card.id, CardEdit(assigneeID: grace.id), version: nil, by: ada)
    _ = try await board.undo(by: ada)
    _ = try await board.undo(by: ada)
    try await board.deleteList(done.id, by: "Ada")
    _ = try await board.undo(by: ada)
    let lines = try await board.activity().lines.reversed().map(\.text.text)
    #expect(
      lines == [
        "added the list “<q>list</q>”", "added the list “<q>done</q>”",
        "added “<q>one</q>” to list", "moved “<q>one</q>” to done",
        "assigned “<q>one</q>” to Grace",
        "unassigned “<q>one</q>” again", "moved “<q>one</q>” back to list",
        "deleted the list “<q>done</q>”", "restored the list “<q>done</q>”",
      ])
  }
}
