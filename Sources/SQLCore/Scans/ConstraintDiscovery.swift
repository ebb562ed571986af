/// A search for the parts of a statement that an index could speed up: comparisons, and the columns
/// of ORDER BY. SQLite's planner does the search.
///
/// A second database, in memory, has a virtual table in place of each table. When the statement is
/// compiled in this database, SQLite's planner passes all usable comparisons to the virtual tables.
/// Apus therefore need not parse SQL, and SQLite resolves views, common table expressions and
/// nested conditions.
struct ConstraintDiscovery {
  private let core: ConnectionCore
  private let asked: IndexQuestions

  /// - Parameters:
  ///   - copy: a database in memory with the ordinary tables of the schema. The columns are read
  ///     from it.
  ///   - twin: an empty database in memory, in which the virtual tables are created.
  init(_ schema: SchemaCopy, columnsFrom copy: ConnectionCore, twin: ConnectionCore) throws {
    core = twin
    let asked = IndexQuestions()
    self.asked = asked
    var tables: [(name: String, columns: [DiscoveryColumn])] = []
    for object in schema.objects where object.kind == .table {
      tables.append((object.name, try copy.columns(of: object.name)))
    }
    let declared = tables
    try core.lend().virtualTable("apus_discovery", .created, isInnocuous: true) { context in
      let number = context.arguments.first.flatMap { Int($0) } ?? -1
      guard declared.indices.contains(number) else {
        throw DatabaseError.misuse("the argument of apus_discovery must be the number of a table")
      }
      return DiscoveryTable(declared[number].name, declared[number].columns, asked)
    }
    for object in schema.objects where object.kind == .virtualTable {
      try? core.run(pragma: object.sql)
    }
    for (number, table) in tables.enumerated() {
      try? core.run(
        pragma: "CREATE VIRTUAL TABLE \(Identifier(table.name).quoted) "
          + "USING apus_discovery(\(number))")
    }
    for object in schema.objects where object.kind == .view { try? core.run(pragma: object.sql) }
  }

  /// Returns the indexes that may help a statement, the most promising first.
  func candidates(for sql: String) -> [IndexCandidate] {
    asked.clear()
    // Statements that write to a virtual table cannot have RETURNING or ON CONFLICT. If the whole
    // text does not compile, the text before these words is therefore tried.
    for sql in [sql, sql.before("returning"), sql.before("on conflict")] {
      guard let statement = try? core.compileOne(sql) else { continue }
      core.giveBack(StatementPointer.make(statement))
      break
    }
    var candidates: [IndexCandidate] = []
    for question in asked.questions {
      for candidate in IndexCandidate.all(for: question) where !candidates.contains(candidate) {
        candidates.append(candidate)
      }
    }
    return candidates
  }
}

extension String {
  /// Returns the text before the last occurrence of `words`, or the whole text.
  /// `words` must be in lower case; the text may be in upper case. The result need not be valid
  /// SQL.
  fileprivate func before(_ words: String) -> String {
    let (text, words) = (Array(utf8), Array(words.utf8))
    guard text.count >= words.count else { return self }
    for start in stride(from: text.count - words.count, through: 0, by: -1)
    where words.indices.allSatisfy({ text[start + $0].lowercasedASCII == words[$0] }) {
      return String(decoding: text[..<start], as: UTF8.self)
    }
    return self
  }
}

/// A column of a table, as the schema declares it.
struct DiscoveryColumn: Sendable {
  let name: String
  let type: String
  let isNotNull: Bool
  let collation: String
}

/// A question that SQLite's planner asks a virtual table: by which comparisons the table can select
/// its rows, and in which order it can return them.
struct IndexQuestion: Sendable {
  let table: String
  let columns: [DiscoveryColumn]
  let query: IndexQuery
}

private final class IndexQuestions: Sendable {
  private let list = Lock<[IndexQuestion]>([])

  var questions: [IndexQuestion] { list.withLock { $0 } }
  func clear() { list.withLock { $0.removeAll() } }
  func append(_ question: IndexQuestion) { list.withLock { $0.append(question) } }
}

/// A virtual table without rows, which only records the questions of the planner.
private final class DiscoveryTable: WritableVirtualTable {
  private let name: String
  private let columns: [DiscoveryColumn]
  private let asked: IndexQuestions

  init(_ name: String, _ columns: [DiscoveryColumn], _ asked: IndexQuestions) {
    (self.name, self.columns, self.asked) = (name, columns, asked)
  }

  var schema: String {
    let list = columns.map { column in
      "\(Identifier(column.name).quoted) \(column.type)"
        + (column.isNotNull ? " NOT NULL" : "")
        + " COLLATE \(Identifier(column.collation).quoted)"
    }
    return "CREATE TABLE x (\(list.joined(separator: ", ")))"
  }

  func bestIndex(_ query: IndexQuery) throws -> IndexPlan? {
    asked.append(IndexQuestion(table: name, columns: columns, query: query))
    // The plan claims that all usable constraints have an index. Otherwise, SQLite would ask about
    // the first of two conditions joined by OR, but not about the second.
    let usable = query.constraints.indices.filter {
      query.constraints[$0].isUsable && query.constraints[$0].column >= 0
    }
    return IndexPlan(
      arguments: usable.map { IndexPlan.Argument(constraint: $0) },
      cost: usable.isEmpty ? 1e6 : 1e3, rowCount: usable.isEmpty ? 1_000_000 : 1_000)
  }

  private static let runs = DatabaseError.misuse(
    "this table serves statements that are prepared, but not run")

  func open() throws -> any VirtualTableCursor { throw Self.runs }
  func insert(_ row: borrowing Arguments, rowID: Int64?) throws -> Int64 { throw Self.runs }
  func update(rowID: Int64, to newRowID: Int64, _ row: borrowing Arguments) throws {
    throw Self.runs
  }
  func delete(rowID: Int64) throws { throw Self.runs }
}

extension ConnectionCore {
  /// Returns the declared columns of a table.
  fileprivate func columns(of table: String) throws -> [DiscoveryColumn] {
    var columns: [DiscoveryColumn] = []
    try forEachRow(of: "PRAGMA main.table_xinfo(\(Identifier(table).quoted))") { row in
      let name = row.text(1)
      columns.append(
        DiscoveryColumn(
          name: name, type: row.text(2), isNotNull: row.integer(3) != 0,
          collation: try collation(ofColumn: name, in: table)))
    }
    return columns
  }
}
