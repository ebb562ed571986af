import Apus
import HTTPTypes
import Hummingbird

extension BoardServer {
  /// Adds the forms of the board. The script sends the same forms, and gets 204 instead of the next
  /// page.
  func addForms(to router: Router<BoardContext>) {
    let board = board
    addCardForms(to: router)
    addUndo(to: router)
    router.resource(
      "lists",
      [
        .post: { request, context in
          let name = try await request.formFields(context).require("name")
          _ = try await board.addList(named: name, by: context.person?.name)
          return .done(request)
        }
      ])
    router.resource(
      "lists/:id/rename",
      [
        .post: { request, context in
          let name = try await request.formFields(context).require("name")
          _ = try await board.renameList(try context.id(), to: name, by: context.person?.name)
          return .done(request)
        }
      ])
    router.resource(
      "lists/:id/delete",
      [
        .post: { request, context in
          try await board.deleteList(try context.id(), by: context.person?.name)
          return try await deleted(request, context)
        }
      ])
    router.resource(
      "lists/:id/read",
      [
        .post: { request, context in
          if let person = context.person {
            try await board.markRead(list: try context.id(), for: person.id)
          }
          return .done(request)
        }
      ])
    router.resource(
      "me",
      [
        .post: { request, context in
          guard let id = try await request.formFields(context).id("person") else {
            throw Refusal.badRequest("the field person is missing", field: "person")
          }
          guard let person = try await board.person(id) else { throw BoardError.noPerson(id) }
          var response = Response.done(request)
          response.setCookie(PersonMiddleware.cookie(for: person))
          return response
        }
      ])
  }

  private func addUndo(to router: Router<BoardContext>) {
    let board = board
    for path in ["undo", "redo"] {
      router.resource(
        RouterPath(path),
        [
          .post: { request, context in
            guard let person = context.person else {
              throw Refusal.badRequest("choose a person first; each undoes its own changes")
            }
            let step = try await request.formFields(context).int("step").map(Int64.init)
            let sentence =
              path == "undo"
              ? try await board.undo(step, by: person) : try await board.redo(by: person)
            guard let sentence else {
              throw Refusal(
                status: .conflict, code: "nothing",
                reason: step == nil
                  ? "there is nothing to \(path)" : "this change was taken back already")
            }
            return try .done(request, Outcome(html: "You \(sentence.text)."))
          }
        ])
    }
  }

  /// Returns the answer to a deletion, with the history step to undo in order to restore what was
  /// deleted.
  private func deleted(_ request: Request, _ context: BoardContext) async throws -> Response {
    guard let person = context.person else { return .done(request) }
    let step = try await board.steps(of: person).undoable.last
    return try .done(request, Outcome(step: step.map { String($0.id) }))
  }

  private func addCardForms(to router: Router<BoardContext>) {
    let board = board
    router.resource(
      "lists/:id/cards",
      [
        .post: { request, context in
          let fields = try await request.formFields(context)
          _ = try fields.require("title")
          // The short form for a new card has only the title. The other fields are present if this
          // is the form of a card that was deleted while it was edited.
          let edit = try CardEdit(fields)
          _ = try await board.addCard(edit, to: try context.id(), by: context.person)
          return .done(request)
        }
      ])
    router.resource(
      "cards/:id/move",
      [
        .post: { request, context in
          let fields = try await request.formFields(context)
          guard let list = try fields.id("list") else {
            throw Refusal.badRequest("the field list is missing", field: "list")
          }
          _ = try await board.moveCard(
            try context.id(), to: list, before: try fields.id("before"), by: context.person)
          return .done(request)
        }
      ])
    router.resource(
      "cards/:id/read",
      [
        .post: { request, context in
          if let person = context.person {
            try await board.markRead(try context.id(), for: person.id)
          }
          return .done(request)
        }
      ])
    router.resource(
      "cards/:id/delete",
      [
        .post: { request, context in
          let version = try await request.formFields(context).int("version")
          try await board.deleteCard(try context.id(), version: version, by: context.person)
          return try await deleted(request, context)
        }
      ])
  }
}
