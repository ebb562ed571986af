import QueryDSL
import SQLCore

/// A search for the routes (see `RowRoute`) to a table if the query compares none of the table's
/// own columns with a value. Instead, the query joins the table with another table, and compares a
/// column of that other table with a value. For example, the path leads from `entry` to `follow` if
/// the condition is `entry.feed = follow.feed AND follow.user = ?`.
///
/// The path of a changed row leads to joined rows. The changed row can affect only those queries
/// that compare with the values of these joined rows. The path is followed in the state after the
/// commit. That suffices: if the commit also changed a row on the path, that row has its own route,
/// which is looked up with the old and the new values.
struct RoutePaths {
  let tables: [QueryConditions.Table]
  let known: [RoutedTable?]
  let values: [BoundValue]
  let schema: RoutedSchema

  /// A step of a path. It leads from a column of one table to a column of another table. A
  /// condition of the query requires that both columns are equal.
  private struct Step {
    let from: RoutedColumn
    let table: RoutedTable
    let column: RoutedColumn
  }

  private static let maximumSteps = 3

  /// Returns routes to a table. The routes compare values of joined rows, and not values of the
  /// table's own rows. Returns nil if there is no path whose statement finds its rows by indexes.
  /// Adds statements that lack an index to `lacking`.
  func routes(to table: RoutedTable, _ lacking: inout [String]) throws -> [RouteDraft]? {
    var ways: [[Step]] = steps(from: table).map { [$0] }
    var visited: Set<Int> = [table.place]
    while !ways.isEmpty {
      var further: [[Step]] = []
      for way in ways {
        guard let last = way.last?.table, visited.insert(last.place).inserted else { continue }
        if let found = last.routes(tables[last.place].alternatives, values, besidesRanges: true),
          let routes = try routes(found, over: way, &lacking)
        {
          return routes
        }
        if way.count < Self.maximumSteps { further += steps(from: last).map { way + [$0] } }
      }
      ways = further
    }
    return nil
  }

  /// Returns the steps from a table to other tables. If the conditions on the table have an OR,
  /// returns no steps, because a row of the table may then affect the query without being related
  /// to a joined row.
  private func steps(from table: RoutedTable) -> [Step] {
    let alternatives = tables[table.place].alternatives
    guard alternatives.count == 1 else { return [] }
    return alternatives[0].compactMap { condition in
      guard case .column(let place, let column) = condition.value, let other = known[place],
        let own = table.column(condition.column), let joined = other.column(column),
        own.isComparable(joined)
      else { return nil }
      return Step(from: own, table: other, column: joined)
    }
  }

  /// Turns the routes of the table at the end of a path into routes of the table at its beginning.
  private func routes(
    _ found: [RouteDraft], over way: [Step], _ lacking: inout [String]
  ) throws -> [RouteDraft]? {
    // The routes have the same columns, unless they come from an OR.
    guard let columns = found.first?.pattern.columns,
      found.allSatisfy({ $0.pattern.columns == columns })
    else { return found.isEmpty ? [] : nil }
    let sql = sql(of: columns, over: way)
    guard try schema.hasIndexes(for: sql) else {
      lacking.append(sql)
      return nil
    }
    return found.map { route in
      var route = route
      route.pattern.path = RowRoute.Path(column: way[0].from.name, sql: sql)
      return route
    }
  }

  private func sql(of columns: [RowRoute.PatternContent.Column], over way: [Step]) -> String {
    func name(_ column: String, _ number: Int) -> String {
      "t\(number).\(Identifier(column).quoted)"
    }
    let selected = columns.map { name($0.name, way.count) }.joined(separator: ", ")
    var sql = "SELECT DISTINCT \(selected) FROM "
    for (index, step) in way.enumerated() {
      let number = index + 1
      sql += index > 0 ? " JOIN " : ""
      sql += "main.\(Identifier(step.table.layout.tableName).quoted) AS t\(number)"
      if index > 0 {
        sql += " ON \(name(step.column.name, number)) = \(name(step.from.name, index))"
      }
    }
    return sql + " WHERE \(name(way[0].column.name, 1)) IN (SELECT value FROM apus_array(?))"
  }
}

/// The facts about tables and statements that the search for routes needs, for one version of the
/// schema. Facts that are not known yet are read from the database.
struct RoutedSchema {
  let version: Int32
  /// A connection for reading facts that are not known yet. Nil if the caller only uses known
  /// facts.
  let connection: Connection?
  let known: KnownRoutes

  private struct NotKnown: Error {}

  private func use() throws -> Connection {
    guard let connection else { throw NotKnown() }
    return connection
  }

  /// Returns the pattern with the given content. All queries whose patterns have equal content
  /// share one object.
  func pattern(_ content: RowRoute.PatternContent) -> RowRoute.Pattern {
    known.value(\.patterns, content, in: version) { RowRoute.Pattern(content) }
  }

  /// Returns a table of the main database; nil if there is no table with this name.
  func table(_ name: QualifiedTableName) throws -> ShadowTable? {
    try known.value(\.tables, name, in: version) {
      let connection = try use()
      let tracked = try TrackedTable(named: name, recording: nil, on: connection)
      return try tracked.map { try ShadowTable(of: $0, on: connection) }
    }
  }

  /// Returns whether SQLite runs a statement without scanning a table.
  func hasIndexes(for sql: String) throws -> Bool {
    try known.value(\.statements, sql, in: version) {
      try use().use().scannedTables(by: sql).isEmpty
    }
  }

  /// Returns the indexes that a statement lacks.
  func missingIndexes(for sql: String) throws -> [SuggestedIndex] {
    try known.value(\.missingIndexes, sql, in: version) {
      try use().use().missingIndexes(for: sql)
    }
  }
}

/// The known facts about tables and statements, which all observers of a database share.
final class KnownRoutes: Sendable {
  struct Facts: Sendable {
    var version: Int32
    /// The tables that were read. The value is nil for a view, and for a missing table.
    var tables: [QualifiedTableName: ShadowTable?] = [:]
    var statements: [String: Bool] = [:]
    var missingIndexes: [String: [SuggestedIndex]] = [:]
    var patterns: [RowRoute.PatternContent: RowRoute.Pattern] = [:]
  }

  private let facts = Lock<Facts?>(nil)

  /// Forgets all facts. This is needed after the content of the database was replaced, because the
  /// new content may have other tables but the same version of the schema.
  func forget() {
    // The facts are released outside the lock.
    _ = facts.withLock { facts in
      defer { facts = nil }
      return facts
    }
  }

  /// Returns a fact. If the fact is not known for this version of the schema, runs the closure to
  /// find it.
  func value<Name: Hashable & Sendable, Value: Sendable>(
    _ path: WritableKeyPath<Facts, [Name: Value]> & Sendable, _ name: Name, in version: Int32,
    _ find: () throws -> Value
  ) rethrows -> Value {
    if let value = facts.withLock({ $0?.version == version ? $0?[keyPath: path][name] : nil }) {
      return value
    }
    let value = try find()
    facts.withLock { facts in
      if facts?.version != version { facts = Facts(version: version) }
      facts?[keyPath: path][name] = value
    }
    return value
  }
}
