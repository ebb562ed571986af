/// The rows that a failed statement would have written. The rows show which constraints the
/// statement cannot have violated. To read the rows again, a SELECT is made from the values or from
/// the condition of the statement.
///
/// The statement itself does not run again: a second run would count in `total_changes()`, and an
/// interruption would roll back the caller's transaction. The SELECT reads the rows as they were
/// before the statement, because SQLite undid the statement. The SELECT may read more rows than the
/// statement reached before it failed. This does no harm: if all these rows satisfy a constraint,
/// the statement did not violate it.
struct WrittenRows {
  private let core: ConnectionCore
  private let table: WrittenTable
  private let columns: [TableColumn]
  /// A SELECT that reads the new rows, as the statement would have written them; nil for DELETE.
  private var inserted: String?
  /// The columns of `inserted`.
  private var names: [String] = []
  /// A SELECT that reads the old rows, as they were before the statement; nil for INSERT.
  private var previous: String?

  /// Makes the SELECTs for the rows that a statement would write. Returns nil if a SELECT cannot
  /// read these rows.
  init?(of sql: String, _ table: WrittenTable, in core: ConnectionCore) {
    self.core = core
    self.table = table
    columns = core.columns(of: table).filter { $0.generation == .none }
    let source = SQLTokens(sql)
    var tokens = source.tokens[...]
    if tokens.last?.isSign(";") == true { tokens.removeLast() }
    if let end = Self.outer(tokens, "returning").last { tokens = tokens[..<end] }
    guard let verb = tokens.popFirst(), !tokens.contains(where: { $0.isWord("replace") }) else {
      return nil
    }
    if tokens.first?.isWord("or") == true {
      // FAIL keeps the rows that were written, and ROLLBACK also undoes earlier statements. A
      // SELECT would then not read the rows as they were before the statement.
      if tokens.dropFirst().first.map({ $0.isWord("fail") || $0.isWord("rollback") }) ?? true {
        return nil
      }
      tokens = tokens.dropFirst(2)
    }
    if verb.isWord("delete"), tokens.popFirst()?.isWord("from") == true {
      previous = "SELECT * FROM \(source.text(tokens))"
    } else if verb.isWord("insert"), tokens.popFirst()?.isWord("into") == true {
      readInsert(tokens, source)
    } else if verb.isWord("update") {
      readUpdate(tokens, source)
    }
    if inserted == nil, previous == nil { return nil }
  }

  /// Returns the indices of the tokens outside parentheses that are one of the given words or
  /// symbols.
  private static func outer(_ tokens: ArraySlice<SQLTokens.Token>, _ words: String...) -> [Int] {
    var depth = 0
    return tokens.indices.filter { index in
      if tokens[index].isSign("(") { depth += 1 }
      if tokens[index].isSign(")") { depth -= 1 }
      return depth == 0
        && words.contains { tokens[index].isWord($0) || tokens[index].isSign($0) }
    }
  }

  private mutating func readInsert(_ tokens: ArraySlice<SQLTokens.Token>, _ source: SQLTokens) {
    guard let start = Self.outer(tokens, "values", "select", "with").first,
      start > tokens.startIndex,
      Self.outer(tokens, "conflict", "default").isEmpty
    else { return }
    names = columns.map(\.name)
    if tokens[start - 1].isSign(")") {
      names = tokens[..<start].drop { !$0.isSign("(") }.filter(\.isName).map(\.value)
    }
    inserted = source.text(tokens[start...])
  }

  private mutating func readUpdate(_ tokens: ArraySlice<SQLTokens.Token>, _ source: SQLTokens) {
    guard let set = Self.outer(tokens, "set").first, Self.outer(tokens, "from").isEmpty else {
      return
    }
    let end = Self.outer(tokens, "where").first ?? tokens.endIndex
    var assignments: [String: String] = [:]
    var start = set + 1
    for comma in Self.outer(tokens[..<end].dropFirst(set + 1 - tokens.startIndex), ",") + [end] {
      let term = tokens[start..<comma]
      start = comma + 1
      guard term.count > 2, let name = term.first, name.isName,
        term[term.startIndex + 1].isSign("="),
        // The name must be that of a column. The name `rowid`, which may stand for a column of
        // another name, is not handled here.
        columns.contains(where: { $0.name.lowercasedASCII == name.value.lowercasedASCII })
      else { return }
      assignments[name.value.lowercasedASCII] = source.text(term.dropFirst(2))
    }
    let rows = "FROM \(source.text(tokens[..<set])) \(source.text(tokens[end...]))"
    names = columns.map(\.name)
    let values = names.map { assignments[$0.lowercasedASCII] ?? Identifier($0).quoted }
    inserted = "SELECT \(values.joined(separator: ", ")) \(rows)"
    previous = "SELECT * \(rows)"
  }

  // MARK: Constraints

  /// Whether these rows show that the statement did not violate a foreign key.
  func satisfy(_ key: StoredForeignKey) -> Bool {
    let isChild = table.isNamed(key.table)
    let isParent = table.isNamed(key.parent)
    // If the foreign key refers to its own table, an UPDATE may separate a row from its parent.
    // These rows cannot rule that out, so false is returned.
    if isChild, isParent, previous != nil { return false }
    guard key.parentColumns.count == key.columns.count else { return false }
    let names = zip(key.parentColumns, key.columns).map {
      (parent: Identifier($0).quoted, child: Identifier($1).quoted)
    }
    func qualified(_ name: String) -> String { "\(table.schema).\(Identifier(name).quoted)" }
    // The parent's column must be the left operand, because SQLite compares with the collation of
    // the left operand.
    let isPair = names.map { "p.\($0.parent) = c.\($0.child)" }.joined(separator: " AND ")
    if isChild {
      guard let rows = newRows(key.columns) else { return false }
      let isSet = names.map { "c.\($0.child) IS NOT NULL" }.joined(separator: " AND ")
      return isEmpty(
        """
        SELECT 1 FROM (\(rows)) AS c WHERE \(isSet)
        AND NOT EXISTS (SELECT 1 FROM \(qualified(key.parent)) AS p WHERE \(isPair))
        \(isConverted(key.columns).map { "OR \($0)" }.joined(separator: " "))
        """)
    }
    guard isParent, let previous else { return false }
    return isEmpty(
      "SELECT 1 FROM (\(previous)) AS p JOIN \(qualified(key.table)) AS c ON \(isPair)")
  }

  /// Whether the new rows certainly satisfy a CHECK.
  func satisfy(check: String, of named: [String]) -> Bool {
    guard let rows = newRows(named) else { return false }
    let conditions = ["NOT (\(check))"] + isConverted(named)
    return isEmpty(
      """
      SELECT 1 FROM (\(rows)) AS \(Identifier(table.name).quoted)
      WHERE \(conditions.joined(separator: " OR "))
      """)
  }

  /// Returns an SQL condition for each column that may convert values. The condition is true for a
  /// row whose value the column would convert, such as the text `1` in an INTEGER column. SQLite
  /// checked the converted value, but the SELECT reads the original value, so such a row proves
  /// nothing.
  private func isConverted(_ names: [String]) -> [String] {
    let names = names.map(\.lowercasedASCII)
    return columns.filter { names.contains($0.name.lowercasedASCII) }.compactMap { column in
      Self.storageClasses(column.declaredType.uppercased()).map {
        "typeof(\(Identifier(column.name).quoted)) NOT IN ('null', 'blob', \($0))"
      }
    }
  }

  /// Returns a SELECT that reads the `wanted` columns of the new rows. For a column that an INSERT
  /// omits, it reads the default. Returns nil if SQLite chooses or computes the value of one of the
  /// columns.
  private func newRows(_ wanted: [String]) -> String? {
    guard let inserted else { return nil }
    var values: [String] = []
    for name in wanted {
      guard
        let column = columns.first(where: { $0.name.lowercasedASCII == name.lowercasedASCII }),
        previous != nil || column.primaryKeyPosition == 0
      else { return nil }
      let quoted = Identifier(column.name).quoted
      if names.contains(where: { $0.lowercasedASCII == name.lowercasedASCII }) {
        values.append("r.\(quoted) AS \(quoted)")
      } else {
        // In the table's definition, a default that is a bare name is a text. In this SELECT, the
        // name would refer to a column.
        let value = column.defaultText ?? "NULL"
        let tokens = SQLTokens(value).tokens
        guard !tokens.contains(where: { $0.kind == .quotedName }),
          tokens.count > 1 || tokens.first?.kind != .word || tokens.first?.isWord("null") == true
        else { return nil }
        values.append("(\(value)) AS \(quoted)")
      }
    }
    let list = names.map { Identifier($0).quoted }.joined(separator: ", ")
    return """
      WITH apus_written(\(list)) AS (\(inserted)) \
      SELECT \(values.joined(separator: ", ")) FROM apus_written AS r
      """
  }

  /// Returns the storage class that a column of the declared type stores unchanged, such as
  /// `'integer'` for INT. NULL and BLOBs are always stored unchanged. Returns nil if the column
  /// stores every value unchanged.
  ///
  /// - SeeAlso: <https://www.sqlite.org/datatype3.html#determination_of_column_affinity>
  private static func storageClasses(_ type: String) -> String? {
    if type.contains("INT") { return "'integer'" }
    if ["CHAR", "CLOB", "TEXT"].contains(where: type.contains) { return "'text'" }
    if type.isEmpty || type == "ANY" || type.contains("BLOB") { return nil }
    return ["REAL", "FLOA", "DOUB"].contains(where: type.contains) ? "'real'" : "'integer'"
  }

  // MARK: Reading

  /// Runs a SELECT and returns true if it has no rows. If the SELECT would call the program's code
  /// or a function that is not deterministic, returns false without running it.
  private func isEmpty(_ select: String) -> Bool {
    // Tracing is turned off during the SELECT, because a trace would show the values of the
    // statement.
    let traced = core.state.pointee.hooks.tracedKinds
    if !traced.isEmpty { core.installTrace(of: []) }
    defer { if !traced.isEmpty { core.installTrace(of: traced) } }
    let program = core.readRows("EXPLAIN \(select)")
    guard !program.isEmpty, !program.contains(where: { $0[1] == "VOpen" }) else { return false }
    let operands = program.compactMap { $0[5] }.filter { !$0.isEmpty }
    let collations = core.readRows(
      "SELECT name FROM pragma_collation_list WHERE name NOT IN ('BINARY', 'NOCASE', 'RTRIM')")
    guard !collations.contains(where: { row in operands.contains { $0.contains(row[0] ?? "") } })
    else { return false }
    for operation in program where ["Function", "PureFunc", "AggStep"].contains(operation[1]) {
      let name = operation[5]?.prefix { $0 != "(" } ?? ""
      // 0x800 is SQLITE_DETERMINISTIC.
      let isKnown = core.readRows(
        """
        SELECT coalesce(min(builtin AND (flags & 0x800) <> 0), 0)
        FROM pragma_function_list WHERE name = ? COLLATE NOCASE
        """, String(name))
      guard isKnown == [["1"]] else { return false }
    }
    return core.readRows("SELECT EXISTS (\(select))") == [["0"]]
  }
}

/// A table that a statement writes.
struct WrittenTable: Hashable {
  let database: String
  let name: String

  /// The name of the database in which the table is, quoted for SQL.
  var schema: String { Identifier(database).quoted }

  func isNamed(_ name: String) -> Bool {
    self.name.lowercasedASCII == name.lowercasedASCII
  }
}
