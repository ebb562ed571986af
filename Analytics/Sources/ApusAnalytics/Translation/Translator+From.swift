import Foundation
import SQLCore

extension Translator {
  /// Reads the sources of a FROM clause and their joins.
  mutating func joins() throws -> String {
    var sql = try fromItem()
    while let join = try joinOperator() {
      let next = try fromItem()
      if take(word: "USING") {
        throw unsupported("the join has USING", "write the condition with ON")
      }
      guard take(word: "ON") else {
        guard join == "JOIN" || join == "CROSS JOIN" else { throw unexpected() }
        sql += " CROSS JOIN \(next)"
        continue
      }
      let condition = try condition(try expression())
      sql += " \(join == "CROSS JOIN" ? "JOIN" : join) \(next) ON \(condition)"
    }
    return sql
  }

  private mutating func joinOperator() throws -> String? {
    // In SQLite, a comma has the same precedence as JOIN. In DuckDB, it has a lower one, so it is
    // replaced.
    if take(sign: ",") { return "CROSS JOIN" }
    if isWord("NATURAL") { throw unsupported("the join is NATURAL", "write its condition with ON") }
    for word in ["LEFT", "RIGHT", "FULL"] where take(word: word) {
      _ = take(word: "OUTER")
      try expect(word: "JOIN")
      return "\(word) JOIN"
    }
    for word in ["INNER", "CROSS"] where take(word: word) {
      try expect(word: "JOIN")
      return word == "INNER" ? "JOIN" : "CROSS JOIN"
    }
    return take(word: "JOIN") ? "JOIN" : nil
  }

  private mutating func fromItem() throws -> String {
    if isSign("(") {
      if let array = try boundArray() { return array }
      let next = token(after: 1)
      guard
        next?.isWord("SELECT") == true || next?.isWord("WITH") == true
          || next?.isWord("VALUES") == true
      else {
        position += 1
        let inner = try joins()
        try expect(sign: ")")
        return "(\(inner))"
      }
      position += 1
      let query = try select(parent: scope.parent)
      try expect(sign: ")")
      let name = try alias() ?? scope.nextName
      scope.sources.append(Source(name: name, columns: query.columns))
      return "(\(query.sql)) AS \(name.quotedName)"
    }
    var table = try name()
    if take(sign: ".") {
      guard table.isSameName(as: "main") else {
        throw unsupported("\(table) is another database", "copy its tables as well")
      }
      table = try name()
    }
    guard !isSign("(") else {
      throw unsupported(
        "\(table) is a table function of SQLite", "copy the rows that it returns, as a query")
    }
    let alias = try alias()
    if take(words: "NOT", "INDEXED") {}
    if take(words: "INDEXED", "BY") { _ = try name() }
    if let common = commonTables.last(where: { $0.name.isSameName(as: table) }) {
      let name = alias ?? common.name
      scope.sources.append(Source(name: name, columns: common.columns))
      return "\(common.name.quotedName) AS \(name.quotedName)"
    }
    guard let copied = tables[table.lowercased()] else {
      throw unsupported("the table \(table) was not copied", "copy its model first")
    }
    let name = alias ?? copied.name
    scope.sources.append(
      Source(
        name: name,
        columns: copied.columns.map {
          Source.Column(name: $0.name, kind: Term.Kind($0.kind), collation: $0.collation)
        }, table: copied))
    return "main.\(copied.name.quotedName) AS \(name.quotedName)"
  }

  private mutating func alias() throws -> String? {
    if take(word: "AS") { return try name() }
    guard let token, token.isName else { return nil }
    let follows = [
      "ON", "USING", "WHERE", "GROUP", "HAVING", "WINDOW", "ORDER", "LIMIT", "UNION", "INTERSECT",
      "EXCEPT", "LEFT", "RIGHT", "FULL", "INNER", "CROSS", "JOIN", "NATURAL", "NOT", "INDEXED",
    ]
    if token.kind == .word, follows.contains(token.text.uppercased()) { return nil }
    return try name()
  }

  // MARK: Arrays

  /// Reads an array that is bound to a parameter. In the SQL, `RemoteSQL` has replaced the array by
  /// a subquery on `json_each`. Returns nil if the next tokens are not such a subquery.
  private mutating func boundArray() throws -> String? {
    let start = ["(", "SELECT", "key", "AS", "rowid", ",", "CASE", "type"]
    guard start.indices.allSatisfy({ token(after: $0)?.text == start[$0] }) else { return nil }
    var parameters: [Int] = []
    var depth = 0
    repeat {
      guard let token else { throw unexpected() }
      if token.isSign("(") { depth += 1 }
      if token.isSign(")") { depth -= 1 }
      if token.kind == .parameter, let number = Int(token.text) { parameters.append(number) }
      position += 1
    } while depth > 0
    let name = try alias() ?? scope.nextName
    guard parameters.count == 2, values.indices.contains(parameters[1] - 1),
      values.indices.contains(parameters[0] - 1),
      let elements = ArrayValues(bytes: values[parameters[0] - 1], json: values[parameters[1] - 1])
    else { throw unexpected() }
    let kinds = try elements.values.map { try parameter($0).kind }
    let kind = try common(kinds, of: "the elements of an array")
    scope.sources.append(
      Source(
        name: name,
        columns: [
          Source.Column(name: "rowid", kind: .integer), Source.Column(name: "value", kind: kind),
        ]))
    let list = elements.values.map(Self.literal).joined(separator: ", ")
    let type =
      switch kind {
      case .real: "DOUBLE"
      case .text: "VARCHAR"
      case .blob: "BLOB"
      default: "BIGINT"
      }
    return "(SELECT unnest(range(\(elements.values.count))) AS rowid, "
      + "unnest(CAST([\(list)] AS \(type)[])) AS value) AS \(name.quotedName)"
  }

  private static func literal(_ value: DatabaseValue) -> String {
    switch value {
    case .null: "NULL"
    case .integer(let integer): "\(integer)"
    case .real(let real): "'\(real)'::DOUBLE"
    case .text(let text): text.quotedText
    case .blob(let data), .invalidText(let data): "from_hex('\(hex(data))')"
    }
  }

  private static func hex(_ data: Data) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    return String(
      decoding: data.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}

/// The elements of a bound array, read from the JSON and the bytes that `RemoteSQL` sends.
struct ArrayValues {
  private(set) var values: [DatabaseValue] = []

  /// Reads the JSON array. A number with a point or an exponent is a REAL. An element `[position,
  /// length]` stands for a BLOB, and says which part of `bytes` the BLOB is.
  init?(bytes: DatabaseValue, json: DatabaseValue) {
    guard case .text(let text) = json, case .blob(let data) = bytes else { return nil }
    var reader = Reader(bytes: Array(text.utf8))
    guard reader.take(UInt8(ascii: "[")) else { return nil }
    if reader.take(UInt8(ascii: "]")) { return }
    repeat {
      guard let value = reader.value(data) else { return nil }
      values.append(value)
    } while reader.take(UInt8(ascii: ","))
  }

  private struct Reader {
    let bytes: [UInt8]
    var position = 0

    mutating func take(_ byte: UInt8) -> Bool {
      guard position < bytes.count, bytes[position] == byte else { return false }
      position += 1
      return true
    }

    mutating func value(_ data: Data) -> DatabaseValue? {
      guard position < bytes.count else { return nil }
      switch bytes[position] {
      case UInt8(ascii: "\""): return string().map { .text($0) }
      case UInt8(ascii: "n"):
        position += 4
        return .null
      case UInt8(ascii: "["):
        position += 1
        guard let start = Int(word()), take(UInt8(ascii: ",")), let count = Int(word()),
          take(UInt8(ascii: "]")), start > 0, count >= 0, start - 1 + count <= data.count
        else { return nil }
        return .blob(data.dropFirst(start - 1).prefix(count))
      default:
        let word = word()
        if let integer = Int64(word) { return .integer(integer) }
        return Double(word).map { .real($0) }
      }
    }

    private mutating func word() -> String {
      let start = position
      let ends = [UInt8(ascii: ","), UInt8(ascii: "]")]
      while position < bytes.count, !ends.contains(bytes[position]) { position += 1 }
      return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    /// Reads a JSON string with Foundation, which decodes the escapes.
    private mutating func string() -> String? {
      let start = position
      position += 1
      while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
        position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
      }
      position += 1
      guard position <= bytes.count else { return nil }
      return try? JSONDecoder().decode(String.self, from: Data(bytes[start..<position]))
    }
  }
}
