/// A file with one function for each of several programs.
struct MatrixProgram {
  let client: ClientProgram
  /// The lines of each function.
  let lines: [ClosedRange<Int>]

  init(place: MatrixPlace, expressions: [MatrixExpression]) {
    self.init(
      expressions.map(place.statements), imports: place.isExpectation ? "import Testing\n" : "")
  }

  /// - Parameter statements: the body of each function, whose parameters are `db`, `item` and `i`.
  init(_ statements: [String], imports: String = "") {
    var code = imports + "func take<T>(_ value: T) {}\n"
    var lines: [ClosedRange<Int>] = []
    for (index, statements) in statements.enumerated() {
      let first = Self.lineCount(ClientModels.item.rawValue + "\n" + code)
      code += """
        func cell\(index)(db: Database, item: Item, i: Columns<Item>) throws {
        \(statements)
        }

        """
      lines.append(first...(Self.lineCount(ClientModels.item.rawValue + "\n" + code) - 1))
    }
    client = ClientProgram(.item, code)
    self.lines = lines
  }

  private static func lineCount(_ text: String) -> Int {
    text.utf8.count { $0 == UInt8(ascii: "\n") } + 1
  }
}
