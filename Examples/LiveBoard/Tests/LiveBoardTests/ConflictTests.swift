import Apus
import Testing

@testable import LiveBoard

@Suite("Two editors of one card")
struct ConflictTests {
  @Test("the API answers 409 with the present card, and a repeated edit with its version succeeds")
  func api() async throws {
    try await TestServer.run { server in
      let card = try await server.addCard("first")
      let path = "/api/cards/\(card.id.text)"
      func edit(_ title: String, _ version: Int) async throws -> RawClient.Answer {
        try await server.client.json("PATCH", path, #"{"title":"\#(title)","version":\#(version)}"#)
      }
      #expect(try await edit("second", card.version).status == 200)
      let before = try await server.stored()
      let answer = try await edit("third", card.version)
      #expect(answer.status == 409)
      #expect(answer.body.contains(#""code":"conflict""#))
      #expect(answer.body.contains(#""title":"second""#))
      #expect(try await server.stored() == before)

      let present = try #require(try await server.board.db.find(Card.self, card.id))
      #expect(present.version > card.version)
      #expect(try await edit("third", present.version).status == 200)
    }
  }

  @Test("the form comes back with both texts, and nothing is written")
  func form() async throws {
    try await TestServer.run { server in
      let card = try await server.addCard("first")
      var fields = [
        "title": "mine & yours", "notes": "my notes", "tags": "one, two",
        "version": "\(card.version)",
      ]
      try await server.board.db.run(
        Card.update { $0.$title = "theirs" }.where { $0.$id == card.id })
      let before = try await server.stored()
      let answer = try await server.client.post("/cards/\(card.id.text)", form: fields)
      #expect(answer.status == 409)
      #expect(answer.body.contains(#"value="mine &amp; yours""#))
      #expect(answer.body.contains(">theirs</p>"))
      let version = try #require(try await server.board.db.find(Card.self, card.id)).version
      #expect(answer.body.contains(#"name="version" value="\#(version)""#))
      #expect(try await server.stored() == before)

      // The form that came back has the present version, so that saving it again succeeds.
      fields["version"] = "\(version)"
      #expect(try await server.client.post("/cards/\(card.id.text)", form: fields).status == 303)
      #expect(try await server.board.db.find(Card.self, card.id)?.title == "mine & yours")
    }
  }

  @Test(
    "every edit gives the card another version, whichever program makes it",
    arguments: [
      "UPDATE Card SET title = 'x'", "UPDATE Card SET notes = 'x'",
      "UPDATE Card SET assigneeID = (SELECT id FROM Person LIMIT 1)",
      "INSERT INTO CardTag (cardID, tagID) SELECT Card.id, Tag.id FROM Card, Tag",
    ])
  func versions(statement: String) async throws {
    let board = Board(in: try Database.temporary(models: Board.models))
    let list = try await board.addList(named: "list", by: nil)
    let person = try await board.db.insert(Person(name: "Ada"))
    try await board.db.insert(Tag(name: "tag"))
    var edit = CardEdit()
    edit.title = "card"
    let card = try await board.addCard(edit, to: list.id, by: person).card
    #expect(try await board.db.count(Unread.all) == 0)
    // A connection of another program.
    let shell = try Connection(path: #require(board.db.path))
    try shell.execute(SQL(unsafe: statement))
    let edited = try #require(try await board.db.find(Card.self, card.id))
    #expect(edited.version > card.version)
    #expect(try await board.db.count(Unread.all) == 1)
    await #expect(throws: BoardError.self) {
      try await board.deleteCard(card.id, version: card.version, by: nil)
    }
  }

  @Test("moving a card within its list is no edit")
  func moving() async throws {
    let board = Board(in: try Database.temporary(models: Board.models))
    let list = try await board.addList(named: "list", by: nil)
    var edit = CardEdit()
    edit.title = "card"
    let first = try await board.addCard(edit, to: list.id, by: nil).card
    let second = try await board.addCard(edit, to: list.id, by: nil).card
    let moved = try await board.moveCard(second.id, to: list.id, before: first.id, by: nil)
    #expect(moved.card.version == second.version)
    #expect(moved.card.position < first.position)
  }
}
