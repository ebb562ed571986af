import Apus

/// A table or view of a file, with everything on which its model depends.
struct SourceTable {
  enum Kind {
    case table(TableDescription)
    case view
    case virtual
  }

  /// An index that CREATE INDEX made.
  struct Index {
    /// A column of an index; the name is nil for an expression.
    struct Term {
      let column: String?
      let isDescending: Bool
      let collation: String
    }

    let name: String
    let isUnique: Bool
    let isPartial: Bool
    let terms: [Term]
    let sql: String
  }

  let name: String
  let kind: Kind
  let columns: [TableColumn]
  let indexes: [Index]
  /// The SQL of the table or view; `triggers` has the SQL of its triggers.
  let definition: String
  let triggers: [String]
  private(set) var surveys: [ColumnSurvey] = []
  /// Whether the source is a view, and only its first rows were read.
  private(set) var isCut = false

  /// The largest number of rows that are read from a view. The number is limited, because reading a
  /// view may be as costly as any query.
  private static let viewRows = 10_000

  init(
    _ name: String, kind: Kind, definition: String, in connection: Connection
  ) throws {
    self.name = name
    self.kind = kind
    self.definition = definition
    columns = try connection.columns(ofTable: name).filter { $0.generation != .hidden }
    indexes = try connection.indexes(of: name)
    triggers = try connection.rows(
      """
      SELECT sql FROM sqlite_schema
      WHERE type = 'trigger' AND lower(tbl_name) = lower(\(name)) AND sql IS NOT NULL
      """
    ).map { try $0.get(at: 0) }
    try survey(connection)
  }

  /// Reads all values.
  private mutating func survey(_ connection: Connection) throws {
    surveys = Array(repeating: ColumnSurvey(), count: columns.count)
    guard !columns.isEmpty else { return }
    var sql: SQL = "SELECT "
    for (index, column) in columns.enumerated() {
      sql.append(index == 0 ? "\(identifier: column.name)" : ", \(identifier: column.name)")
    }
    sql.append(" FROM \(identifier: name)")
    let isView = if case .view = kind { true } else { false }
    if isView { sql.append(" LIMIT \(Self.viewRows + 1)") }
    var count = 0
    try connection.forEach(sql) { row in
      count += 1
      for index in surveys.indices {
        do {
          surveys[index].add(try row.databaseValue(at: index))
        } catch is ColumnValueError {
          surveys[index].add(DatabaseValue?.none)
        }
      }
    }
    isCut = isView && count > Self.viewRows
  }
}

extension Connection {
  /// Returns the indexes of a table, without the indexes that SQLite creates for constraints.
  fileprivate func indexes(of table: String) throws -> [SourceTable.Index] {
    try rows(
      """
      SELECT list.name, list."unique", list.partial, schema.sql
      FROM pragma_index_list(\(table)) AS list JOIN sqlite_schema AS schema ON schema.name = list.name
      WHERE list.origin = 'c' AND schema.type = 'index' ORDER BY list.seq DESC
      """
    ).map { row in
      let name: String = try row.get(at: 0)
      let terms = try rows(
        "SELECT name, \"desc\", coll FROM pragma_index_xinfo(\(name)) WHERE key = 1 ORDER BY seqno"
      ).map {
        SourceTable.Index.Term(
          column: try $0.get(at: 0), isDescending: try $0.get(at: 1), collation: try $0.get(at: 2))
      }
      return SourceTable.Index(
        name: name, isUnique: try row.get(at: 1), isPartial: try row.get(at: 2), terms: terms,
        sql: try row.get(at: 3))
    }
  }
}
