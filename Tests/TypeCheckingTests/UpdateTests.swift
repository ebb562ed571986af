import TestRun
import Testing

/// The solver is as fast where the type of the result is known from outside: in an update, and in
/// the declaration of a variable.
@Suite("Type checking of updates")
struct UpdateTests {
  @Test(
    "correct arithmetic that is assigned to a column compiles within its own bound",
    arguments: TestSize.sample(UpdateProgram.right, small: 3))
  func right(_ program: UpdateProgram) async throws {
    let errors = try await ClientCompiler.shared.errors(
      in: program.client, scopes: program.scopes)
    #expect(errors == [])
  }

  @Test(
    "an operand that does not go with the others is reported at its operator",
    arguments: TestSize.sample(UpdateProgram.wrong, small: 3))
  func wrong(_ program: UpdateProgram) async throws {
    let client = program.client
    let mistake = try #require(program.mistake)
    let errors = try await ClientCompiler.shared.errors(in: client, scopes: program.scopes)
    #expect(errors.map(\.place) == client.expectedPlaces)
    #expect(
      errors.allSatisfy { $0.message.contains("'\(mistake.actor)'-isolated operator") },
      "\(errors)")
  }

  @Test(
    "arithmetic with a declared result compiles within its own bound",
    arguments: TestSize.sample(DeclaredResult.all, small: 1))
  func declared(_ program: DeclaredResult) async throws {
    let errors = try await ClientCompiler.shared.errors(in: program.client, scopes: 100)
    #expect(errors == [])
  }
}

/// Eight terms that are assigned to a variable whose type is written.
struct DeclaredResult: Sendable, CustomTestStringConvertible {
  let operands: UpdateProgram.Operands
  let type: String

  static let all = [
    DeclaredResult(operands: .integers, type: "Int"),
    DeclaredResult(operands: .valuesFirst, type: "Int"),
    DeclaredResult(operands: .mixed, type: "Double"),
    DeclaredResult(operands: .decimals, type: "Decimal"),
    DeclaredResult(operands: .optionals, type: "Int?"),
  ]

  var client: ClientProgram {
    let terms = (operands.terms + operands.terms).map {
      $0.replacing("$0", with: "i")
    }
    return ClientProgram(
      .item,
      """
      func declare(i: Columns<Item>) {
        let sum: SQLExpression<\(type)> = \(terms.joined(separator: " + "))
        _ = sum
      }
      """)
  }

  var testDescription: String { "\(operands.rawValue) as \(type)" }
}
