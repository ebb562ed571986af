import SQLCore

/// The translation of a statement into the text that is sent to an engine. Apus's own functions
/// exist only in this process, so they are replaced.
///
/// `apus_array(?)` is replaced by the text below. The array that is bound to it is sent as two
/// values, because JSON has no BLOBs: one BLOB with the bytes of all BLOBs of the array, and the
/// array as JSON:
///
/// ```sql
/// (SELECT "key" AS rowid, CASE "type" WHEN 'array'
///   THEN coalesce(substr(?, json_extract("value", '$[0]'), json_extract("value", '$[1]')), x'')
///   ELSE "atom" END AS value FROM json_each(?) LIMIT -1)
/// ```
///
/// Apus's functions for JSON become SQLite's own: `apus_json_value(a -> ?, 'String')` becomes
/// `json_extract(a -> ?, '$')`. The results differ only in old versions of SQLite, and only for
/// escaped keys and U+0000. `apus_highlight` and `apus_snippet` become `highlight` and `snippet`,
/// which cut texts at U+0000.
///
/// `LIMIT -1` limits nothing, but it keeps SQLite from moving `json_each` into the surrounding
/// query. Without it, a join of two arrays would be slow: SQLite would read one array again for
/// each element of the other, instead of using an automatic index.
struct RemoteSQL {
  /// The text of the statement as the program has written it.
  let sql: String
  /// The text that is sent to the engine.
  let sent: String
  /// For each parameter in order, whether an array is bound to it.
  let isArray: [Bool]
  /// The first tokens of the statement, as in `RemoteText`.
  let firstTokens: [String]

  init(_ sql: String, parameterCount: Int) throws {
    self.sql = sql
    let tokens = SQLTokens(sql)
    firstTokens = tokens.firstTokens
    guard sql.contains("apus_") else {
      sent = sql
      isArray = Array(repeating: false, count: parameterCount)
      return
    }
    let replacements = try Self.replacementsOfFunctions(in: tokens.tokens)
    var isArray: [Bool] = []
    var pieces: [String] = []
    var end = 0
    var index = 0
    while index < tokens.tokens.count {
      let token = tokens.tokens[index]
      let isName =
        token.isWord(ArrayTable.name)
        || token.kind == .quotedName && token.value == ArrayTable.name
      if isName, index + 3 < tokens.tokens.count,
        tokens.tokens[index + 1].isSign("("), tokens.tokens[index + 2].value == "?",
        tokens.tokens[index + 3].isSign(")")
      {
        pieces.append(tokens.text(from: end, to: token.range.lowerBound))
        pieces.append(Self.array)
        end = tokens.tokens[index + 3].range.upperBound
        // If the call has no alias, other parts of the statement may use the function's name as the
        // name of the table. So the name becomes an alias.
        if token.kind == .quotedName, !Self.hasAlias(tokens.tokens, at: index + 4) {
          pieces.append(" AS " + Identifier(ArrayTable.name).quoted)
        }
        isArray.append(true)
        index += 4
        continue
      }
      if let replacement = replacements[index] {
        pieces.append(tokens.text(from: end, to: token.range.lowerBound))
        pieces.append(replacement)
        end = token.range.upperBound
      }
      if token.kind == .parameter { isArray.append(false) }
      index += 1
    }
    guard isArray.count == parameterCount else {
      throw DatabaseError.misuse(
        "a statement that is sent elsewhere cannot have both an array and parameters with a "
          + "number or a name")
    }
    pieces.append(tokens.text(from: end, to: tokens.bytes.count))
    sent = pieces.joined()
    self.isArray = isArray
  }

  static func hasAlias(_ tokens: [SQLTokens.Token], at index: Int) -> Bool {
    tokens.indices.contains(index) && tokens[index].isWord("as")
  }

  private static let array = """
    (SELECT "key" AS rowid, CASE "type" WHEN 'array' \
    THEN coalesce(substr(?, json_extract("value", '$[0]'), json_extract("value", '$[1]')), x'') \
    ELSE "atom" END AS value FROM json_each(?) LIMIT -1)
    """
}

extension SQLTokens {
  /// The first tokens of a statement, as in `RemoteText`.
  var firstTokens: [String] {
    tokens.drop { $0.isSign(";") }.prefix(8).map {
      $0.isName ? $0.value.lowercasedASCII : $0.normal
    }
  }

  fileprivate func text(from start: Int, to end: Int) -> String {
    String(decoding: bytes[start..<end], as: UTF8.self)
  }
}

extension BoundArray {
  /// Returns the BLOBs of the array as one BLOB, and the array as JSON. For each BLOB, the JSON has
  /// the position of its first byte, counted from 1, and its length. Throws `ColumnValueError` for
  /// a text that is not valid UTF-8, because JSON cannot have such a text.
  func remoteValues() throws -> [DatabaseValue] {
    var bytes: [UInt8] = []
    var json = "["
    for (index, value) in values.enumerated() {
      if index > 0 { json += "," }
      switch value {
      case .null: json += "null"
      case .integer(let integer): json += "\(integer)"
      case .real(let real): json += Self.json(real)
      case .text(let text): json.appendJSON(text)
      case .invalidText:
        throw ColumnValueError.unstorable(
          value, "an array is sent as JSON, whose texts are UTF-8; bind the value alone")
      case .blob(let data):
        json += "[\(bytes.count + 1),\(data.count)]"
        bytes += data
      }
    }
    return [.blob(.init(bytes)), .text(json + "]")]
  }

  /// Returns a number as JSON. JSON has no infinity, but SQLite reads a number that is too large as
  /// infinity.
  private static func json(_ real: Double) -> String {
    real.isInfinite ? (real < 0 ? "-9e999" : "9e999") : "\(real)"
  }
}

extension RemoteSQL {
  /// Returns the texts that replace tokens, by the index of the token. They replace calls of Apus's
  /// functions by calls of SQLite's own. This works for `apus_highlight` and `apus_snippet`, and
  /// for functions that read texts and numbers in JSON. For JSON values of other types, SQLite has
  /// no functions, so the method throws an error.
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

  /// The types whose values need no conversion: SQLite's own JSON functions return such a value in
  /// the same form as a column stores it.
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
