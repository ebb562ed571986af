import Apus
import ApusHummingbird
import Foundation
import HTTPTypes
import Hummingbird

/// A request that is refused, with the reason that the client gets.
struct Refusal: Error, Equatable {
  var status: HTTPResponse.Status
  /// The kind of the refusal, as a word for programs.
  var code: String
  /// The reason, as a sentence for people.
  var reason: String
  var field: String?
  var headers: HTTPFields = [:]

  static func badRequest(_ reason: String, field: String? = nil) -> Refusal {
    Refusal(status: .badRequest, code: "bad-request", reason: reason, field: field)
  }

  static let tooLarge = Refusal(
    status: .contentTooLarge, code: "too-large",
    reason: "the body has more than \(Limits.body) bytes", headers: [.connection: "close"])
}

extension Refusal {
  /// Creates the refusal for an error; nil if the error is a fault of the server.
  init?(_ error: any Error) {
    switch error {
    case let refusal as Refusal:
      self = refusal
    case BoardError.invalid(let field, let reason):
      self.init(status: .unprocessableContent, code: "invalid", reason: reason, field: field)
    case BoardError.notFound(let reason):
      self.init(status: .notFound, code: "not-found", reason: reason)
    case BoardError.conflict(let face):
      self.init(
        status: .conflict, code: "conflict",
        reason: "the card was changed since you read it; it has version \(face.card.version) now")
    case BoardError.overtaken(let reason):
      self.init(status: .conflict, code: "overtaken", reason: reason)
    case BoardError.full(let reason):
      self.init(status: .conflict, code: "full", reason: reason)
    case let error as any HTTPResponseError where error.status == .contentTooLarge:
      self = .tooLarge
    case let error as HTTPError:
      self.init(
        status: error.status, code: "http", reason: error.body ?? error.status.reasonPhrase,
        headers: error.headers)
    default:
      guard let failure = DatabaseFailure(error) else { return nil }
      self.init(
        status: failure.status, code: failure.code, reason: failure.message,
        headers: failure.headers)
    }
  }
}

/// A middleware that answers refused requests: with JSON for programs, with a page for browsers.
struct RefusalMiddleware: RouterMiddleware {
  func handle(
    _ request: Request, context: BoardContext,
    next: (Request, BoardContext) async throws -> Response
  ) async throws -> Response {
    do {
      return try await next(request, context)
    } catch {
      guard !(error is CancellationError) else { throw error }
      let refusal: Refusal
      if let known = Refusal(error) {
        refusal = known
      } else {
        context.logger.error("a request failed", metadata: ["error": "\(error)"])
        refusal = Refusal(
          status: .internalServerError, code: "internal",
          reason: "the server could not answer; its log says why")
      }
      var response =
        try request.wantsJSON
        ? JSONAnswer.make(RefusalDocument(refusal, error), status: refusal.status)
        : .html(
          ErrorPage(
            status: refusal.status.code, phrase: refusal.status.reasonPhrase,
            reason: refusal.reason
          ).html, status: refusal.status)
      response.headers.append(contentsOf: refusal.headers)
      return response
    }
  }
}

/// A refusal as JSON; a conflict has the present card.
private struct RefusalDocument: Encodable {
  struct Content: Encodable {
    var code: String
    var reason: String
    var field: String?
  }

  var error: Content
  var card: Card?

  init(_ refusal: Refusal, _ error: any Error) {
    self.error = Content(code: refusal.code, reason: refusal.reason, field: refusal.field)
    if case BoardError.conflict(let face) = error { card = face.card }
  }
}
