import QueryDSL
import SQLCore

/// A watched query: a template, which other queries may share, and the values of its arguments.
struct LiveSource<Row: Sendable>: Sendable {
  private(set) var template: LiveTemplate<Row>
  /// The values of the template's arguments, such as 7 in `userID = 7`.
  let values: [DatabaseValue]

  init(_ query: some Fetchable<Row>) {
    var query = query.query
    let separated = try? query.statement.separatingValues()
    if let separated { query.statement = separated.statement }
    values = separated?.values ?? []
    template = LiveTemplate(query)
  }

  /// Creates the source of a query with `including`.
  init<Parent>(_ included: _IncludedQuery<Parent, Row>) {
    template = LiveTemplate(included)
    values = []
  }

  /// Returns a copy of this source that uses the given template instead of its own. The two
  /// templates must be equal.
  func with(_ template: LiveTemplate<Row>) -> LiveSource {
    var source = self
    source.template = template
    return source
  }
}

/// A query without its values. The template knows the SQL, and how to fetch and to maintain the
/// result.
///
/// Observers whose queries differ only in values share one template. So they also share what the
/// library found out about the query. Values in lists and limits are part of the template, so
/// queries with other lists or limits have other templates.
final class LiveTemplate<Row: Sendable>: Sendable {
  /// Returns the SQL of each statement that the query runs; the first one reads the query's own
  /// rows. SQLite reports which columns these statements read.
  let texts: @Sendable () throws -> [String]
  /// Returns the query without its values. The conditions of this query show which rows of a table
  /// can affect the result. The closure is nil if every row may affect the result.
  let shape: (@Sendable () throws -> Shape)?
  /// The key by which queries are compared. Queries with equal keys differ only in values, and can
  /// share one template. Nil if the query cannot be compared with other queries.
  let key: SharedResults.Key?
  /// Returns the plan that maintains the result. Throws a `RerunReason` if the query must be
  /// fetched again after each change.
  let plan: @Sendable (PlanningContext) throws -> any MaintenancePlan<Row>
  /// Fetches all rows of a query that is not maintained.
  let fetch: @Sendable (ConnectionCore) throws -> [ResultEntry]
  /// Whether the query has a limit. Such a query may be fetched on the calling thread.
  let isShort: Bool
  /// Decides whether to calculate differences or to run the query, by comparing their costs.
  let breaker = MergeBreaker()
  /// The facts about the query: its tables, conditions and plan.
  private let preparation = Lock<QueryWatch<Row>.Preparation?>(nil)

  fileprivate init(_ query: Query<Row>) {
    // The closures share one `HeldQuery`. Otherwise, each closure would hold its own copy of the
    // query.
    let held = HeldQuery(query)
    texts = { [try held.query.statement.rendered().text] }
    shape = { try held.query.statement.shape() }
    key = try? SharedResults.Key(query)
    plan = { try Planning.plan(held.query, in: $0) }
    isShort = query.statement.limit != nil
    fetch = { core in
      try Self.rows(of: held.query, on: core) { ResultRowEntry($0, $1) }
    }
  }

  fileprivate init<Parent>(_ included: _IncludedQuery<Parent, Row>) {
    let query = included.query.query
    texts = {
      try [query.sql.text] + included.relations.flatMap { try $0.texts }
    }
    shape = nil
    key = nil
    plan = { try IncludingPlan(included, in: $0) }
    isShort = false
    fetch = { core in
      let parents = try LiveTemplate<Parent>.rows(of: query, on: core) { ($0, $1) }
      let loaded = try included.complete(
        core, LoadedRows(parents.map(\.0), fingerprints: parents.map(\.1)))
      return zip(loaded.rows, loaded.fingerprints ?? []).map { ResultRowEntry($0, $1) }
    }
  }

  fileprivate init(
    texts: @escaping @Sendable () throws -> [String], key: SharedResults.Key?,
    plan: @escaping @Sendable (PlanningContext) throws -> any MaintenancePlan<Row>,
    fetch: @escaping @Sendable (ConnectionCore) throws -> [ResultEntry]
  ) {
    (self.texts, self.key, self.plan, self.fetch) = (texts, key, plan, fetch)
    shape = nil
    isShort = false
  }

  /// Returns the stored facts about the query. Returns nil if none are stored, or if they are not
  /// valid any more.
  ///
  /// - Parameter schemaVersion: a version of the schema that is known to be out of date. Facts
  ///   about this version are not returned.
  func preparation(
    generation: UInt64, after schemaVersion: Int32?
  ) -> QueryWatch<Row>.Preparation? {
    preparation.withLock { known in
      guard let known, known.generation == generation, known.schemaVersion != schemaVersion
      else { return nil }
      return known
    }
  }

  func keep(_ new: QueryWatch<Row>.Preparation) {
    // The closure returns the former facts, so that their plan is released only after the lock is
    // free again.
    _ = preparation.withLock { known in
      defer { known = new }
      return known
    }
  }

  /// Fetches the rows of a query, each with its fingerprint.
  private static func rows<Entry>(
    of query: Query<Row>, on core: ConnectionCore, _ entry: (Row, UInt64) -> Entry
  ) throws -> [Entry] {
    let statement = try core.lendStatement(for: query.statement)
    defer { core.giveBack(statement) }
    var entries: [Entry] = []
    while try core.step(statement) {
      do {
        let (row, next) = try query.read(statement, on: core)
        entries.append(entry(row, StatementRow(statement: statement).fingerprint(ofFirst: next)))
      } catch let error as ColumnValueError {
        throw error.at(table: nil, column: nil, row: entries.count)
      }
    }
    return entries
  }
}

/// A query that several closures share.
private final class HeldQuery<Row: Sendable>: Sendable {
  let query: Query<Row>

  init(_ query: Query<Row>) { self.query = query }
}

extension IncludedRelation {
  /// The SQL that loads the rows of this relation, followed by the SQL for the relations by which
  /// these rows include other rows.
  fileprivate var texts: [String] {
    get throws { try [loadingText([])] + relations.flatMap { try $0.texts } }
  }
}

extension LiveSource where Row == SQLCore.Row {
  init(sql: SQL) {
    template = LiveTemplate(sql: sql)
    values = []
  }
}

extension LiveTemplate where Row == SQLCore.Row {
  fileprivate convenience init(sql: SQL) {
    self.init(
      texts: { [sql.text] }, key: SharedResults.Key(sql),
      plan: { _ in throw RerunReason("it is raw SQL") },
      fetch: { core in
        var entries: [ResultEntry] = []
        try core.lend().forEach(sql) { row in
          let fingerprint = row.fingerprint(ofFirst: row.count)
          entries.append(ResultRowEntry(try Row(copying: row), fingerprint))
        }
        return entries
      })
  }
}
