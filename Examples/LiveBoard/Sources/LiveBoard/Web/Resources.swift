import HTTPTypes
import Hummingbird

extension Router<BoardContext> {
  /// Adds the handlers of one path. A request with another method is refused, and the answer lists
  /// the methods that exist.
  func resource(
    _ path: RouterPath,
    _ handlers: [HTTPRequest.Method: @Sendable (Request, BoardContext) async throws -> Response]
  ) {
    for (method, handler) in handlers { on(path, method: method, use: handler) }
    let allowed = handlers.keys.map(\.rawValue).sorted().joined(separator: ", ")
    let all: [HTTPRequest.Method] = [.get, .head, .post, .put, .patch, .delete, .options]
    for method in all where handlers[method] == nil {
      if method == .head, handlers[.get] != nil { continue }
      on(path, method: method) { request, _ -> Response in
        throw Refusal(
          status: .methodNotAllowed, code: "method",
          reason: "\(request.method.rawValue) is not possible here, only \(allowed)",
          headers: [.allow: allowed])
      }
    }
  }
}
