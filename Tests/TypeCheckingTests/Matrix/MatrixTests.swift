import TestRun
import Testing

/// Every expression in every place where it can stand, right and with one mistake.
///
/// The expressions of one place are compiled together. The bounds are counts of scopes, of which the
/// solver opens about 100,000 a second.
@Suite("Type checking of expressions in all places")
struct MatrixTests {
  /// At most 0.2 s. Most right programs open a few hundred scopes, those with `#expect` up to 5,200,
  /// and those with a CASE among four terms up to 13,000.
  private static let scopesOfRight = 20_000
  private static let scopesOfWrong = 40_000

  @Test(
    "a right expression compiles at once wherever it stands",
    arguments: TestSize.sample(MatrixPlace.allCases, small: 6))
  func right(_ place: MatrixPlace) async throws {
    let cells = MatrixExpression.Operands.allCases.flatMap { operands in
      operands.sizes.prefix(TestSize.count(small: 2, full: 3, long: 4)).map {
        MatrixExpression(operands: operands, size: $0)
      }
    }
    let program = MatrixProgram(place: place, expressions: cells)
    let errors = try await ClientCompiler.shared.errors(
      in: program.client, scopes: Self.scopesOfRight)
    let refused = cells.indices.filter { index in
      errors.contains { program.lines[index].contains($0.place.line) }
    }
    #expect(
      errors.isEmpty, "\(refused.map { place.statements(cells[$0]) })\n\(errors)")
  }

  @Test(
    "a mistake is reported at its place wherever it stands",
    arguments: TestSize.sample(MatrixPlace.ofMistakes, small: 2))
  func wrong(_ place: MatrixPlace) async throws {
    let cells = MatrixExpression.Operands.allCases.flatMap { operands in
      operands.sizes.prefix(TestSize.count(small: 1, full: 2, long: 3)).flatMap { size in
        MatrixExpression.Mistake.allCases.map {
          MatrixExpression(operands: operands, size: size, mistake: $0)
        }
      }
    }
    let program = MatrixProgram(place: place, expressions: cells)
    let errors = try await ClientCompiler.shared.errors(
      in: program.client, scopes: Self.scopesOfWrong)
    for (index, expression) in cells.enumerated() {
      let found = errors.filter { program.lines[index].contains($0.place.line) }
      // The first of several mistakes in one statement may be the only one that is reported.
      let places = program.client.expectedPlaces.filter { program.lines[index].contains($0.line) }
      let message = expression.mistake?.message ?? ""
      #expect(
        found.contains { places.contains($0.place) && $0.message.contains(message) },
        "\(place.statements(expression))\n\(found)")
    }
  }

  @Test("a right statement that the compiler refuses compiles as the documentation writes it")
  func known() async throws {
    let refused = MatrixProgram(KnownRefusal.all.map(\.refused))
    let errors = try await ClientCompiler.shared.errors(
      in: refused.client, scopes: Self.scopesOfRight)
    for (index, refusal) in KnownRefusal.all.enumerated() {
      #expect(
        errors.contains { refused.lines[index].contains($0.place.line) },
        "It compiles now: \(refusal.refused)")
    }
    let written = MatrixProgram(KnownRefusal.all.map(\.written))
    #expect(
      try await ClientCompiler.shared.errors(in: written.client, scopes: Self.scopesOfRight) == [])
  }
}
