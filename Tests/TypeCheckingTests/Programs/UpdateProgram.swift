import Testing

/// Arithmetic of several terms that is assigned to a column, right or with one operand that does
/// not go with the others. The type of the result is known from outside, by the column.
struct UpdateProgram: Sendable, CustomTestStringConvertible {
  /// A column, and the operands that are repeated.
  enum Operands: String, CaseIterable, Sendable {
    case integers
    case valuesFirst
    case mixed
    case decimals
    case optionals

    var column: String {
      switch self {
      case .integers, .valuesFirst: "$int"
      case .mixed: "$double"
      case .decimals: "$decimal"
      case .optionals: "$optionalInt"
      }
    }

    var terms: [String] {
      switch self {
      case .integers: ["$0.$int * 2", "$0.$int * 3", "$0.$int", "$0.$int / 4"]
      case .valuesFirst: ["2 * $0.$int", "3 * $0.$int", "$0.$int", "100 / $0.$int"]
      case .mixed: ["$0.$int * 2", "$0.$double * 3", "$0.$int", "$0.$double / 4"]
      case .decimals: ["$0.$decimal * 2", "$0.$decimal * 2.5", "$0.$decimal", "4 * $0.$decimal"]
      case .optionals:
        ["$0.$optionalInt * 2", "$0.$optionalInt * 3", "$0.$optionalInt", "$0.$optionalInt / 4"]
      }
    }
  }

  let operands: Operands
  /// `=`, `+=` or `-=`.
  let sign: String
  let size: Int
  /// The last operand, and the global actor that the message names.
  var mistake: (operand: String, actor: String)?

  static let sizes = [2, 4, 6, 8]

  static let right = Operands.allCases.flatMap { operands in
    ["=", "+=", "-="].flatMap { sign in
      sizes.map { UpdateProgram(operands: operands, sign: sign, size: $0) }
    }
  }

  static let wrong = Operands.allCases.flatMap { operands in
    ["=", "+="].flatMap { sign in
      [2, 8].flatMap { size in
        mistakes(beside: operands).map {
          UpdateProgram(operands: operands, sign: sign, size: size, mistake: $0)
        }
      }
    }
  }

  private static func mistakes(beside operands: Operands) -> [(operand: String, actor: String)] {
    let others = ["\"x\"", "name", "$0.$string", "$0.$status"].map { ($0, "OperandIsNotANumber") }
    switch operands {
    case .integers, .valuesFirst, .mixed:
      return others + [
        ("price", "NumbersOfDifferentTypes"), ("$0.$decimal", "NumbersOfDifferentTypes"),
        ("$0.$optionalInt", "OneOperandMayBeNull"),
      ]
    case .decimals, .optionals: return others
    }
  }

  /// With Swift 6.3.1 the right programs of 2, 4, 6 and 8 terms open up to 30, 44, 58 and 74 scopes.
  /// Wrong ones open at most 150.
  var scopes: Int { mistake == nil ? (16 + 8 * size) * 5 / 4 : 200 }

  var client: ClientProgram {
    var code = (0..<size).map { operands.terms[$0 % operands.terms.count] }
      .joined(separator: " + ")
    if let mistake { code += " ‸+ \(mistake.operand)" }
    return ClientProgram(
      .item,
      """
      func update(price: Decimal, name: String) {
        _ = Item.update { $0.\(operands.column) \(sign) \(code) }
      }
      """)
  }

  var testDescription: String {
    "\(sign) \(size) \(operands.rawValue), \(mistake.map { "and \($0.operand)" } ?? "right")"
  }
}
