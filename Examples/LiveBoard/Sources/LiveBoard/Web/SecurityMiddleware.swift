import HTTPTypes
import Hummingbird

/// A middleware that protects the board from other web pages, and its pages from foreign content.
///
/// - A request whose `Host` is not this machine is refused. So a foreign domain name that resolves
///   to this machine ("DNS rebinding") gives no access to the board.
/// - A request that changes something must come from a page of the board: browsers say so in
///   `Sec-Fetch-Site` or `Origin`. Programs send neither.
/// - The content security policy allows only the style and script files of the board, and nothing
///   inline.
struct SecurityMiddleware: RouterMiddleware {
  private static let policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    + "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

  func handle(
    _ request: Request, context: BoardContext,
    next: (Request, BoardContext) async throws -> Response
  ) async throws -> Response {
    var response: Response
    if let refusal = Self.refusal(of: request) {
      response = try await RefusalMiddleware().handle(request, context: context) { _, _ in
        throw refusal
      }
    } else {
      response = try await next(request, context)
    }
    response.headers[.contentSecurityPolicy] = Self.policy
    response.headers[.xContentTypeOptions] = "nosniff"
    response.headers[.referrerPolicy] = "same-origin"
    response.headers[.crossOriginResourcePolicy] = "same-origin"
    response.headers[.crossOriginOpenerPolicy] = "same-origin"
    if response.headers[.cacheControl] == nil { response.headers[.cacheControl] = "no-store" }
    return response
  }

  static func refusal(of request: Request) -> Refusal? {
    let host = request.head.authority ?? ""
    guard isLoopback(host) else {
      return Refusal(
        status: .misdirectedRequest, code: "host",
        reason: "the board answers only under the names localhost, 127.0.0.1 and [::1]")
    }
    guard ![.get, .head, .options].contains(request.method) else { return nil }
    let isForeign: Bool
    if let site = request.headers[.secFetchSite] {
      isForeign = site != "same-origin" && site != "none"
    } else if let origin = request.headers[.origin] {
      isForeign = origin != "http://\(host)"
    } else {
      isForeign = false
    }
    guard isForeign else { return nil }
    return Refusal(
      status: .forbidden, code: "foreign-page",
      reason: "another web page sent this request; nothing was changed")
  }

  private static func isLoopback(_ host: String) -> Bool {
    var name = host[...]
    if let colon = name.lastIndex(of: ":"), name[name.index(after: colon)...].allSatisfy(\.isNumber)
    {
      name = name[..<colon]
    }
    return ["localhost", "127.0.0.1", "[::1]"].contains(name.lowercased())
  }
}

extension HTTPField.Name {
  // The names are valid, so the initializer never returns nil.
  private static func named(_ name: String) -> HTTPField.Name { HTTPField.Name(name) ?? .server }

  static let secFetchSite = named("Sec-Fetch-Site")
  static let referrerPolicy = named("Referrer-Policy")
  static let crossOriginOpenerPolicy = named("Cross-Origin-Opener-Policy")
}
