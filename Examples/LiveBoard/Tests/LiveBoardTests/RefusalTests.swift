import Foundation
import Testing

@testable import LiveBoard

@Suite("Bad requests")
struct RefusalTests {
  /// A request that the server refuses. `LIST` and `CARD` stand for keys that exist.
  struct BadRequest: Sendable, CustomTestStringConvertible {
    var title: String
    var method = "POST"
    var path: String
    var type: String? = "application/json"
    var body = Data()
    var status: Int
    var reason: String

    var testDescription: String { title }

    static func json(
      _ title: String, _ path: String, _ body: String, _ status: Int, _ reason: String
    ) -> BadRequest {
      json(title, "POST", path, body, status, reason)
    }

    static func json(
      _ title: String, _ method: String, _ path: String, _ body: String, _ status: Int,
      _ reason: String
    ) -> BadRequest {
      BadRequest(
        title: title, method: method, path: path, body: Data(body.utf8), status: status,
        reason: reason)
    }

    static func form(
      _ title: String, _ path: String, _ body: String, _ status: Int, _ reason: String
    ) -> BadRequest {
      BadRequest(
        title: title, path: path, type: "application/x-www-form-urlencoded", body: Data(body.utf8),
        status: status, reason: reason)
    }
  }

  static let long = String(repeating: "x", count: 201)

  static let requests: [BadRequest] = [
    .json("no title", "/api/cards", #"{"listID":"LIST"}"#, 422, "title is missing"),
    .json("no list", "/api/cards", #"{"title":"x"}"#, 400, "listID is missing"),
    .json(
      "an empty title", "/api/cards", #"{"listID":"LIST","title":" \u00a0 "}"#, 422, "is empty"),
    .json(
      "a title that is too long", "/api/cards", #"{"listID":"LIST","title":"\#(long)"}"#, 422,
      "201 characters; at most 200"),
    .json(
      "notes that are too long", "/api/cards",
      #"{"listID":"LIST","title":"x","notes":"\#(String(repeating: "y", count: 10_001))"}"#, 422,
      "at most 10000"),
    .json(
      "a title of two lines", "/api/cards", #"{"listID":"LIST","title":"a\nb"}"#, 422, "U+000A"),
    .json("U+0000", "/api/cards", #"{"listID":"LIST","title":"a\u0000b"}"#, 422, "U+0000"),
    .json("a number as title", "/api/cards", #"{"listID":"LIST","title":7}"#, 400, "title"),
    .json("an object as list", "/api/cards", #"{"listID":{},"title":"x"}"#, 400, "listID"),
    .json("an unknown list", "/api/cards", #"{"listID":"77","title":"x"}"#, 404, "no list 77"),
    .json(
      "an unknown person", "/api/cards", #"{"listID":"LIST","title":"x","assigneeID":"5"}"#, 404,
      "no person 5"),
    .json(
      "too many tags", "/api/cards",
      #"{"listID":"LIST","title":"x","tags":["a","b","c","d","e","f","g","h","i"]}"#, 422,
      "at most 8 tags"),
    .json(
      "a tag with a comma", "/api/cards", #"{"listID":"LIST","title":"x","tags":["a,b"]}"#, 422,
      "comma"),
    .json(
      "an empty tag", "/api/cards", #"{"listID":"LIST","title":"x","tags":[""]}"#, 422, "empty"),
    .json("no JSON", "/api/cards", "title=x", 400, "not valid JSON"),
    .json("half of JSON", "/api/cards", #"{"title":"x""#, 400, "not valid JSON"),
    .json("an empty body", "/api/cards", "", 400, "not valid JSON"),
    .json("an array", "/api/cards", "[1]", 400, "not a JSON object"),
    .json("deep JSON", "/api/cards", String(repeating: "[", count: 100_000), 400, "JSON"),
    BadRequest(
      title: "invalid UTF-8", path: "/api/cards", body: Data([0x7b, 0xff, 0x7d]), status: 400,
      reason: "not valid UTF-8"),
    BadRequest(
      title: "another media type", path: "/api/cards", type: "text/plain", body: Data("{}".utf8),
      status: 415, reason: "application/json"),
    BadRequest(
      title: "a huge body", path: "/api/cards", body: Data(count: 3_000_000), status: 413,
      reason: "131072 bytes"),
    .json("no version", "PATCH", "/api/cards/CARD", #"{"title":"x"}"#, 400, "version is missing"),
    .json(
      "a text as version", "PATCH", "/api/cards/CARD", #"{"title":"x","version":"a"}"#, 400,
      "version"),
    .json(
      "an old version", "PATCH", "/api/cards/CARD", #"{"title":"x","version":0}"#, 409,
      "changed since you read it"),
    .json("an unknown card", "PATCH", "/api/cards/9", #"{"title":"x","version":1}"#, 404, "card 9"),
    .json("a key that is a word", "GET", "/api/cards/x", "", 404, "no valid key"),
    .json(
      "a key that is too large", "GET", "/api/cards/99999999999999999999", "", 404,
      "no valid key"),
    .json("another version", "DELETE", "/api/cards/CARD?version=7", "", 409, "changed since"),
    .json("a deletion of nothing", "DELETE", "/api/cards/9", "", 404, "no card 9"),
    .json("a move to nowhere", "/api/cards/CARD/move", #"{"listID":"9"}"#, 404, "no list 9"),
    .json(
      "a move before nothing", "/api/cards/CARD/move", #"{"listID":"LIST","before":"9"}"#, 422,
      "not in the list"),
    .json("a list without a name", "/api/lists", "{}", 400, "name is missing"),
    .json("a list with null", "/api/lists", #"{"name":null}"#, 400, "name"),
    .json("an unknown list renamed", "PATCH", "/api/lists/9", #"{"name":"x"}"#, 404, "no list 9"),
    .json("an unknown list deleted", "DELETE", "/api/lists/9", "", 404, "no list 9"),
    .json("a wrong method", "PUT", "/api/cards", "{}", 405, "only GET, POST"),
    .json("a wrong method of a page", "DELETE", "/", "", 405, "only GET"),
    .json("an unknown path", "GET", "/api/nothing", "", 404, "Not Found"),
    .json("a search without text", "GET", "/api/search", "", 400, "q is missing"),
    .json("a search for nothing", "GET", "/api/search?q=%20", "", 422, "empty"),
    .form("a form without title", "/lists/LIST/cards", "name=x", 400, "title is missing"),
    .form("a form with two titles", "/lists/LIST/cards", "title=a&title=b", 400, "given twice"),
    .form("a broken percent code", "/lists/LIST/cards", "title=%zz", 400, "percent encoding"),
    .form("percent codes of no text", "/lists/LIST/cards", "title=%ff%fe", 400, "UTF-8"),
    .form("a form for an unknown list", "/lists/9/cards", "title=x", 404, "no list 9"),
    .form("a form without version", "/cards/CARD", "title=a&notes=&tags=", 400, "version"),
    .form(
      "a list that is no key", "/cards/CARD", "title=a&notes=&tags=&version=1&list=abc", 400,
      "not a key"),
    .form("an unknown person chosen", "/me", "person=12", 404, "no person 12"),
    .form("nobody chosen", "/me", "", 400, "person is missing"),
    .form("a move without a list", "/cards/CARD/move", "", 400, "list is missing"),
  ]

  @Test("get 4xx with a reason, and nothing is written", arguments: requests)
  func refusal(of request: BadRequest) async throws {
    try await TestServer.run { server in
      let card = try await server.addCard()
      let before = try await server.stored()
      func filled(_ text: String) -> String {
        text.replacingOccurrences(of: "LIST", with: card.listID.text)
          .replacingOccurrences(of: "CARD", with: card.id.text)
      }
      var body = request.body
      if let text = String(data: body, encoding: .utf8) { body = Data(filled(text).utf8) }
      var headers = ["Accept": "application/json"]
      headers["Content-Type"] = request.type
      // The server then reads the rest of a body that it refused.
      headers["Connection"] = "keep-alive"
      let answer = try await server.client.send(
        request.method, filled(request.path), headers, body)
      #expect(answer.status == request.status, "\(answer)")
      #expect(answer.body.contains(request.reason), "\(answer)")
      #expect(answer.body.hasPrefix(#"{""#))
      #expect(try await server.stored() == before)
    }
  }

  @Test("a browser gets a page with the reason")
  func page() async throws {
    try await TestServer.run { server in
      let answer = try await server.client.get("/cards/7", ["Accept": "text/html"])
      #expect(answer.status == 404)
      #expect(answer.header("Content-Type") == "text/html; charset=utf-8")
      #expect(answer.body.contains("There is no card 7."))
    }
  }

  @Test("bytes that are not HTTP end the connection, and the server goes on")
  func noHTTP() async throws {
    try await TestServer.run { server in
      let answer = try await server.client.send("GET\u{1}", "/ HTTP/9.9 \u{7f}")
      #expect(answer.status == 400)
      #expect(try await server.client.get("/").status == 200)
    }
  }

  @Test("a board that is full refuses more lists")
  func full() async throws {
    try await TestServer.run { server in
      for number in 1...Limits.lists {
        _ = try await server.board.addList(named: "\(number)", by: nil)
      }
      let answer = try await server.client.json("POST", "/api/lists", #"{"name":"one more"}"#)
      #expect(answer.status == 409)
      #expect(answer.body.contains("at most \(Limits.lists) lists"))
      #expect(try await server.board.db.count(BoardList.all) == Limits.lists)
    }
  }
}
