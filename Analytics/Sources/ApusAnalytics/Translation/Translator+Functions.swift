import SQLCore

/// A call of a function: its name and its arguments, as they are written between the parentheses.
struct Call {
  let name: String
  var arguments: [Term] = []
  var isDistinct = false
  var hasStar = false
}

extension Translator {
  /// Reads the call of a function, and the clauses FILTER and OVER if they follow it.
  mutating func call() throws -> Term {
    var call = Call(name: try name().lowercased())
    try expect(sign: "(")
    if take(sign: "*") {
      call.hasStar = true
    } else if !isSign(")") {
      call.isDistinct = take(word: "DISTINCT")
      repeat { call.arguments.append(try expression()) } while take(sign: ",")
    }
    try expect(sign: ")")
    var ending = ""
    if isWord("FILTER"), token(after: 1)?.isSign("(") == true {
      position += 2
      try expect(word: "WHERE")
      ending += " FILTER (WHERE \(try condition(try expression())))"
      try expect(sign: ")")
    }
    let isWindow = isWord("OVER")
    if take(word: "OVER") { ending += " OVER " + (try window()) }
    if let term = try aggregate(call, ending, isWindow: isWindow) { return term }
    guard ending.isEmpty || isWindow else { throw unexpected() }
    return isWindow ? try windowFunction(call, ending) : try scalar(call)
  }

  func wrongArguments(_ call: Call) -> AnalyticsError {
    unsupported("\(call.name) has \(call.arguments.count) arguments", "look the function up")
  }

  // MARK: Aggregates

  private mutating func aggregate(_ call: Call, _ ending: String, isWindow: Bool) throws -> Term? {
    let distinct = call.isDistinct ? "DISTINCT " : ""
    guard call.arguments.count <= 1 || call.name == "group_concat" else { return nil }
    if call.name == "count" {
      guard let argument = call.arguments.first else {
        return Term("count(*)\(ending)", .integer)
      }
      try checkDistinct(call)
      return Term("count(\(distinct)\(argument.value))\(ending)", .integer)
    }
    guard let argument = call.arguments.first else { return nil }
    switch call.name {
    case "sum":
      try checkDistinct(call)
      let number = try number(argument, "sum")
      if number.kind == .real {
        var term = Term("sum(\(distinct)\(number.value))\(ending)", .real)
        term.mayBeNaN = true
        return term
      }
      // DuckDB's sum of integers has 128 bits. In SQLite, a sum that does not fit into 64 bits is
      // an error. The cast causes an error in this case as well.
      return Term(
        "CAST(sum(\(distinct)\(number.kind == .null ? "0::BIGINT" : number.sql))\(ending) AS BIGINT)",
        .integer)
    case "total", "avg":
      try checkDistinct(call)
      let real = try real(argument, call.name)
      var term =
        call.name == "avg"
        ? Term("avg(\(distinct)\(real))\(ending)", .real)
        : Term("coalesce(sum(\(distinct)\(real))\(ending), 0::DOUBLE)", .real)
      term.mayBeNaN = true
      return term
    case "min", "max":
      try checkDistinct(call)
      return Term("\(call.name)(\(argument.value))\(ending)", argument.valueKind)
    case "group_concat": return try groupConcat(call, ending, isWindow: isWindow)
    default: return nil
    }
  }

  private func checkDistinct(_ call: Call) throws {
    guard let argument = call.arguments.first, argument.kind == .text,
      argument.collation != .binary, call.isDistinct || call.name == "min" || call.name == "max"
    else { return }
    throw unsupported(
      "\(call.name) compares texts with a collation in SQLite", "use lower() of the text")
  }

  /// Translates group_concat. SQLite joins the texts in the order of the rows. In DuckDB, the order
  /// must be given explicitly. The order in which SQLite reads the rows is known only if the query
  /// has one source, which is a table with an INTEGER PRIMARY KEY.
  private mutating func groupConcat(
    _ call: Call, _ ending: String, isWindow: Bool
  ) throws -> Term {
    guard !isWindow, !call.isDistinct, scope.sources.count == 1,
      let name = scope.sources.first?.name, let id = scope.sources.first?.table?.rowID
    else {
      throw unsupported(
        "group_concat joins texts in an order that is known only for one table with an INTEGER "
          + "PRIMARY KEY", "fetch the texts and join them in Swift")
    }
    let text = try text(call.arguments[0], "group_concat")
    let separator =
      try call.arguments.count > 1 ? self.text(call.arguments[1], "group_concat") : "','"
    return Term(
      "string_agg(\(text), \(separator) ORDER BY \(name.quotedName).\(id.name.quotedName))\(ending)",
      .text)
  }

  // MARK: Scalar functions

  private mutating func scalar(_ call: Call) throws -> Term {
    let arguments = call.arguments
    switch (call.name, arguments.count) {
    case ("coalesce", 2...), ("ifnull", 2):
      let kind = try common(arguments.map(\.valueKind), of: "the arguments of \(call.name)")
      return Term("coalesce(\(arguments.map(\.value).joined(separator: ", ")))", kind)
    case ("nullif", 2):
      return try once(arguments) {
        let equal = try compare("=", $0[0], $0[1]).sql
        return Term("CASE WHEN \(equal) THEN NULL ELSE \($0[0].sql) END", $0[0].kind)
      }
    case ("iif", 3):
      let kind = try common(arguments[1...].map(\.valueKind), of: "the results of iif")
      return Term(
        "CASE WHEN \(try condition(arguments[0])) THEN \(arguments[1].value) "
          + "ELSE \(arguments[2].value) END", kind)
    case ("min", 2...), ("max", 2...): return try extreme(call)
    case ("typeof", 1): return typeof(arguments[0])
    case ("length", 1):
      if arguments[0].kind == .blob { return Term("octet_length(\(arguments[0].sql))", .integer) }
      return Term("length(\(try text(arguments[0], "length")))", .integer)
    case ("strftime", 2...): return try strftime(call)
    case ("abs", 1):
      let number = try number(arguments[0], "abs")
      var term = Term("abs(\(number.sql))", number.kind)
      term.mayBeNaN = number.mayBeNaN
      return term
    case ("round", 1):
      return Term(once([try real(arguments[0], "round")]) { "apus_round(\($0[0]))" }, .real)
    case ("round", 2):
      guard case .integer(0)? = arguments[1].constant else {
        throw unsupported(
          "SQLite and DuckDB round to digits differently", "round the result in Swift")
      }
      return Term(once([try real(arguments[0], "round")]) { "apus_round(\($0[0]))" }, .real)
    default: return try textFunction(call) ?? mathFunction(call)
    }
  }

  /// Translates min and max of several arguments, which are NULL if any argument is NULL.
  private func extreme(_ call: Call) throws -> Term {
    let kind = try common(call.arguments.map(\.valueKind), of: "the arguments of \(call.name)")
    if let text = call.arguments.first(where: { $0.kind == .text && $0.collation != .binary }) {
      throw unsupported("\(call.name) compares \(text.sql) with a collation", "use lower() of it")
    }
    let function = call.name == "min" ? "least" : "greatest"
    let sql = once(call.arguments.map(\.value)) { values in
      let nulls = values.map { "\($0) IS NULL" }.joined(separator: " OR ")
      return "CASE WHEN \(nulls) THEN NULL ELSE \(function)(\(values.joined(separator: ", "))) END"
    }
    return Term(sql, kind)
  }

  private func typeof(_ term: Term) -> Term {
    let name =
      switch term.valueKind {
      case .integer: "integer"
      case .real: "real"
      case .text: "text"
      case .blob: "blob"
      default: "null"
      }
    return Term("CASE WHEN \(term.value) IS NULL THEN 'null' ELSE '\(name)' END", .text)
  }

  private func textFunction(_ call: Call) throws -> Term? {
    func text(_ index: Int) throws -> String { try self.text(call.arguments[index], call.name) }
    func whole(_ index: Int) throws -> String { try integer(call.arguments[index], call.name) }
    switch (call.name, call.arguments.count) {
    case ("lower", 1), ("upper", 1):
      return Term(once([try text(0)]) { "apus_\(call.name)(\($0[0]))" }, .text)
    case ("trim", 1), ("ltrim", 1), ("rtrim", 1):
      return Term("\(call.name)(\(try text(0)), ' ')", .text)
    case ("trim", 2), ("ltrim", 2), ("rtrim", 2):
      return Term("\(call.name)(\(try text(0)), \(try text(1)))", .text)
    case ("replace", 3):
      return Term("replace(\(try text(0)), \(try text(1)), \(try text(2)))", .text)
    case ("instr", 2):
      return Term("instr(\(try text(0)), \(try text(1)))", .integer)
    case ("substr", 2...3), ("substring", 2...3):
      let length = call.arguments.count == 3 ? try whole(2) : "2147483647"
      return Term(
        once([try text(0), try whole(1), length]) { "apus_substr(\($0[0]), \($0[1]), \($0[2]))" },
        .text)
    case ("hex", 1):
      let value = call.arguments[0].kind == .blob ? call.arguments[0].sql : try text(0)
      return Term("coalesce(hex(\(value)), '')", .text)
    case ("unicode", 1):
      return Term(
        once([try text(0)]) {
          "CASE WHEN \($0[0]) <> '' THEN CAST(unicode(\($0[0])) AS BIGINT) END"
        },
        .integer)
    default: return nil
    }
  }

  private func mathFunction(_ call: Call) throws -> Term {
    func real(_ index: Int) throws -> String { try self.real(call.arguments[index], call.name) }
    var term: Term
    switch (call.name, call.arguments.count) {
    case ("floor", 1), ("ceil", 1), ("ceiling", 1), ("trunc", 1):
      let number = try number(call.arguments[0], call.name)
      if number.kind == .integer { return number }
      term = Term("\(call.name)(\(try real(0)))", .real)
    case ("sign", 1): return Term("CAST(sign(\(try real(0))) AS BIGINT)", .integer)
    case ("sqrt", 1):
      term = Term(once([try real(0)]) { "CASE WHEN \($0[0]) >= 0 THEN sqrt(\($0[0])) END" }, .real)
    case ("ln", 1), ("log10", 1), ("log2", 1), ("log", 1):
      let function = call.name == "log" ? "log10" : call.name
      term = Term(
        once([try real(0)]) { "CASE WHEN \($0[0]) > 0 THEN \(function)(\($0[0])) END" }, .real)
    case ("exp", 1), ("sin", 1), ("cos", 1), ("tan", 1), ("atan", 1), ("radians", 1),
      ("degrees", 1):
      term = Term("\(call.name)(\(try real(0)))", .real)
    case ("pow", 2), ("power", 2), ("atan2", 2):
      term = Term("\(call.name)(\(try real(0)), \(try real(1)))", .real)
    case ("pi", 0): return Term("pi()", .real)
    case ("json_extract", _), ("json_valid", _), ("json_array_length", _), ("json_type", _):
      throw unsupported(
        "\(call.name) reads JSON", "copy a query that selects the value from the JSON")
    default:
      throw unsupported(
        "the function \(call.name) with \(call.arguments.count) arguments is not translated",
        "copy a query that computes it, or compute it in Swift")
    }
    term.mayBeNaN = true
    return term
  }
}
