import SQLCore

/// A translator that turns a query in SQLite's SQL into one in DuckDB's SQL with the same rows.
///
/// The translator follows SQLite's grammar. It knows the type of every expression, because it knows
/// the types of the copied columns and the values of the parameters. So it can write SQL that has
/// the same meaning in DuckDB: for example, `//` for the quotient of two integers, NULLS FIRST for
/// a sort key, and a conversion of texts that are compared with a collation. It throws
/// `AnalyticsError.unsupported` for anything that it cannot translate.
///
/// It builds no syntax tree: each method reads tokens and returns DuckDB's SQL. The FROM clause of
/// a SELECT is read before the list of its columns, because it determines the types of the columns.
/// - SeeAlso: <https://www.sqlite.org/lang_select.html>
struct Translator {
  let sql: String
  let source: SQLiteTokens
  let tables: [String: CopiedTable]
  /// The values of SQLite's parameters.
  let values: [DatabaseValue]
  /// The values of DuckDB's parameters. Equal values share one parameter, so that an expression
  /// that occurs in both SELECT and GROUP BY has the same text in both places, by which DuckDB
  /// recognises it.
  var parameters: [DatabaseValue] = []
  /// The common table expressions that are visible at the present position. The expressions of an
  /// inner query come after the expressions of the queries around it.
  var commonTables: [Source] = []
  var position = 0
  var scope = Scope(parent: nil)
  var depth = 0
  /// Whether the query that was read last has ORDER BY and no LIMIT.
  var isOrderedWithoutLimit = false

  init(
    _ sql: String, values: [DatabaseValue] = [], tables: [String: CopiedTable]
  ) throws {
    self.sql = sql
    self.values = values
    self.tables = tables
    source = try SQLiteTokens(sql)
  }

  /// Returns the whole statement, and the kinds of its columns.
  mutating func statement() throws -> (sql: String, columns: [Source.Column]) {
    guard isWord("SELECT") || isWord("WITH") || isWord("VALUES") else {
      throw unsupported(
        "a copy in DuckDB only answers queries", "write to the database that is copied")
    }
    let select = try select(parent: nil)
    while take(sign: ";") {}
    guard position == source.tokens.count else { throw unexpected() }
    return (numberingParameters(of: select.sql), select.columns)
  }

  /// Renumbers the parameters in the text, and removes the values that the text does not use. For
  /// example, the format of a date is needed only for the translation.
  private mutating func numberingParameters(of text: String) -> String {
    var used: [DatabaseValue] = []
    var numbers: [Int: Int] = [:]
    var written: [UInt8] = []
    let bytes = Array(text.utf8)
    var quote: UInt8?
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      index += 1
      written.append(byte)
      if byte == quote {
        quote = nil
      } else if quote == nil, byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") {
        quote = byte
      } else if quote == nil, byte == UInt8(ascii: "$") {
        var number = 0
        while index < bytes.count, (0x30...0x39).contains(bytes[index]) {
          number = number * 10 + Int(bytes[index] - 0x30)
          index += 1
        }
        if numbers[number] == nil, parameters.indices.contains(number - 1) {
          used.append(parameters[number - 1])
          numbers[number] = used.count
        }
        written += Array("\(numbers[number] ?? number)".utf8)
      }
    }
    parameters = used
    return String(decoding: written, as: UTF8.self)
  }

  // MARK: Tokens

  var token: SQLiteToken? {
    position < source.tokens.count ? source.tokens[position] : nil
  }

  func token(after offset: Int) -> SQLiteToken? {
    position + offset < source.tokens.count ? source.tokens[position + offset] : nil
  }

  func isWord(_ word: String) -> Bool { token?.isWord(word) == true }
  func isSign(_ sign: String) -> Bool { token?.isSign(sign) == true }

  mutating func take(word: String) -> Bool {
    guard isWord(word) else { return false }
    position += 1
    return true
  }

  mutating func take(words first: String, _ second: String) -> Bool {
    guard isWord(first), token(after: 1)?.isWord(second) == true else { return false }
    position += 2
    return true
  }

  mutating func take(sign: String) -> Bool {
    guard isSign(sign) else { return false }
    position += 1
    return true
  }

  mutating func expect(word: String) throws {
    guard take(word: word) else { throw unexpected() }
  }

  mutating func expect(sign: String) throws {
    guard take(sign: sign) else { throw unexpected() }
  }

  mutating func name() throws -> String {
    guard let token, token.isName else { throw unexpected() }
    position += 1
    return token.text
  }

  /// Runs a closure that reads a nested expression or query. Throws if the nesting would become too
  /// deep for the stack.
  mutating func nested<Result>(_ body: (inout Translator) throws -> Result) throws -> Result {
    depth += 1
    defer { depth -= 1 }
    guard depth < 400 else {
      throw unsupported("the query is nested too deeply", "divide it with common table expressions")
    }
    return try body(&self)
  }

  // MARK: Parameters

  /// Returns the term for a value: a parameter of DuckDB, or a literal for an integer or NULL.
  mutating func parameter(_ value: DatabaseValue) throws -> Term {
    var term: Term
    switch value {
    case .null: return .null
    case .integer(let integer): term = Term("CAST(\(integer) AS BIGINT)", .integer)
    case .real: term = Term("CAST(\(number(of: value)) AS DOUBLE)", .real)
    case .text(let text) where text.utf8.contains(0):
      throw unsupported("SQLite's functions end a text at U+0000", "pass a BLOB")
    case .text: term = Term("CAST(\(number(of: value)) AS VARCHAR)", .text)
    case .blob: term = Term("CAST(\(number(of: value)) AS BLOB)", .blob)
    case .invalidText:
      throw unsupported("DuckDB has no texts that are not UTF-8", "pass a BLOB")
    }
    term.constant = value
    return term
  }

  private mutating func number(of value: DatabaseValue) -> String {
    let known = parameters.firstIndex(of: value)
    if known == nil { parameters.append(value) }
    return "$\((known ?? parameters.count - 1) + 1)"
  }

  // MARK: Errors

  func unsupported(_ feature: String, _ advice: String) -> AnalyticsError {
    .unsupported(feature: feature, advice: advice, sql: sql)
  }

  func unexpected() -> AnalyticsError {
    unsupported(
      "“\(token?.text ?? "the end")” is not understood here in a query that is translated for DuckDB",
      "write the query with SELECT, JOIN, WHERE, GROUP BY, HAVING, WINDOW, ORDER BY and LIMIT")
  }
}
