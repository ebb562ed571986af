import TestRun
import Testing

/// The programs of the documentation compile within the bound of `ClientCompiler`.
@Suite("Type checking of whole queries")
struct DesignProgramTests {
  @Test(
    "a correct query compiles",
    arguments: TestSize.sample(DesignProgram.all + DesignProgram.writes, small: 4))
  func right(_ program: DesignProgram) async throws {
    let errors = try await ClientCompiler.shared.errors(in: program.client)
    #expect(errors == [])
  }

  @Test("a query without Select is explained by the result builder")
  func missingSelect() async throws {
    let client = ClientProgram(
      .blog,
      """
      func feed() {
        _ = Query ‸{ (post: Columns<Post>, author: Columns<Author>) in
          From(post)
          Join(author, on: post.$authorID == author.$id)
          Where { post.$status == .published }
          OrderBy(post.$createdAt, .descending)
          Limit(20)
        }
      }
      """)
    let errors = try await ClientCompiler.shared.errors(in: client)
    #expect(errors.map(\.place) == client.expectedPlaces)
    #expect(
      errors.first?.message.contains(
        "the query needs a Select(…): it says what each row holds") == true)
  }

  @Test("a table that is not among the parameters does not compile")
  func foreignTable() async throws {
    let client = ClientProgram(
      .blog,
      """
      func feed() {
        _ = Query { (post: Columns<Post>) in
          From(post)
          Where { ‸author.$name == "Jane" }
          Select(post.$title)
        }
      }
      """)
    let errors = try await ClientCompiler.shared.errors(in: client)
    let place = try #require(client.expectedPlaces.first)
    #expect(errors.contains(Diagnostic(place: place, message: "cannot find 'author' in scope")))
  }
}
