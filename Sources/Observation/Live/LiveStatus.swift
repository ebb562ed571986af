import SQLCore

/// The live queries of a database at one moment, and their cost until then: `db.liveStatus`.
///
/// ```swift
/// for query in db.liveStatus.queries where query.fetches > 1_000 {
///   print(query.sql, query.observers, query.fetches, query.averageFetch, query.explanation)
/// }
/// ```
///
/// It is meant for metrics: reading it takes some locks for a moment, and waits for no connection.
public struct LiveStatus: Hashable, Sendable {
  /// The results of one query, with all values that are observed.
  public struct Query: Hashable, Sendable {
    /// The SQL of the query, with its values as parameters; `observe { }` for a closure.
    public let sql: String
    /// The method that keeps the result up to date, and its reason, as one sentence.
    public let explanation: String
    /// Whether the results are maintained. Otherwise the query runs again.
    public let isMaintained: Bool
    /// The tables in which every change of a watched column matters. In any other table that the
    /// query reads, a change matters only if the row has the values that the query compares it
    /// with.
    public let tablesOfAllRows: [String]
    /// The indexes that would let SQLite find, from a changed row of such a table, the values with
    /// which the query joins it.
    public let missingIndexes: [SuggestedIndex]
    /// The number of streams and objects that observe the results.
    public internal(set) var observers = 0
    /// The number of results, one for each set of different values.
    public internal(set) var results = 0
    /// The number of complete runs of the query, including the first run of each result.
    public internal(set) var fetches = 0
    /// The number of times that a commit was merged into a result.
    public internal(set) var merges = 0
    /// The time of all fetches, with the wait for a reader.
    public internal(set) var fetchTime = Duration.zero
    /// The time of the longest fetch.
    public internal(set) var longestFetch = Duration.zero
    /// The number of rows that the results hold.
    public internal(set) var rows = 0
    /// An estimate of the memory for these, without the texts and arrays that the rows refer to.
    public internal(set) var byteCount = 0

    /// The mean time of a fetch.
    public var averageFetch: Duration { fetches == 0 ? .zero : fetchTime / fetches }
  }

  /// The queries that are observed now. The query with the longest time for fetches is the first.
  public internal(set) var queries: [Query] = []
  /// The number of times that live queries ran as a whole, since the database was opened.
  public internal(set) var fetches = 0
  /// The number of times that a commit was merged into a result, since the database was opened.
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
  /// An estimate of the memory for these.
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

  /// Adds another result of the query.
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

/// What one result has cost so far.
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

  /// Counts a fetch that began at a moment.
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
  /// The live queries of this database and their costs: how many are observed, which are maintained
  /// and which run again, how often, how long and why, and their memory.
  ///
  /// ```swift
  /// let status = db.liveStatus
  /// print(status.observers, status.maintained, status.results, status.fetches, status.byteCount)
  /// ```
  ///
  /// Reading it renders the SQL of each result.
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
