import SQLCore

/// The live queries of a database at one moment, and what they have cost so far: `db.liveStatus`.
///
/// ```swift
/// for query in db.liveStatus.queries where query.fetches > 1_000 {
///   print(query.sql, query.observers, query.fetches, query.averageFetch, query.explanation)
/// }
/// ```
///
/// The status is meant for metrics. Reading the status holds some locks for a moment, but does not
/// wait for a connection.
public struct LiveStatus: Hashable, Sendable {
  /// The status of one query, added up over all values with which the query is observed. If some of
  /// its results are kept up to date in another way than others, `queries` has one element for each
  /// way.
  public struct Query: Hashable, Sendable {
    /// The SQL of the query, in which values are parameters; `observe { }` if a closure is
    /// observed.
    public let sql: String
    /// One sentence that says how the result is kept up to date, and the reason for it.
    public let explanation: String
    /// Whether the results are maintained. If not, the query runs again after a relevant commit.
    public let isMaintained: Bool
    /// The tables in which all rows are watched, so that a change of a watched column matters in
    /// every row. In the query's other tables, only rows with certain values matter, such as the
    /// posts of the author that the query asks for.
    public let tablesOfAllRows: [String]
    /// Indexes that should be created. With them, SQLite quickly finds out which changed rows of
    /// joined tables concern the query, and changes of other rows are ignored.
    public let missingIndexes: [SuggestedIndex]
    /// The number of streams and objects that observe the results.
    public internal(set) var observers = 0
    /// The number of results: one for each combination of values with which the query is observed.
    public internal(set) var results = 0
    /// The number of complete runs of the query, including the first run of each result.
    public internal(set) var fetches = 0
    /// The number of times that a commit was merged into a result.
    public internal(set) var merges = 0
    /// The total time of all fetches, including the wait for a reader.
    public internal(set) var fetchTime = Duration.zero
    /// The time of the longest fetch.
    public internal(set) var longestFetch = Duration.zero
    /// The number of rows that the results hold.
    public internal(set) var rows = 0
    /// The estimated memory of the rows, in bytes, without the texts and arrays that the rows refer
    /// to.
    public internal(set) var byteCount = 0

    /// The mean time of a fetch.
    public var averageFetch: Duration { fetches == 0 ? .zero : fetchTime / fetches }
  }

  /// The queries that are observed now, in descending order of `fetchTime`.
  public internal(set) var queries: [Query] = []
  /// The number of complete runs of live queries since the database was opened.
  public internal(set) var fetches = 0
  /// The number of times that a commit was merged into a result since the database was opened.
  public internal(set) var merges = 0
  /// The total time of all complete runs of live queries since the database was opened.
  public internal(set) var fetchTime = Duration.zero

  /// The number of streams and objects that observe results.
  public var observers: Int { queries.reduce(0) { $0 + $1.observers } }
  /// The number of results that are observed.
  public var results: Int { queries.reduce(0) { $0 + $1.results } }
  /// The number of results that are maintained.
  public var maintained: Int {
    queries.reduce(0) { $0 + ($1.isMaintained ? $1.results : 0) }
  }
  /// The number of rows that all results hold.
  public var rows: Int { queries.reduce(0) { $0 + $1.rows } }
  /// The estimated memory of the rows of all results, in bytes.
  public var byteCount: Int { queries.reduce(0) { $0 + $1.byteCount } }
}

extension LiveStatus.Query {
  init(sql: String, _ cost: LiveCost, observers: Int) {
    self.sql = sql
    explanation = cost.explanation
    isMaintained = cost.isMaintained
    tablesOfAllRows = cost.tablesOfAllRows
    missingIndexes = cost.missingIndexes
    self.observers = observers
    results = 1
    fetches = cost.fetches
    merges = cost.merges
    fetchTime = cost.fetchTime
    longestFetch = cost.longestFetch
    rows = cost.rows
    byteCount = cost.byteCount
  }

  /// Adds the numbers of another result of the same query.
  fileprivate mutating func add(_ other: LiveStatus.Query) {
    observers += other.observers
    results += other.results
    fetches += other.fetches
    merges += other.merges
    fetchTime += other.fetchTime
    longestFetch = max(longestFetch, other.longestFetch)
    rows += other.rows
    byteCount += other.byteCount
  }
}

/// The cost of one result so far, and how the result is kept up to date.
struct LiveCost: Sendable {
  var explanation = "Not fetched yet."
  var isMaintained = false
  var tablesOfAllRows: [String] = []
  var missingIndexes: [SuggestedIndex] = []
  var fetches = 0
  var merges = 0
  var fetchTime = Duration.zero
  var longestFetch = Duration.zero
  var rows = 0
  var byteCount = 0

  /// Adds the counts of another result.
  mutating func add(_ other: LiveCost) {
    fetches += other.fetches
    merges += other.merges
    fetchTime += other.fetchTime
  }

  /// Counts a fetch that began at `start` and ends now.
  mutating func countFetch(since start: ContinuousClock.Instant) {
    let time = ContinuousClock.now - start
    fetches += 1
    fetchTime += time
    longestFetch = max(longestFetch, time)
  }
}

/// A result that is observed.
protocol ObservedResult: AnyObject, Sendable {
  var status: LiveStatus.Query { get }
}

extension Database {
  /// The live queries of this database and their cost. The status says which queries are
  /// maintained, and which run again and why. It also counts how often the queries ran, how long
  /// that took, and how much memory they use.
  ///
  /// ```swift
  /// let status = db.liveStatus
  /// print(status.observers, status.maintained, status.results, status.fetches, status.byteCount)
  /// ```
  ///
  /// Reading this property renders the SQL of each result.
  public var liveStatus: LiveStatus {
    let tracker: ChangeTracker? = writeObserver()
    guard let (results, past) = tracker?.sharedResults.all else { return LiveStatus() }
    struct Kind: Hashable {
      let sql: String
      let explanation: String
      let tables: [String]
    }
    var queries: [Kind: LiveStatus.Query] = [:]
    for result in results {
      let status = result.status
      let kind = Kind(
        sql: status.sql, explanation: status.explanation, tables: status.tablesOfAllRows)
      if queries[kind]?.add(status) == nil { queries[kind] = status }
    }
    var status = LiveStatus(
      queries: queries.values.sorted { ($0.fetchTime, $0.sql) > ($1.fetchTime, $1.sql) },
      fetches: past.fetches, merges: past.merges, fetchTime: past.fetchTime)
    for query in queries.values {
      status.fetches += query.fetches
      status.merges += query.merges
      status.fetchTime += query.fetchTime
    }
    return status
  }
}
