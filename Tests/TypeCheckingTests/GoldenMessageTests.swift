import TestRun
import Testing

/// Common mistakes, and where the compiler reports what. `Documentation/` explains the messages
/// that say too little.
@Suite("Golden messages")
struct GoldenMessageTests {
  @Test(
    "a common mistake gives the expected message at the expected place",
    arguments: TestSize.sample(GoldenMistake.all, small: 4))
  func golden(_ mistake: GoldenMistake) async throws {
    let client = mistake.client
    let errors = try await ClientCompiler.shared.errors(in: client)
    let first = try #require(errors.first, "it compiles")
    #expect([first.place] == client.expectedPlaces)
    let messages = [mistake.message, mistake.otherMessage].compactMap { $0 }
    #expect(messages.contains { first.message.contains($0) }, "\(first)")
    #expect(!errors.contains { $0.isSurrender })
  }
}
