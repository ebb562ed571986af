/// The Swift file that renders the queries of a page, to compare them with the SQL that it shows.
extension Program {
  /// The function that checks the page's claims.
  var claimsFunction: String { "claims_\(page.identifier)" }

  /// Returns the file, or nil if the page shows no SQL of a query.
  mutating func claims() -> String? {
    let claims = page.blocks.map { block in
      block.kind == .right && !block.isLeftOut ? Claim.claims(of: block) : []
    }
    guard claims.contains(where: { !$0.isEmpty }) else { return nil }
    var text = Program.imports + (prelude ?? "") + "\n"
    var constants: [(name: String, code: String)] = []
    var functions = ""
    for (index, block) in page.blocks.enumerated() where block.kind == .right {
      if page.isSource { constants = [] }
      let types = declarations(of: index)
      // The types of a comment are its own, unless its prelude names one.
      let areLifted = !page.isSource || namesTypes(of: block)
      if areLifted { text += types }
      for constant in Claim.constants(of: block) {
        constants.removeAll { $0.name == constant.name }
        constants.append(constant)
      }
      for claim in claims[index] {
        let name = claim.start
        // A constant that the statement itself makes is not there before it.
        let before = constants.filter { !$0.code.contains(claim.expression) }
        functions += """
          private func claim\(index)_\(name)() {
          \(areLifted ? "" : types)\(before.map(\.code).joined())
          checkSQL("\(page.path):\(block.firstLine + claim.start)", #""\"
          \(claim.shown)
          ""\"#) {
          #sourceLocation(file: "\(page.path)", line: \(block.firstLine + claim.start))
          try (\(claim.expression)).sql.text
          #sourceLocation()
          }
          }

          """
      }
    }
    text += functions + "func \(claimsFunction)() {\n"
    for (index, claims) in claims.enumerated() {
      for claim in claims { text += "claim\(index)_\(claim.start)()\n" }
    }
    return text + "}\n"
  }
}
