import Testing

@testable import LiveBoard

@Suite("Other web pages")
struct SecurityTests {
  @Test(
    "cannot change anything",
    arguments: [
      ["Origin": "http://example.org"], ["Origin": "null"], ["Origin": "https://localhost"],
      ["Sec-Fetch-Site": "cross-site"], ["Sec-Fetch-Site": "same-site"],
      ["Origin": "http://localhost:1", "Host": "localhost:2"],
    ])
  func foreign(headers: [String: String]) async throws {
    try await TestServer.run { server in
      let answer = try await server.client.post("/lists", form: ["name": "x"], headers)
      #expect(answer.status == 403)
      #expect(answer.body.contains("Another web page"))
      #expect(try await server.board.db.count(BoardList.all) == 0)
    }
  }

  @Test("pages of the board, and programs, can")
  func own() async throws {
    try await TestServer.run { server in
      let own = "http://localhost:\(server.client.port)"
      let allowed: [[String: String]] = [
        [:], ["Origin": own], ["Origin": own, "Sec-Fetch-Site": "same-origin"],
      ]
      for headers in allowed {
        let answer = try await server.client.post("/lists", form: ["name": "x"], headers)
        #expect(answer.status == 303)
      }
    }
  }

  @Test(
    "do not reach the board under a name of theirs",
    arguments: [
      "example.org", "localhost.example.org", "localhost:80@example.org", "", "127.0.0.2",
    ])
  func host(name: String) async throws {
    try await TestServer.run { server in
      let answer = try await server.client.get("/", ["Host": name])
      #expect(answer.status == 421)
    }
  }

  @Test("every answer has the content security policy, refused ones as well")
  func policy() async throws {
    try await TestServer.run { server in
      for path in ["/", "/nothing", "/api/board", "/board.js", "/cards/1"] {
        let answer = try await server.client.get(path)
        let policy = try #require(answer.header("Content-Security-Policy"))
        #expect(policy.contains("default-src 'none'"))
        #expect(!policy.contains("unsafe"))
        #expect(answer.header("X-Content-Type-Options") == "nosniff")
      }
      // The policy forbids scripts and styles in the page itself.
      let page = try await server.client.get("/").body
      #expect(!page.contains("style=") && !page.contains("onclick="))
    }
  }

  @Test("the cookie is for this server alone")
  func cookie() async throws {
    try await TestServer.run(sample: true) { server in
      let answer = try await server.client.get("/")
      let cookie = try #require(answer.header("Set-Cookie"))
      #expect(cookie.contains("HttpOnly") && cookie.contains("SameSite=Lax"))
      // One that is not valid is ignored.
      for value in ["x", "99", "", "1; person=2"] {
        #expect(try await server.client.get("/", ["Cookie": "person=\(value)"]).status == 200)
      }
    }
  }
}
