import SQLCore

extension Translator {
  /// Reads an expression. The expression ends before the first operator whose precedence is lower
  /// than `minimum`.
  mutating func expression(_ minimum: Int = 0) throws -> Term {
    try nested { translator in
      var left = try translator.prefix(minimum)
      while let term = try translator.infix(left, minimum) { left = term }
      return left
    }
  }

  /// The precedences of SQLite's operators. A higher number binds more tightly.
  private enum Precedence {
    static let or = 1, and = 2, not = 3, equality = 4, order = 5, bits = 6, sum = 7, product = 8
    static let concat = 9, collate = 10, sign = 11
  }

  // MARK: Conditions

  /// Returns a term as a condition: a number is true unless it is 0. Throws for a text, which
  /// SQLite would convert to a number.
  func condition(_ term: Term) throws -> String {
    switch term.kind {
    case .condition: return term.sql
    case .integer: return "(\(term.sql) <> 0)"
    case .real: return "(\(term.value) <> 0::DOUBLE)"
    case .null: return "CAST(NULL AS BOOLEAN)"
    case .text, .blob, .row:
      throw unsupported("\(term.kind.name) stands as a condition", "compare it with a value")
    }
  }

  // MARK: Prefixes

  private mutating func prefix(_ minimum: Int) throws -> Term {
    if take(word: "NOT") {
      let operand = try expression(Precedence.not)
      return Term("(NOT \(try condition(operand)))", .condition)
    }
    if take(sign: "-") {
      // The number 9223372036854775808 without the sign is too large for an `Int64`, so it is read
      // together with the sign.
      if token?.kind == .number, token?.text == "9223372036854775808" {
        position += 1
        return try parameter(.integer(.min))
      }
      let operand = try number(try expression(Precedence.sign), "-")
      switch operand.constant {
      case .integer(let integer)? where integer != .min: return try parameter(.integer(-integer))
      case .real(let real)?: return try parameter(.real(-real))
      default:
        var term = Term("(-\(operand.sql))", operand.kind)
        term.mayBeNaN = operand.mayBeNaN
        return term
      }
    }
    if take(sign: "+") {
      var term = try expression(Precedence.sign)
      term.constant = nil
      return term
    }
    if take(sign: "~") {
      return Term("(~\(try integer(try expression(Precedence.sign), "~")))", .integer)
    }
    return try primary()
  }

  // MARK: Operators

  private mutating func infix(_ left: Term, _ minimum: Int) throws -> Term? {
    guard let token else { return nil }
    if token.kind == .sign { return try sign(token.text, left, minimum) }
    guard token.kind == .word else { return nil }
    switch token.text.uppercased() {
    case "OR":
      guard minimum <= Precedence.or else { return nil }
      position += 1
      let right = try expression(Precedence.or + 1)
      return Term("(\(try condition(left)) OR \(try condition(right)))", .condition)
    case "AND":
      guard minimum <= Precedence.and else { return nil }
      position += 1
      let right = try expression(Precedence.and + 1)
      return Term("(\(try condition(left)) AND \(try condition(right)))", .condition)
    case "COLLATE":
      guard minimum <= Precedence.collate else { return nil }
      position += 1
      return try collated(left)
    case "IS", "IN", "LIKE", "GLOB", "MATCH", "REGEXP", "BETWEEN", "ISNULL", "NOTNULL", "NOT":
      guard minimum <= Precedence.equality else { return nil }
      return try test(left)
    default: return nil
    }
  }

  private mutating func sign(_ sign: String, _ left: Term, _ minimum: Int) throws -> Term? {
    let precedence: Int
    switch sign {
    case "=", "==", "<>", "!=": precedence = Precedence.equality
    case "<", "<=", ">", ">=": precedence = Precedence.order
    case "&", "|", "<<", ">>": precedence = Precedence.bits
    case "+", "-": precedence = Precedence.sum
    case "*", "/", "%": precedence = Precedence.product
    case "||", "->", "->>": precedence = Precedence.concat
    default: return nil
    }
    guard minimum <= precedence else { return nil }
    position += 1
    let right = try expression(precedence + 1)
    switch sign {
    case "=", "==": return try compare("=", left, right)
    case "<>", "!=": return try compare("<>", left, right)
    case "<", "<=", ">", ">=": return try compare(sign, left, right)
    case "&", "|":
      return Term("(\(try integer(left, sign)) \(sign) \(try integer(right, sign)))", .integer)
    case "<<", ">>":
      throw unsupported("\(sign) shifts beyond 64 bits differently", "multiply or divide")
    case "||":
      guard left.kind != .real, right.kind != .real else {
        throw unsupported(
          "SQLite and DuckDB write real numbers as different texts", "join the texts in Swift")
      }
      return Term("(\(try text(left, "||")) || \(try text(right, "||")))", .text)
    case "->", "->>":
      throw unsupported("\(sign) reads JSON", "copy a query that selects the value from the JSON")
    default: return try arithmetic(sign, left, right)
    }
  }

  private func arithmetic(_ sign: String, _ left: Term, _ right: Term) throws -> Term {
    let (left, right) = (try number(left, sign), try number(right, sign))
    if left.kind == .null || right.kind == .null { return Term("CAST(NULL AS BIGINT)", .integer) }
    if left.kind == .integer, right.kind == .integer {
      let sign = sign == "/" ? "//" : sign
      return Term("(\(left.sql) \(sign) \(right.sql))", .integer)
    }
    func real(_ term: Term) -> String {
      term.kind == .real ? term.sql : "CAST(\(term.sql) AS DOUBLE)"
    }
    var term: Term
    switch sign {
    case "/":
      term = Term(
        once([real(left), real(right)]) { "apus_quotient(\($0[0]), \($0[1]))" }, .real)
    case "%":
      func whole(_ term: Term) -> String {
        term.kind == .real ? once([term.value]) { "apus_integer(\($0[0]))" } : term.sql
      }
      term = Term("CAST(\(whole(left)) % \(whole(right)) AS DOUBLE)", .real)
      return term
    default: term = Term("(\(real(left)) \(sign) \(real(right)))", .real)
    }
    term.mayBeNaN = true
    return term
  }

  // MARK: Operands

  /// Returns a term as a number. Throws for a text. SQLite would convert only the digits at the
  /// start of the text to a number.
  func number(_ term: Term, _ use: String) throws -> Term {
    switch term.kind {
    case .integer, .real, .null: return term
    case .condition:
      var number = Term(term.value, .integer)
      number.constant = term.constant
      return number
    default:
      throw unsupported(
        "\(use) gets \(term.kind.name), of which SQLite reads a number", "convert it in Swift")
    }
  }

  func integer(_ term: Term, _ use: String) throws -> String {
    let number = try number(term, use)
    guard number.kind != .real else {
      throw unsupported("\(use) gets a real number", "cast it to an integer")
    }
    return number.kind == .null ? "CAST(NULL AS BIGINT)" : number.sql
  }

  func real(_ term: Term, _ use: String) throws -> String {
    let number = try number(term, use)
    return number.kind == .real ? number.value : "CAST(\(number.sql) AS DOUBLE)"
  }

  func text(_ term: Term, _ use: String) throws -> String {
    switch term.kind {
    case .text: return term.sql
    case .integer, .condition: return "CAST(\(term.value) AS VARCHAR)"
    case .null: return "CAST(NULL AS VARCHAR)"
    default:
      throw unsupported("\(use) gets \(term.kind.name) instead of a text", "compute it in Swift")
    }
  }

  /// Returns the common type of several values. Throws if their types differ: SQLite would keep the
  /// type of each value, but a column of DuckDB has one type.
  func common(_ kinds: [Term.Kind], of what: String) throws -> Term.Kind {
    var common = Term.Kind.null
    for kind in kinds {
      let kind = kind == .condition ? .integer : kind
      if common == .null { common = kind }
      guard kind == common || kind == .null else {
        throw unsupported(
          "\(what) have different types, \(common.name) and \(kind.name)",
          "cast them to one type")
      }
    }
    return common
  }

  /// Returns DuckDB's type for a kind.
  func typeName(_ kind: Term.Kind) -> String {
    switch kind {
    case .real: "DOUBLE"
    case .text: "VARCHAR"
    case .blob: "BLOB"
    case .condition: "BOOLEAN"
    default: "BIGINT"
    }
  }
}
