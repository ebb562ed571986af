import CSQLite

/// A statement of a connection whose database is elsewhere.
///
/// Its template is the statement itself, compiled against the copy of the schema. What runs is a
/// second statement, which reads the virtual table of the link: `SELECT c0 AS "title" FROM
/// apus_remote(17, ?1)` for one that returns rows, and `INSERT INTO apus_remote_run …` for one that
/// returns none. So the columns and parameters are those of SQLite, and rows are decoded as always.
final class RemoteStatement {
  let number: Int64
  /// The statement, compiled against the copy of the schema.
  let template: OpaquePointer
  let text: RemoteSQL
  /// The columns that the statement returns.
  let columns: [RemoteText.Column]
  let isReadOnly: Bool
  /// Whether the statement runs on the copy as well: it changes the schema, or it begins or ends a
  /// transaction or savepoint.
  let runsOnCopy: Bool
  let changesSchema: Bool
  let isCommit: Bool
  let isRollback: Bool
  /// The schema with which the statement was compiled.
  private let schema: UInt64
  private weak let link: RemoteLink?

  init(
    number: Int64, template: OpaquePointer, effects: StatementEffects, link: RemoteLink
  ) throws {
    self.number = number
    self.template = template
    self.link = link
    schema = link.copiedSchema
    let sql = sqlite3_sql(template).map { String(cString: $0) } ?? ""
    text = try RemoteSQL(sql, parameterCount: Int(sqlite3_bind_parameter_count(template)))
    columns = (0..<sqlite3_column_count(template)).map { index in
      RemoteText.Column(
        name: sqlite3_column_name(template, index).map { String(cString: $0) } ?? "",
        declaredType: sqlite3_column_decltype(template, index).map { String(cString: $0) })
    }
    isReadOnly = sqlite3_stmt_readonly(template) != 0
    let words = SQLTokens(sql).tokens.drop { $0.isSign(";") }
    isCommit = words.first?.isWord("commit") == true || words.first?.isWord("end") == true
    isRollback = words.first?.isWord("rollback") == true
    changesSchema = effects.contains(.changesSchema)
    let returnsNothing = columns.isEmpty
    // SQLite counts SAVEPOINT and RELEASE among the statements that only read. A PRAGMA without
    // rows may change how the copy follows the schema.
    runsOnCopy =
      changesSchema || effects.contains(.controlsTransaction)
      || returnsNothing && (isReadOnly || effects.contains(.changesConnection))
  }

  deinit {
    link?.forget(number)
  }

  var sql: String { text.sql }

  /// Whether this process has changed the schema since the statement was compiled, so that its
  /// columns may be others.
  var isOutdated: Bool {
    guard let link else { return false }
    return schema != link.copiedSchema
      || !link.isInTransaction && schema != link.database.latestSchema
  }

  /// The statement that runs in this one's place.
  var substitute: String {
    let parameters = (1...max(1, sqlite3_bind_parameter_count(template)))
      .prefix(Int(sqlite3_bind_parameter_count(template)))
      .map { index in
        sqlite3_bind_parameter_name(template, index).map { String(cString: $0) } ?? "?\(index)"
      }
    guard !columns.isEmpty else {
      let values = ["\(number)"] + parameters
      let names = ["statement"] + parameters.indices.map { "p\($0)" }
      return "INSERT INTO \(RemoteTable.runName) (\(names.joined(separator: ", "))) "
        + "VALUES (\(values.joined(separator: ", ")))"
    }
    let names = columns.enumerated().map { "c\($0) AS \(Identifier($1.name).quoted)" }
    let values = ["\(number)"] + RemoteArgumentGroup.grouped(parameters)
    return "SELECT \(names.joined(separator: ", ")) "
      + "FROM \(RemoteTable.rowsName)(\(values.joined(separator: ", ")))"
  }

  /// Whether the substitute runs instead of the template.
  var hasSubstitute: Bool { !runsOnCopy }
}
