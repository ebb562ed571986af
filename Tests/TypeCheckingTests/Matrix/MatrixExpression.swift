/// Arithmetic of several terms over columns of one kind.
struct MatrixExpression: Sendable {
  /// The operands that are repeated. `i.` stands for the table.
  enum Operands: String, CaseIterable, Sendable {
    case integers
    case valuesFirst
    case reals
    case mixed
    case realValues
    case decimals
    case optionals
    case functions
    case cases

    var terms: [String] {
      switch self {
      case .integers: ["i.$int * 2", "i.$int * 3", "i.$int", "i.$int / 4"]
      case .valuesFirst: ["2 * i.$int", "3 * i.$int", "i.$int", "100 / i.$int"]
      case .reals: ["i.$double * 2", "i.$double * 1.5", "i.$double", "i.$double / 4"]
      case .mixed: ["i.$int * 2", "i.$double * 3", "i.$int", "i.$double / 4"]
      case .realValues: ["i.$int * 1.5", "i.$int * 2", "i.$int", "2.5 * i.$int"]
      case .decimals: ["i.$decimal * 2", "i.$decimal * 2.5", "i.$decimal", "4 * i.$decimal"]
      case .optionals:
        ["i.$optionalInt * 2", "i.$optionalInt * 3", "i.$optionalInt", "i.$optionalInt / 4"]
      case .functions:
        ["i.$string.length() * 2", "i.$int.abs()", "i.$string.instr(\"x\")", "i.$int"]
      case .cases:
        ["i.$int * 2", "Case(when: i.$int > 1, then: 1).else(0)", "i.$int", "i.$int / 4"]
      }
    }

    /// The number of terms. The compiler gives up on more than two CASE expressions in one sum.
    var sizes: [Int] { self == .cases ? [2, 4] : [2, 4, 8, 32] }

    /// The column to which the sum can be assigned, its type, and a value beside the sum.
    var result: (column: String, type: String, value: String) {
      switch self {
      case .integers, .valuesFirst, .functions, .cases: ("$int", "Int", "5")
      case .reals, .mixed, .realValues: ("$double", "Double", "2.5")
      case .decimals: ("$decimal", "Decimal", "2")
      case .optionals: ("$optionalInt", "Int?", "5")
      }
    }
  }

  /// An operand after the others that does not go with them. A misspelled column is not among them:
  /// beside arithmetic of many kinds, the compiler gives up.
  enum Mistake: String, CaseIterable, Sendable {
    case text = "‸+ \"x\""
    case textColumn = "‸+ i.$string"
    case enumeration = "‸+ i.$status"

    var message: String { "'OperandIsNotANumber'-isolated operator function '+'" }
  }

  let operands: Operands
  let size: Int
  var mistake: Mistake?

  /// Returns the expression over a table that the program calls `root`.
  func code(_ root: String) -> String {
    let terms = (0..<size).map { operands.terms[$0 % operands.terms.count] }
    let code = terms.joined(separator: " + ") + (mistake.map { " \($0.rawValue)" } ?? "")
    return code.replacing("i.", with: "\(root).")
  }
}
