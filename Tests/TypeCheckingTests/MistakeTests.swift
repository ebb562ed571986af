import TestRun
import Testing

/// Comparing a column with a value of another type is a compile error, at the right place.
@Suite("Mistakes that do not compile")
struct MistakeTests {
  @Test(
    "a value of another type is an error at its place",
    arguments: TestSize.sample(Mistake.ofValue, small: 1))
  func value(_ mistake: Mistake) async throws { try await check(mistake) }

  @Test(
    "a column of another type is an error at its place",
    arguments: TestSize.sample(Mistake.ofColumn, small: 1))
  func column(_ mistake: Mistake) async throws { try await check(mistake) }

  @Test(
    "an operation that the type does not have is an error at its place",
    arguments: TestSize.sample(Mistake.ofOperation, small: 1))
  func operation(_ mistake: Mistake) async throws { try await check(mistake) }

  @Test(
    "a line that is not a predicate is an error at its place",
    arguments: TestSize.sample(Mistake.ofLine, small: 1))
  func line(_ mistake: Mistake) async throws { try await check(mistake) }

  @Test(
    "raw SQL from a String made at run time needs the label `unsafe`",
    arguments: TestSize.sample(Mistake.ofRawSQL, small: 1)
  )
  func rawSQL(_ mistake: Mistake) async throws {
    try await check(mistake, in: mistake.rawSQLClient)
  }

  @Test("a missing $ is an error that says what to write")
  func missingSign() async throws {
    let client = ClientProgram(
      .item,
      """
      func query() -> some Fetchable<Item> {
        Item.where {
          $0.$int == 1
          ‸$0.string == "x"
        }
      }
      """)
    let errors = try await ClientCompiler.shared.errors(in: client)
    #expect(errors.map(\.place) == client.expectedPlaces)
    #expect(errors.allSatisfy { $0.message.contains("write $0.$title, not $0.title") })
  }

  @Test(
    "a text among up to eight operators is an error at its operator",
    arguments: TestSize.sample(ArithmeticMistake.all, small: 2))
  func arithmetic(_ mistake: ArithmeticMistake) async throws {
    let client = mistake.client
    let errors = try await ClientCompiler.shared.errors(in: client)
    #expect(errors.map(\.place) == client.expectedPlaces)
    #expect(
      errors.allSatisfy { $0.message.contains("'\(mistake.actor)'-isolated operator") },
      "\(errors)")
  }

  @Test(
    "a number that does not go with up to eight others is an error at its operator",
    arguments: TestSize.sample(NumberMistake.all + NumberMistake.ofAssignment, small: 4))
  func numbers(_ mistake: NumberMistake) async throws {
    let client = mistake.client
    let errors = try await ClientCompiler.shared.errors(in: client, scopes: NumberMistake.scopes)
    #expect(errors.map(\.place) == client.expectedPlaces)
    #expect(
      errors.allSatisfy { $0.message.contains("'\(mistake.actor)'-isolated operator") },
      "\(errors)")
  }

  @Test(
    "integers beside real numbers compile, and so do sums for their columns",
    arguments: TestSize.sample(NumberMistake.right + NumberMistake.rightAssignments, small: 2))
  func mixedNumbers(_ program: NumberMistake) async throws {
    #expect(try await ClientCompiler.shared.errors(in: program.client) == [])
  }

  private func check(_ mistake: Mistake) async throws {
    try await check(mistake, in: mistake.client)
  }

  private func check(_ mistake: Mistake, in client: ClientProgram) async throws {
    let errors = try await ClientCompiler.shared.errors(in: client)
    let first = try #require(errors.first, "it compiles")
    #expect([first.place] == client.expectedPlaces)
    #expect(first.message.contains(mistake.message), "\(first)")
    #expect(!errors.contains { $0.isSurrender })
  }
}
