extension RemoteSQL {
  /// Returns the texts that replace tokens, so that SQLite's own functions mark found words, and
  /// read texts and numbers in JSON. An engine has none of the library's functions, so values of
  /// other types are refused.
  static func replacementsOfFunctions(in tokens: [SQLTokens.Token]) throws -> [Int: String] {
    var replacements: [Int: String] = [:]
    for index in tokens.indices.dropLast() where tokens[index + 1].isSign("(") {
      let token = tokens[index]
      guard token.kind == .word || token.kind == .quotedName else { continue }
      switch token.value {
      case "apus_json", "apus_json_nodes": replacements[index] = ""
      case "apus_highlight": replacements[index] = "highlight"
      case "apus_snippet": replacements[index] = "snippet"
      case "apus_json_group_object": replacements[index] = "json_group_object"
      case "apus_json_value", "apus_json_each":
        guard let end = end(ofCallAt: index, in: tokens), tokens[end - 1].kind == .string,
          plainTypes.contains(tokens[end - 1].value)
        else {
          throw DatabaseError.misuse(
            "\(token.value) is a function in Swift, which does not exist elsewhere; decode the JSON "
              + "in Swift, or write the query with functions of SQLite")
        }
        if token.value == "apus_json_value" {
          replacements[index] = "json_extract"
          replacements[end - 1] = "'$'"
        } else {
          replacements[index] = "json_each"
          replacements[end - 2] = ""
          replacements[end - 1] = ""
          if !hasAlias(tokens, at: end + 1) {
            replacements[end] = ") AS " + Identifier(token.value).quoted
          }
        }
      default: continue
      }
    }
    return replacements
  }

  /// The types that SQLite's own functions read as a column stores them.
  private static let plainTypes: Set = [
    "String", "Bool", "Double", "Int", "Int64", "Int32", "Int16", "Int8", "UInt", "UInt64",
    "UInt32", "UInt16", "UInt8",
  ]

  /// Returns the index of the parenthesis that ends a call.
  private static func end(ofCallAt start: Int, in tokens: [SQLTokens.Token]) -> Int? {
    var depth = 0
    for index in (start + 1)..<tokens.count {
      if tokens[index].isSign("(") { depth += 1 }
      if tokens[index].isSign(")") { depth -= 1 }
      if depth == 0 { return index }
    }
    return nil
  }
}
