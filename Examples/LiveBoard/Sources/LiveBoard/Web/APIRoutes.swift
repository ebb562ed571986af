import Apus
import HTTPTypes
import Hummingbird

extension BoardServer {
  /// Adds the JSON API. Its objects are the models of the database.
  func addAPI(to router: Router<BoardContext>) {
    let board = board
    addCardAPI(to: router)
    router.resource(
      "api/board",
      [
        .get: { _, context in
          let page = try await board.page(for: context.person)
          return try JSONAnswer.make(BoardDocument(page))
        }
      ])
    router.resource(
      "api/search",
      [
        .get: { request, _ in
          let text = try CheckedText.line(
            try request.queryFields().require("q"), "search", atMost: Limits.title)
          return try JSONAnswer.make(try await board.search(text).found.map(\.face.card))
        }
      ])
    router.resource(
      "api/lists",
      [
        .get: { _, _ in
          try JSONAnswer.make(try await board.db.fetch(BoardList.order(by: \.$position)))
        },
        .post: { request, context in
          let name = try await request.json(ListName.self, context).name
          let list = try await board.addList(named: name, by: context.person?.name ?? "API")
          return try JSONAnswer.make(list, status: .created)
        },
      ])
    router.resource(
      "api/lists/:id",
      [
        .patch: { request, context in
          let name = try await request.json(ListName.self, context).name
          return try JSONAnswer.make(
            try await board.renameList(
              try context.id(), to: name, by: context.person?.name ?? "API"))
        },
        .delete: { _, context in
          try await board.deleteList(try context.id(), by: context.person?.name ?? "API")
          return Response(status: .noContent)
        },
      ])
  }

  private func addCardAPI(to router: Router<BoardContext>) {
    let board = board
    router.resource(
      "api/cards",
      [
        .get: { _, _ in
          try JSONAnswer.make(
            try await board.db.fetch(Card.order(by: \.$listID).order(by: \.$position)))
        },
        .post: { request, context in
          let edit = try await request.json(CardEdit.self, context)
          guard let list = edit.listID else {
            throw Refusal.badRequest("the field listID is missing", field: "listID")
          }
          let face = try await board.addCard(edit, to: list, by: context.person)
          return try JSONAnswer.make(
            try await CardDocument(face.id, in: board), status: .created)
        },
      ])
    router.resource(
      "api/cards/:id",
      [
        .get: { _, context in
          try JSONAnswer.make(try await CardDocument(try context.id(), in: board))
        },
        .patch: { request, context in
          let change = try await request.json(VersionedEdit.self, context)
          let face = try await board.editCard(
            try context.id(), change.edit, version: change.version, by: context.person)
          return try JSONAnswer.make(try await CardDocument(face.id, in: board))
        },
        .delete: { request, context in
          let version = try request.queryFields().int("version")
          try await board.deleteCard(try context.id(), version: version, by: context.person)
          return Response(status: .noContent)
        },
      ])
    router.resource(
      "api/cards/:id/move",
      [
        .post: { request, context in
          let move = try await request.json(CardMove.self, context)
          let face = try await board.moveCard(
            try context.id(), to: move.listID, before: move.before, by: context.person)
          return try JSONAnswer.make(face.card)
        }
      ])
  }
}

/// The board as the API shows it.
private struct BoardDocument: Encodable {
  struct CardTags: Encodable {
    var card: Card
    var tags: [String]
  }

  var lists: [BoardList]
  var cards: [CardTags]
  var tags: [Tag]
  var people: [Person]

  init(_ page: BoardPage) {
    lists = page.lists
    cards = page.faces.map { face in
      CardTags(card: face.card, tags: page.tagsOfCards[face.id, default: []].map(\.name))
    }
    tags = page.tags
    people = page.people
  }
}

/// A card as the API shows it.
private struct CardDocument: Encodable {
  var card: Card
  var list: String
  var assignee: Person?
  var tags: [Tag]

  init(_ id: Card.ID, in board: Board) async throws {
    self = try await board.db.read { db in
      let face = try db.face(of: id)
      return CardDocument(
        card: face.card, list: face.listName, assignee: face.assignee, tags: try db.tags(of: id))
    }
  }

  private init(card: Card, list: String, assignee: Person?, tags: [Tag]) {
    self.card = card
    self.list = list
    self.assignee = assignee
    self.tags = tags
  }
}

private struct ListName: Decodable {
  var name: String
}

private struct CardMove: Decodable {
  var listID: BoardList.ID
  var before: Card.ID?
}

/// An edit of a card, and the version of the card on which the edit is based. A request without a
/// version is refused.
private struct VersionedEdit: Decodable {
  var version: Int
  var edit: CardEdit

  private enum CodingKeys: CodingKey { case version }

  init(from decoder: any Decoder) throws {
    version = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .version)
    edit = try CardEdit(from: decoder)
  }
}
