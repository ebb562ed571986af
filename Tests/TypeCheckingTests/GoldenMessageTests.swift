import TestRun
import Testing

/// Common mistakes, and where the compiler reports what. `Documentation/` explains the messages
/// that say too little.
@Suite("Golden messages")
struct GoldenMessageTests {
  @Test(
    "a common mistake gives the expected message at the expected place",
    arguments: TestSize.sample(
      GoldenMistake.all + GoldenMistake.writes + GoldenMistake.values, small: 4))
  func golden(_ mistake: GoldenMistake) async throws {
    let client = mistake.client
    let errors = try await ClientCompiler.shared.errors(in: client)
    let first = try #require(errors.first, "it compiles")
    #expect([first.place] == client.expectedPlaces)
    let messages = [mistake.message, mistake.otherMessage].compactMap { $0 }
    // The error may be one of several at its place.
    let texts = errors.filter { $0.place == first.place }.map(\.message)
    #expect(
      messages.contains { message in texts.contains { $0.contains(message) } }, "\(errors)")
    #expect(!errors.contains { $0.isSurrender })
  }

  @Test("a case of an enumeration beside long arithmetic ends at the compiler's limit")
  func caseBesideArithmetic() async throws {
    let client = ClientProgram(
      .item, "func query() { _ = Item.where { ‸$0.$int * 2 + $0.$int * 3 - 1 == .draft } }")
    let errors = try await ClientCompiler.shared.errors(in: client, scopes: 5_000)
    #expect(errors.map(\.place) == client.expectedPlaces)
    #expect(errors.allSatisfy { $0.isSurrender }, "\(errors)")
  }

  @Test("top-level code that awaits a query is warned that the method blocks")
  func topLevelCode() async throws {
    let client = ClientProgram(
      .blog,
      """
      let db = try Database(path: "blog.sqlite", models: [Author.self, Post.self])
      let posts = try ‸await db.fetch(Post.all)
      print(posts)
      """)
    let errors = try await ClientCompiler.shared.errors(in: client, isScript: true)
    #expect(errors.map(\.place) == client.expectedPlaces)
    #expect(errors.allSatisfy { $0.message.contains("no 'async' operations occur") }, "\(errors)")
  }
}
