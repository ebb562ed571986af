import Observation
import QueryDSL
import SQLCore

/// The result of a query for a user interface, kept up to date with the database.
///
/// ```swift
/// let live = LiveQuery(Post.where { $0.$status == .published }, in: db)
/// // a view that reads live.rows is drawn again when they change
/// ```
///
/// It is `@Observable`: `withObservationTracking` and `Observations { }` follow it. It belongs to
/// the actor on which it was created, and changes there; changes of the database are evaluated
/// elsewhere. Watching ends when the object is released and when the database is closed. After an
/// error it continues: see `LivePhase`.
@Observable
public final class LiveQuery<Row: Sendable> {
  /// The rows of the last result, with the difference from the one before; empty until the first.
  public private(set) var rows = Results<Row>()
  /// The state of loading.
  public private(set) var phase = LivePhase.loading

  @ObservationIgnored private var task: Task<Void, Never>?
  @ObservationIgnored let watch: QueryWatch<Row>

  /// Whether the result is loaded and kept up to date.
  public var isLoaded: Bool { phase.isLoaded }

  /// Begins to load and to watch the result of a query.
  public convenience init(
    _ query: some Fetchable<Row>, in database: Database,
    isolation: isolated (any Actor) = #isolation
  ) {
    self.init(LiveSource(query), database, isolation)
  }

  /// Begins to load and to watch the rows of a raw SELECT.
  public convenience init(
    sql: SQL, in database: Database, isolation: isolated (any Actor) = #isolation
  ) where Row == SQLCore.Row {
    self.init(LiveSource(sql: sql), database, isolation)
  }

  /// Begins to load and to watch models with what they include.
  ///
  /// ```swift
  /// let live = LiveQuery(Author.all.including(Post.all, by: \.$authorID), in: db)
  /// for (author, posts) in live.rows { … }
  /// ```
  public convenience init<M, each Part>(
    _ query: Including<M, repeat each Part>, in database: Database,
    isolation: isolated (any Actor) = #isolation
  ) where Row == (M, repeat each Part) {
    self.init(LiveSource(query._included), database, isolation)
  }

  init(_ source: LiveSource<Row>, _ database: Database, _ isolation: isolated any Actor) {
    let watch = QueryWatch(source, in: database)
    self.watch = watch
    task = Task { [weak self] in
      await follow(watch, isolation: isolation) { rows, phase in
        // The task must not keep alive the object that it serves.
        guard let self else { return false }
        if let rows { self.rows = rows }
        if let phase = self.phase.changed(to: phase) { self.phase = phase }
        return true
      }
    }
  }

  /// Fetches the result now, whether or not it changed, and returns when it is shown; `phase` says
  /// whether that succeeded.
  ///
  /// ```swift
  /// List(live.rows) { … }.refreshable { await live.refresh() }
  /// ```
  ///
  /// Call it after a change that SQLite does not report, such as in the results of a function of
  /// your own, or to try again after an error. It returns at once if the database is closed, and
  /// when the task is cancelled.
  public func refresh() async {
    await watch.refresh()
  }

  deinit {
    task?.cancel()
  }
}

/// Follows a result on behalf of an object of a user interface, until the object is released or the
/// database is closed.
///
/// - Parameters:
///   - isolation: the actor that the object belongs to.
///   - show: puts the rows and the phase into the object, each only if it is not nil. Returns false
///     if the object no longer exists.
private func follow<Row>(
  _ watch: QueryWatch<Row>, isolation: isolated (any Actor),
  _ show: (Results<Row>?, LivePhase?) -> Bool
) async {
  var isFirst = true
  while true {
    let step = await watch.step(isFirst: isFirst)
    isFirst = false
    // Callers of `refresh()` that waited for this result now see it, whatever it is.
    defer { watch.didShow() }
    switch step {
    case .result(let rows, let missing):
      guard show(rows, missing.map { .failed($0) } ?? .loaded) else { return }
    case .unchanged:
      guard show(nil, .loaded) else { return }
    case .stillFailed:
      guard show(nil, nil) else { return }
    case .failed(let error):
      guard show(nil, .failed(error)) else { return }
    case .ended(let isClosed):
      if isClosed { _ = show(nil, .ended) }
      watch.end()
      return
    }
  }
}

extension QueryWatch {
  /// The outcome of one step of following a result.
  enum Step: Sendable {
    /// A new result; `missing` is the error if a table or column of the query does not exist.
    case result(Results<Row>, missing: DatabaseError?)
    /// The result has not changed.
    case unchanged
    /// Since fetching failed, no relevant change happened.
    case stillFailed
    case failed(any Error)
    /// The task is cancelled, or the database is closed.
    case ended(isClosed: Bool)
  }

  /// Asks for the result to be fetched, and waits until `didShow()`.
  func refresh() async {
    await watch.refresh()
  }

  /// Ends the observation: the result is no longer followed.
  func end() {
    watch.end()
  }

  /// Notes that the result of the last step is shown, so that callers of `refresh()` can resume.
  func didShow() {
    watch.answerRefreshes()
  }
}
