import Testing

/// A `where { }` of many terms over columns of several types, correct or with one mistake.
struct PredicateProgram: Sendable {
  enum Shape: String, CaseIterable, Sendable {
    case chain
    case lines
    /// One chain as the argument of `Where` in a query.
    case argument
  }

  enum Mistake: String, CaseIterable, Sendable {
    case wrongLiteral = "$0.$int ‸== \"text\""
    case unknownColumn = "$0.‸$nope == 1"

    var message: String {
      switch self {
      case .wrongLiteral:
        "call to global actor 'TypesOfComparisonDiffer'-isolated operator function '==' "
          + "in a synchronous nonisolated context"
      case .unknownColumn:
        "value of type 'Columns<Item>' has no dynamic member '$nope' "
          + "using key path from root type 'Item'"
      }
    }
  }

  enum Position: String, CaseIterable, Sendable {
    case first
    case middle
    case last
  }

  let shape: Shape
  let size: Int
  var mistake: (kind: Mistake, at: Position)?

  static let sizes = [8, 16, 32]

  static let right = Shape.allCases.flatMap { shape in
    sizes.map { PredicateProgram(shape: shape, size: $0) }
  }

  static let wrong = right.flatMap { program -> [PredicateProgram] in
    // Lines are checked one by one, so the place of the mistake makes no difference.
    let positions = program.shape == .lines ? [.middle] : Position.allCases
    return Mistake.allCases.flatMap { kind in
      positions.map { position in
        PredicateProgram(shape: program.shape, size: program.size, mistake: (kind, position))
      }
    }
  }

  private static let rightTerms = [
    "$0.$int == 1", "$0.$string == \"text\"", "$0.$double > 2.5", "$0.$bool == true",
    "$0.$date < day", "$0.$optionalInt == 3", "$0.$optionalString != nil",
    "$0.$status == .published",
  ]

  var client: ClientProgram {
    var terms = (0..<size).map { Self.rightTerms[$0 % Self.rightTerms.count] }
    if let mistake {
      let index =
        switch mistake.at {
        case .first: 0
        case .middle: size / 2
        case .last: size - 1
        }
      terms[index] = mistake.kind.rawValue
    }
    guard shape != .argument else {
      let condition = terms.joined(separator: "\n      && ").replacing("$0.", with: "item.")
      return ClientProgram(
        .item,
        """
        func query(day: Date) {
          _ = Query { (item: Columns<Item>) in
            From(item)
            Where(
              \(condition))
            Select(item.$int)
          }
        }
        """)
    }
    return ClientProgram(
      .item,
      """
      func query(day: Date) -> some Fetchable<Item> {
        Item.where {
          \(terms.joined(separator: shape == .chain ? "\n      && " : "\n    "))
        }
      }
      """)
  }
}

extension PredicateProgram: CustomTestStringConvertible {
  var testDescription: String {
    let correctness = mistake.map { "\($0.kind) in the \($0.at.rawValue) term" } ?? "right"
    return "\(size) terms, \(shape.rawValue), \(correctness)"
  }
}
