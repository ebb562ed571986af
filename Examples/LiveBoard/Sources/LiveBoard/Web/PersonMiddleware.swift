import Apus
import Hummingbird

/// A middleware that finds the person that the browser chose, by the browser's cookie.
struct PersonMiddleware: RouterMiddleware {
  static let cookie = "person"

  let board: Board

  func handle(
    _ request: Request, context: BoardContext,
    next: (Request, BoardContext) async throws -> Response
  ) async throws -> Response {
    var context = context
    if let text = request.cookies[Self.cookie]?.value, let number = Int64(text) {
      context.person = try await board.person(Person.ID(rawValue: number))
    }
    return try await next(request, context)
  }

  /// The cookie that names a person. Scripts cannot read it, and other sites' forms do not send it.
  static func cookie(for person: Person) -> Cookie {
    Cookie(
      name: cookie, value: person.id.text, maxAge: 365 * 86_400, path: "/", httpOnly: true,
      sameSite: .lax)
  }
}
