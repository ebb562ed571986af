import Testing

/// One operand that is not a number in arithmetic, in each place where an expression can stand.
struct ArithmeticMistake: Sendable, CustomTestStringConvertible {
  /// `‸` stands before the operator that the error names.
  let code: String
  /// The global actor that the message names.
  var actor: String {
    code.contains("‸>") ? "TypesOfComparisonDiffer" : "OperandIsNotANumber"
  }

  var client: ClientProgram { ClientProgram(.item, code) }

  var testDescription: String { code.filter { $0 != "‸" } }

  private static let long = "i.$int * 2 + i.$double * 3 - 1 + i.$int / 4 + i.$double"

  static let all =
    [
      "Select(\(long) ‸+ i.$string)",
      "Select(i.$int * 2 ‸+ \"x\" + i.$double * 3)",
      "Select(\"x\" ‸+ i.$int * 2 - 1)",
      "Select(i.$string ‸* 2 + 1)",
      "OrderBy(\(long) ‸- i.$date)",
      "Where { \(long) ‸> \"5\" }",
      "GroupBy(i.$int * 2 ‸+ i.$string)",
      "Having { i.$int.sum() * 2 ‸> \"5\" }",
    ].map { line in
      let select = line.hasPrefix("Select") ? "" : "\n    Select(i.$int)"
      return ArithmeticMistake(
        code: """
          func query() {
            _ = Query { (i: Columns<Item>) in
              From(i)
              \(line)\(select)
            }
          }
          """)
    } + [
      ArithmeticMistake(
        code: """
          func update() { _ = Item.update { $0.$int += $0.$int * 2 ‸+ "x" } }
          """)
    ]
}
