import Apus
import HTTPTypes
import Hummingbird

extension BoardServer {
  /// The forms of the board. The script sends the same forms, and gets 204 instead of the next page.
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
          return .done(request)
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
    for (path, name, step) in [
      ("undo", "Undid", Board.undo), ("redo", "Redid", Board.redo),
    ] {
      router.resource(
        RouterPath(path),
        [
          .post: { request, context in
            guard let person = context.person else {
              throw Refusal.badRequest("choose a person first; each undoes its own changes")
            }
            guard let label = try await step(board)(person) else {
              throw Refusal(
                status: .conflict, code: "nothing", reason: "there is nothing to \(path)")
            }
            var response = Response.done(request)
            // A label is made of ASCII letters and spaces.
            response.headers[.xDone] = "\(name): \(label)"
            return response
          }
        ])
    }
  }

  private func addCardForms(to router: Router<BoardContext>) {
    let board = board
    router.resource(
      "lists/:id/cards",
      [
        .post: { request, context in
          var edit = CardEdit()
          edit.title = try await request.formFields(context).require("title")
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
          return .done(request)
        }
      ])
  }
}

extension HTTPField.Name {
  /// The label of a step that was undone or redone, for the script to show.
  static let xDone = HTTPField.Name("X-Done") ?? .server
}
