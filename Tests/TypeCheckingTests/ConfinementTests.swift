import TestRun
import Testing

@Suite("Confinement of connections")
struct ConfinementTests {
  @Test(
    "a connection cannot leave an asynchronous read or write, or cross to another thread",
    arguments: TestSize.sample(
      [
        "func leak(db: Database) async throws { _ = try await db.‸read(on: .background) { $0 } }",
        "func leak(db: Database) async throws { _ = try await db.‸write(alone: true) { $0 } }",
        "func leak(connection: Connection) -> any Sendable { ‸connection }",
      ], small: 1))
  func connection(code: String) async throws {
    let client = ClientProgram(.item, code)
    let errors = try await ClientCompiler.shared.errors(in: client)
    #expect(errors.map(\.place) == client.expectedPlaces)
    #expect(
      errors.first?.message.contains(
        "conformance of 'Connection' to 'Sendable' is unavailable: "
          + "a connection is used in one place at a time") == true, "\(errors)")
  }
}
