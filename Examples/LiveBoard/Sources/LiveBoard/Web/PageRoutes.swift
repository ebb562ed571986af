import Apus
import Foundation
import HTTPTypes
import Hummingbird

extension BoardServer {
  /// Adds the pages, and the parts of pages that the script asks for.
  func addPages(to router: Router<BoardContext>) {
    let (board, feed) = (board, feed)
    router.resource(
      "/",
      [
        .get: { request, context in
          let fields = try request.queryFields()
          let person = try await context.personOrNext(board, feed)
          // The position is read before the board, so that the page misses no event between the two
          // reads.
          let position = await feed.position(for: person?.id)
          var page = try await board.page(for: person, tag: try fields.id("tag"))
          page.position = position
          if let text = fields["q"], !text.isEmpty {
            let text = try CheckedText.line(text, "search", atMost: Limits.title)
            page.results = try await board.search(text)
          }
          var response = Response.html(page.html)
          if let person, person.id != context.person?.id {
            response.setCookie(PersonMiddleware.cookie(for: person))
          }
          return response
        }
      ])
    router.resource(
      "search",
      [
        .get: { request, _ in
          let text = try CheckedText.line(
            try request.queryFields().require("q"), "search", atMost: Limits.title)
          return .html(try await board.search(text).html)
        }
      ])
    router.resource(
      "cards/:id",
      [
        .get: { request, context in
          let form = try await board.form(of: try context.id())
          if request.isForScript { return .html(form.html) }
          return .html(form.page(for: context.person))
        },
        .post: { request, context in
          try await saveCard(request, context)
        },
      ])
  }

  /// Saves the form of a card. If the card has changed since the form was opened, nothing is saved,
  /// and the answer is the form with both texts.
  private func saveCard(_ request: Request, _ context: BoardContext) async throws -> Response {
    let id = try context.id()
    let fields = try await request.formFields(context)
    let draft = CardForm.Draft(
      title: try fields.require("title"), notes: try fields.require("notes"),
      tags: try fields.require("tags"))
    guard let version = try fields.int("version") else {
      throw Refusal.badRequest("the field version is missing", field: "version")
    }
    do {
      _ = try await board.editCard(id, try CardEdit(fields), version: version, by: context.person)
      return .done(request)
    } catch BoardError.conflict {
      var form = try await board.form(of: id)
      form.draft = draft
      let html = request.isForScript ? form.html : form.page(for: context.person)
      return .html(html, status: .conflict)
    }
  }
}

extension CardEdit {
  /// Creates the edit that the fields of a form describe.
  init(_ fields: Fields) throws {
    title = fields["title"]
    notes = fields["notes"]
    tags = fields["tags"]?.split(separator: ",").map(String.init)
      .filter { !$0.allSatisfy(\.isWhitespace) }
    listID = try fields.id("list")
    assigneeID = try fields.id("assignee")
    isUnassigned = fields["assignee"] == ""
  }
}

extension Request {
  /// Whether the script of the page asks for a part of a page.
  var isForScript: Bool { headers[.xRequestedWith] == "board" }
}

extension HTTPField.Name {
  static let xRequestedWith = HTTPField.Name("X-Requested-With") ?? .server
}

extension BoardContext {
  /// Returns the person that the browser has chosen. For a browser that has not chosen a person,
  /// returns the first person that has no page open, or else the first person.
  fileprivate func personOrNext(_ board: Board, _ feed: BoardFeed) async throws -> Person? {
    if let person { return person }
    let people = try await board.db.fetch(Person.order(by: \.$id))
    let present = feed.events.audiences
    return people.first { !present.contains($0.id) } ?? people.first
  }
}
