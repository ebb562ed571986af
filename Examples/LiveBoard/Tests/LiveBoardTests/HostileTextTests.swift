import Apus
import Foundation
import Testing

@testable import LiveBoard

@Suite("Hostile texts")
struct HostileTextTests {
  static let texts = [
    "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "' onmouseover='alert(1)",
    "</textarea></title></style><b>bold", "&lt;script&gt;", "{{7*7}} ${7*7} <%= 7 %>",
    "\u{202e}gnp.exe", "a\u{0301}\u{200d}👩‍👩‍👧", "'; DROP TABLE Card; --", "javascript:alert(1)",
    "]]><!-- -->", "data: x id: 9",
  ]

  @Test("show as text in every field and on every page", arguments: texts)
  func fields(text: String) async throws {
    try await TestServer.run { server in
      let person = try await server.board.db.insert(Person(name: text))
      let list = try await server.board.addList(named: text, by: text)
      // A search finds words, so the title has one.
      let title = "word \(text)"
      var edit = CardEdit()
      edit.title = title
      edit.notes = text
      edit.tags = [String(text.replacingOccurrences(of: ",", with: " ").prefix(30))]
      edit.assigneeID = person.id
      let card = try await server.board.addCard(edit, to: list.id, by: person).card
      #expect(card.title == title && card.notes == text)

      let cookie = ["Cookie": "person=\(person.id.text)"]
      for path in ["/", "/cards/\(card.id.text)", "/search?q=word", "/?q=word"] {
        let page = try await server.client.get(path, cookie)
        #expect(page.status == 200)
        expectNoMarkup(of: text, in: page.body)
        #expect(page.body.contains(HTML.escape(text)) || path.contains("q="))
      }
      // The error page shows what was sent as well.
      let query = text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
      expectNoMarkup(of: text, in: try await server.client.get("/?q=\(query)").body)

      // The last event of the first batch is that of no problem.
      let events = try await server.client.events("/events") { $0.contains("data: {}\n\n") }
      for line in events.split(separator: "\n") where line.hasPrefix("data: {") {
        let data = Data(line.dropFirst(6).utf8)
        let value = try JSONSerialization.jsonObject(with: data)
        for html in strings(in: value, at: "html") + strings(in: value, at: "cards") {
          expectNoMarkup(of: text, in: html)
        }
      }
    }
  }

  @Test("of the shell show as text as well, also those that the board would refuse")
  func shell() async throws {
    try await TestServer.run { server in
      let card = try await server.addCard()
      let text = "<b>\u{0}\r\n\u{1b}[31m</b>"
      try await server.board.db.execute("UPDATE Card SET title = \(text) WHERE id = \(card.id)")
      let page = try await server.client.get("/")
      #expect(page.body.contains("&lt;b&gt;\u{fffd}"))
      #expect(!page.body.contains("\u{0}"))
    }
  }

  /// Expects that no character that is markup in the text stands unescaped in the page.
  private func expectNoMarkup(of text: String, in page: String) {
    guard text.contains(where: { "<>\"'".contains($0) }) else { return }
    #expect(!page.contains(text))
  }

  /// The texts under a name in a JSON object.
  private func strings(in value: Any, at name: String) -> [String] {
    let found = (value as? [String: Any])?[name]
    if let text = found as? String { return [text] }
    return ((found as? [String: Any]) ?? [:]).values.compactMap { $0 as? String }
  }
}

@Suite("HTML")
struct HTMLTests {
  @Test("escapes texts, and not HTML")
  func escaping() {
    let inner: HTML = "<b>\("<&>")</b>"
    let outer: HTML = "<p title=\"\("\"'")\">\(inner)\([inner])\(7)\("x" as HTML, if: false)</p>"
    #expect(
      outer.text == "<p title=\"&quot;&#39;\"><b>&lt;&amp;&gt;</b><b>&lt;&amp;&gt;</b>7</p>")
  }
}
