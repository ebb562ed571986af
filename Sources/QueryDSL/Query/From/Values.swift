import SQLCore

/// Swift values as the rows of a table in a query. For example, a query compares them with another
/// table, or an update takes the new values of many rows from them.
///
/// ```swift
/// struct Score: ResultRow {
///   @Column var player: Player.ID
///   @Column var points: Int
/// }
///
/// Player.update(from: Values(scores)) { player, score in
///   player.$points += score.$points
/// } where: { player, score in
///   player.$id == score.$player
/// }
/// // UPDATE "Player" SET "points" = "Player"."points" + "Score"."points" FROM
/// //   (SELECT "apus_array"."value" AS "player", "apus_array_2"."value" AS "points"
/// //   FROM "apus_array"(?) JOIN "apus_array"(?) AS "apus_array_2" ON …) AS "Score"
/// //   WHERE "Player"."id" = "Score"."player"
/// ```
/// Each column is bound as one array, so the SQL is the same for any number of rows, including
/// none. `Values` can be used wherever a query can: in FROM and joins (`Values(scores).as(score)`),
/// as a `CommonTable`, in a UNION, or in an insert. The rows have no particular order.
///
/// A value that cannot be stored throws `ColumnValueError` when the query runs. A row type with
/// more than 60 columns throws `QueryError`.
public struct Values<Row: ResultRow>: Fetchable {
  /// The SELECT of the rows.
  public let query: Query<Row>

  /// Makes a table of rows.
  public init(_ rows: some Sequence<Row>) {
    do {
      query = Query(statement: try Self.statement(of: rows), decoding: Row.decoding)
    } catch {
      var statement = SelectStatement(selection: .terms([]), from: .none)
      statement.note(error as? QueryError ?? QueryError(String(describing: error)))
      query = Query(statement: statement, decoding: Row.decoding)
    }
  }

  /// A query for all rows, to which conditions, an order and a limit can be added.
  /// SQL: `SELECT … FROM (SELECT …) AS "Score"`
  public var all: TableQuery<Row, Row> {
    let columns = Columns<Row>()
    var statement = SelectStatement(selection: .table(columns.table), from: columns.table)
    statement.changeExtras { $0.sources = [(columns.table, .query(query.statement))] }
    return TableQuery(query: Query(statement: statement, decoding: Row.decoding), columns: columns)
  }

  /// Returns a query for the rows that match all predicates of the closure.
  /// SQL: `FROM (SELECT …) AS "Score" WHERE a AND b`
  public func `where`(
    @PredicateBuilder _ predicates: (Columns<Row>) -> PredicateLines
  ) -> TableQuery<Row, Row> {
    all.where(predicates)
  }
}

/// A row of `apus_array`, the table function that returns the values of an array. In SQL, `value`
/// may have any type, although it is declared as Int here.
private struct ArrayRow: ResultRow {
  @Column var value: Int
  @Column var rowid: Int
}

extension Values {
  /// The maximum number of columns. Each column is a table of its own in a join, and SQLite joins
  /// at most 64 tables.
  private static var maximumColumns: Int { 60 }

  private static func statement(of rows: some Sequence<Row>) throws -> SelectStatement {
    let layout = try Row.layout
    guard layout.columns.count <= maximumColumns else {
      throw QueryError(
        "Values: \(Row.self) has \(layout.columns.count) columns; at most \(maximumColumns) are "
          + "possible")
    }
    let arrays: [BoundValue]
    do {
      arrays = try values(of: rows, layout).map { .array(BoundArray($0)) }
    } catch let error as ColumnValueError {
      arrays = layout.columns.map { _ in .unstorable(error) }
    }
    let tables = arrays.map { _ in Columns<ArrayRow>() }
    let terms = zip(tables, layout.columns).map { table, column in
      SelectStatement.SelectTerm.aliased(table.$value.node, column.name)
    }
    var statement = SelectStatement(selection: .terms(terms), from: tables[0].table)
    statement.changeExtras { content in
      content.sources = zip(tables, arrays).map { table, array in
        (table.table, .function(ArrayTable.name, [.value(array)]))
      }
      content.joins = tables.dropFirst().map { table in
        SelectStatement.Join(
          kind: .inner, table: table.table,
          condition: (table.$rowid == tables[0].$rowid).node)
      }
    }
    return statement
  }

  /// Returns an array for each column, with its stored values.
  private static func values(
    of rows: some Sequence<Row>, _ layout: ModelLayout
  ) throws -> [[DatabaseValue]] {
    var arrays: [[DatabaseValue]] = Array(repeating: [], count: layout.columns.count)
    let slots = layout.slots.slots
    for row in rows {
      try withUnsafeBytes(of: row) { memory in
        guard let base = memory.baseAddress else { return }
        for (index, slot) in slots.enumerated() {
          arrays[index].append(
            try slot.type._databaseValue(ofColumnAt: base + Int(slot.offset), as: slot.form))
        }
      }
    }
    return arrays
  }
}
