import Foundation
import HTTPTypes
import Hummingbird

/// Answers in JSON.
enum JSONAnswer {
  static func make(_ value: some Encodable, status: HTTPResponse.Status = .ok) throws -> Response {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return Response(
      status: status, headers: [.contentType: "application/json; charset=utf-8"],
      body: .init(byteBuffer: ByteBuffer(bytes: try encoder.encode(value))))
  }
}

extension Response {
  static func html(_ html: HTML, status: HTTPResponse.Status = .ok) -> Response {
    Response(
      status: status, headers: [.contentType: "text/html; charset=utf-8"],
      body: .init(byteBuffer: ByteBuffer(string: html.text)))
  }

  /// Returns an answer without content for a script. A browser without scripts is redirected to the
  /// board.
  static func done(_ request: Request) -> Response {
    request.wantsJSON
      ? Response(status: .noContent) : Response(status: .seeOther, headers: [.location: "/"])
  }

  /// Returns the answer to an edit. A script gets a description of the edit in JSON. A browser
  /// without scripts is redirected to the board.
  static func done(_ request: Request, _ outcome: Outcome) throws -> Response {
    request.wantsJSON ? try JSONAnswer.make(outcome) : done(request)
  }
}

/// The answer to a script's edit.
struct Outcome: Encodable {
  /// A sentence in HTML that describes the edit.
  var html: String?
  /// The key of the history step to undo in order to reverse the edit.
  var step: String?
}

extension Request {
  /// Whether the client is a program or a script, which wants JSON rather than a page.
  var wantsJSON: Bool {
    uri.path.hasPrefix("/api/") || headers[.accept]?.contains("application/json") == true
  }
}
