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
  ///
  /// - Parameter apply: A closure that calls its argument, which puts each result after the first
  ///   into `rows`, for example `{ change in withAnimation { change() } }`.
  public convenience init(
    _ query: some Fetchable<Row>, in database: Database,
    applying apply: (@Sendable (() -> Void) -> Void)? = nil,
    isolation: isolated (any Actor) = #isolation
  ) {
    self.init(LiveSource(query), database, apply, isolation)
  }

  /// Begins to load and to watch the rows of a raw SELECT.
  ///
  /// - Parameter apply: A closure that calls its argument, which puts each result after the first
  ///   into `rows`.
  public convenience init(
    sql: SQL, in database: Database, applying apply: (@Sendable (() -> Void) -> Void)? = nil,
    isolation: isolated (any Actor) = #isolation
  ) where Row == SQLCore.Row {
    self.init(LiveSource(sql: sql), database, apply, isolation)
  }

  /// Begins to load and to watch models with what they include.
  ///
  /// ```swift
  /// let live = LiveQuery(Author.all.including(Post.all, by: \.$authorID), in: db)
  /// for (author, posts) in live.rows { … }
  /// ```
  public convenience init<M, each Part>(
    _ query: Including<M, repeat each Part>, in database: Database,
    applying apply: (@Sendable (() -> Void) -> Void)? = nil,
    isolation: isolated (any Actor) = #isolation
  ) where Row == (M, repeat each Part) {
    self.init(LiveSource(query._included), database, apply, isolation)
  }

  init(
    _ source: LiveSource<Row>, _ database: Database,
    _ apply: (@Sendable (() -> Void) -> Void)?, _ isolation: isolated any Actor
  ) {
    let watch = QueryWatch(source, in: database)
    self.watch = watch
    task = Task { [weak self] in
      var isFirst = true
      await watch.follow(isolation: isolation) { rows, phase in
        // The task must not keep alive the object that it serves.
        guard let self else { return false }
        applying(isFirst || rows == nil ? nil : apply) {
          if let rows { self.rows = rows }
          self.phase.change(to: phase)
        }
        isFirst = false
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
    await watch.watch.refresh()
  }

  deinit {
    task?.cancel()
  }
}
