import TestRun
import Testing

/// The solver is fast over correct predicates and not slow over wrong ones.
@Suite("Type checking of predicates")
struct PredicateTests {
  @Test(
    "a correct predicate compiles", arguments: TestSize.sample(PredicateProgram.right, small: 2))
  func right(_ program: PredicateProgram) async throws {
    let errors = try await ClientCompiler.shared.errors(in: program.client)
    #expect(errors == [])
  }

  @Test(
    "one mistake among many terms is reported at its place",
    arguments: TestSize.sample(PredicateProgram.wrong, small: 2))
  func wrong(_ program: PredicateProgram) async throws {
    let client = program.client
    let mistake = try #require(program.mistake)
    let place = try #require(client.expectedPlaces.first)
    // Around a query, the compiler may add that it cannot infer the row.
    let errors = try await ClientCompiler.shared.errors(in: client).filter {
      program.shape != .argument || !$0.message.contains("generic parameter 'Row'")
    }
    #expect(errors.map(\.place) == [place])
    #expect(errors.first?.message.hasPrefix(mistake.kind.message) == true, "\(errors)")
  }

  @Test(
    "correct arithmetic compiles within its own bound",
    arguments: TestSize.sample(ArithmeticProgram.right, small: 2))
  func rightArithmetic(_ program: ArithmeticProgram) async throws {
    let errors = try await ClientCompiler.shared.errors(
      in: program.client, scopes: program.scopes)
    #expect(errors == [])
  }

  @Test(
    "one operand that is not a number is reported at its operator",
    arguments: TestSize.sample(ArithmeticProgram.wrong, small: 2))
  func wrongArithmetic(_ program: ArithmeticProgram) async throws {
    let client = program.client
    let errors = try await ClientCompiler.shared.errors(in: client)
    #expect(errors.map(\.place) == client.expectedPlaces)
    #expect(
      errors.allSatisfy { $0.message.contains("'OperandIsNotANumber'-isolated operator") })
  }
}
