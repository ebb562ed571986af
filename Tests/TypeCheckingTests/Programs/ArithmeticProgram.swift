import Testing

/// Arithmetic of many terms, correct or with one operand that does not go with the others.
struct ArithmeticProgram: Sendable, CustomTestStringConvertible {
  /// The operands that are repeated.
  enum Operands: String, CaseIterable, Sendable {
    case integers
    case mixed
    case decimals
    case optionals

    var terms: [String] {
      switch self {
      case .integers: ["$0.$int * 2", "$0.$int * 3", "$0.$int", "$0.$int / 4"]
      case .mixed: ["$0.$int * 2", "$0.$double * 3", "$0.$int", "$0.$double / 4"]
      case .decimals: ["$0.$decimal * 2", "$0.$decimal * 2.5", "$0.$decimal", "$0.$decimal * 4"]
      case .optionals:
        ["$0.$optionalInt * 2", "$0.$optionalInt * 3", "$0.$optionalInt", "$0.$optionalInt / 4"]
      }
    }
  }

  let operands: Operands
  let size: Int
  var mistake: String?

  static let right = Operands.allCases.flatMap { operands in
    [8, 16, 32].map { ArithmeticProgram(operands: operands, size: $0) }
  }

  static let wrong = Operands.allCases.flatMap { operands in
    [8, 16, 32].flatMap { size in
      ["$0.$string", "$0.$date", "$0.$status"].map {
        ArithmeticProgram(operands: operands, size: size, mistake: $0)
      }
    }
  }

  /// The scopes of the correct program, with a quarter more: 104, 180 and 332 for 8, 16 and 32
  /// terms with Swift 6.3.1; for reals and for optionals up to 132, 240 and 456.
  var scopes: Int {
    switch operands {
    case .integers, .decimals: (28 + size * 19 / 2) * 5 / 4
    case .mixed, .optionals: (28 + size * 27 / 2) * 5 / 4
    }
  }

  var client: ClientProgram {
    var code = (0..<size).map { operands.terms[$0 % operands.terms.count] }
      .joined(separator: " + ")
    if let mistake { code += " ‸+ \(mistake)" }
    return ClientProgram(.item, "func query() { _ = Item.select { \(code) } }")
  }

  var testDescription: String {
    "\(size) \(operands.rawValue), \(mistake.map { "and \($0)" } ?? "right")"
  }
}
