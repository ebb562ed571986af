import Testing

/// One number that does not go with the others, in each place where an expression can stand.
struct NumberMistake: Sendable, CustomTestStringConvertible {
  /// `‸` stands before the operator that the error names.
  let code: String
  /// The global actor that the message names.
  let actor: String

  var client: ClientProgram { ClientProgram(.item, code) }

  var testDescription: String { code.filter { $0 != "‸" } }

  private static let integers = "i.$int * 2 + i.$int / 4 - 1 + i.$int * 3"
  private static let reals = "i.$int * 2 + i.$double * 3 - 1 + i.$int / 4"
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
      ("Select(\(integers) ‸+ i.$status)", "OperandIsNotANumber"),
      ("Select(i.$status ‸+ i.$int * 2 + i.$int)", "OperandIsNotANumber"),
      ("Select(\(optionals) ‸+ i.$status)", "OperandIsNotANumber"),
    ].map { line, actor in
      let select = line.hasPrefix("Select") ? "" : "\n    Select(i.$int)"
      return NumberMistake(
        code: """
          func query(price: Decimal) {
            _ = Query { (i: Columns<Item>) in
              From(i)
              \(line)\(select)
            }
          }
          """, actor: actor)
    }

  /// Integers beside real numbers, which are right.
  static let right = [
    "Select(\(integers) - 1.5)", "Select(i.$int * 2.5 + 1)", "Select(1.5 + \(integers))",
    "Select(\(optionals) + 1.5)", "Select(\(reals) - 1.5)", "Where { \(integers) > 2.5 }",
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
