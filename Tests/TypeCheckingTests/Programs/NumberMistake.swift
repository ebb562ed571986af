import Testing

/// One number that does not go with the others, in each place where an expression can stand.
struct NumberMistake: Sendable, CustomTestStringConvertible {
  /// `‸` stands before the operator that the error names.
  let code: String
  /// The global actor that the message names.
  let actor: String

  var client: ClientProgram { ClientProgram(.item, code) }

  var testDescription: String { code.filter { $0 != "‸" } }

  /// The scopes of one expression: up to 410 with Swift 6.3.1, with a quarter more.
  static let scopes = 512

  private static let integers = "i.$int * 2 + i.$int / 4 - 1 + i.$int * 3"
  private static let reals = "i.$int * 2 + i.$double * 3 - 1 + i.$int / 4"
  private static let longs = "i.$long * 2 + i.$long / 4 - 1 + i.$long * 3"
  private static let optionals = "i.$optionalInt * 2 + i.$optionalInt / 4 - 1"

  static let all =
    [
      ("Select(\(integers) ‸+ i.$decimal)", "NumbersOfDifferentTypes"),
      ("Select(\(reals) ‸+ i.$decimal * 2)", "NumbersOfDifferentTypes"),
      ("Select(i.$decimal * 2 ‸+ i.$int * 3 - 1)", "NumbersOfDifferentTypes"),
      ("Select(\(integers) ‸- price)", "NumbersOfDifferentTypes"),
      ("GroupBy(\(integers) ‸+ i.$decimal)", "NumbersOfDifferentTypes"),
      ("Having { i.$int.sum() * 2 ‸+ i.$decimal > 1 }", "OneOperandMayBeNull"),
      ("Select(\(integers) ‸+ i.$optionalInt)", "OneOperandMayBeNull"),
      ("Select(\(reals) ‸+ i.$optionalInt)", "OneOperandMayBeNull"),
      ("Select(\(optionals) ‸+ i.$int)", "OneOperandMayBeNull"),
      ("OrderBy(\(integers) ‸* i.$optionalInt)", "OneOperandMayBeNull"),
      ("Select(\(integers) ‸+ i.$long)", "NumbersOfDifferentTypes"),
      ("Select(i.$int * 2 ‸+ i.$long)", "NumbersOfDifferentTypes"),
      ("Select(i.$long * 2 ‸+ \(integers))", "NumbersOfDifferentTypes"),
      ("Select(\(integers) ‸- wide)", "NumbersOfDifferentTypes"),
      ("Select(wide ‸+ \(integers))", "NumbersOfDifferentTypes"),
      ("Select(\(longs) ‸+ count)", "NumbersOfDifferentTypes"),
      ("Select(\(longs) ‸- i.$int)", "NumbersOfDifferentTypes"),
      ("Select(\(longs) ‸+ i.$short)", "NumbersOfDifferentTypes"),
      ("Select(\(integers) ‸+ rating)", "OneOperandMayBeNull"),
      ("Select(rating ‸+ \(integers))", "OneOperandMayBeNull"),
      ("Where { i.$int * 2 ‸+ i.$int > 2.5 }", "ResultHasAnotherType"),
      ("Where { \(integers) ‸> wide }", "TypesOfComparisonDiffer"),
      ("Where { \(integers) ‸> i.$long }", "TypesOfComparisonDiffer"),
      ("Where { \(longs) ‸== count }", "TypesOfComparisonDiffer"),
      ("Where { \(integers) ‸== rating }", "OneOperandMayBeNull"),
      ("Where { \(integers) ‸> i.$optionalInt }", "OneOperandMayBeNull"),
      ("Select(\(integers) ‸+ i.$status)", "OperandIsNotANumber"),
      ("Select(i.$status ‸+ i.$int * 2 + i.$int)", "OperandIsNotANumber"),
      ("Select(\(optionals) ‸+ i.$status)", "OperandIsNotANumber"),
    ].map { line, actor in
      let select = line.hasPrefix("Select") ? "" : "\n    Select(i.$int)"
      return NumberMistake(
        code: """
          func query(price: Decimal, wide: Int64, count: Int, rating: Int?) {
            _ = Query { (i: Columns<Item>) in
              From(i)
              \(line)\(select)
            }
          }
          """, actor: actor)
    }

  /// A sum that is assigned to a column of another type, and an operand of another type.
  static let ofAssignment =
    [
      "$0.$double = \(sum) ‸+ $0.$int", "$0.$string = \(sum) ‸+ $0.$int",
      "$0.$long = \(sum) ‸- 1", "$0.$date = \(sum) ‸- $0.$int",
      "$0.$double = $0.$int ‸/ 2", "$0.$double = 2 ‸* $0.$int",
      "$0.$optionalDouble = \(sum) ‸+ 1", "$0.$int = \(sum) ‸+ $0.$double",
      "$0.$int = \(sum) ‸+ 1.5", "$0.$int = \(sum) ‸+ $0.$int * 1.5",
      "$0.$int = \(optionalSum) ‸+ $0.$optionalInt",
      "$0.$string = \(sum) ‸+ $0.$int * factor", "$0.$date = \(sum) ‸+ $0.$int * count",
      "$0.$int = \(sum) ‸+ $0.$int * factor", "$0.$string = $0.$int ‸* count",
      "$0.$int = $0.$int * 2 ‸+ $0.$int * factor", "$0.$date = factor ‸* $0.$int",
      "$0.$string = \(sum) ‸- factor", "$0.$string = \(sum) ‸- count",
      "$0.$int ‸+= \"x\"", "$0.$int ‸-= $0.$date", "$0.$int ‸*= wide", "$0.$int ‸+= 1.5",
      "$0.$int ‸+= $0.$double", "$0.$int ‸+= rating", "$0.$string ‸+= 5", "$0.$date ‸+= 5",
      "$0.$decimal ‸+= $0.$int", "$0.$int += \(sum) ‸+ $0.$double",
    ].map { NumberMistake(code: update($0), actor: "ResultHasAnotherType") }

  /// Sums that are right for their columns.
  static let rightAssignments = [
    "$0.$optionalInt = \(sum)", "$0.$optionalDouble = \(sum) + $0.$double",
    "$0.$optionalDouble = \(sum) * 1.5", "$0.$double = \(sum) + 1.5 - $0.$int * factor",
    "$0.$double = 2 * $0.$double; $0.$long = 3 - $0.$long; $0.$optionalDouble = 2 * $0.$double",
    "$0.$int = 1; $0.$double = $0.$int * 2.5; $0.$double = 2 * $0.$double; $0.$long += 1",
    "$0.$decimal += 2.5; $0.$double += 1; $0.$optionalInt += 2; $0.$optionalInt += rating",
    "$0.$string += \"x\"; $0.$optionalString += \"y\"; $0.$long = $0.$long * 2 + wide",
  ].map { NumberMistake(code: update($0), actor: "") }

  private static let sum = "$0.$int * 2 + $0.$int / 4 - 1 + $0.$int * 3"
  private static let optionalSum = "$0.$optionalInt * 2 + $0.$optionalInt / 4 - 1"

  private static func update(_ line: String) -> String {
    """
    func update(factor: Double, wide: Int64, rating: Int?, count: Int) {
      _ = Item.update { \(line) }
    }
    """
  }

  /// Integers beside real numbers, which are right.
  static let right = [
    "Select(\(integers) - 1.5)", "Select(i.$int * 2.5 + 1)", "Select(1.5 + \(integers))",
    "Select(\(optionals) + 1.5)", "Select(\(reals) - 1.5)", "Where { \(reals) > 2.5 }",
    "Select(\(integers) * factor)",
  ].map { line in
    let select = line.hasPrefix("Select") ? "" : "\n    Select(i.$int)"
    return NumberMistake(
      code: """
        func query(factor: Double) {
          _ = Query { (i: Columns<Item>) in
            From(i)
            \(line)\(select)
          }
        }
        """, actor: "")
  }
}
