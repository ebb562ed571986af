import TestRun
import Testing

@Suite("Messages about triggers")
struct TriggerMistakeTests {
  @Test(
    "a mistake in a trigger gives the expected message at the expected place",
    arguments: TestSize.sample(GoldenMistake.triggers, small: 2))
  func golden(_ mistake: GoldenMistake) async throws {
    let client = mistake.client
    let errors = try await ClientCompiler.shared.errors(in: client)
    let first = try #require(errors.first, "it compiles")
    #expect([first.place] == client.expectedPlaces)
    #expect(first.message.contains(mistake.message), "\(first)")
  }
}
