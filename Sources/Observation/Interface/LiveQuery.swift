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
/// The object is `@Observable`: `withObservationTracking` and `Observations { }` follow it. It
/// belongs to the actor on which it was created, and changes on that actor; changes of the database
/// are evaluated elsewhere. Watching ends when the object is released and when the database is
/// closed. After an error it continues: see `LivePhase`.
@Observable
public final class LiveQuery<Row: Sendable> {
  /// The rows of the last result, with the difference from the previous one; empty until the first.
  public private(set) var rows = Results<Row>()
  /// The state of loading.
  public private(set) var phase = LivePhase.loading

  @ObservationIgnored private var task: Task<Void, Never>?
  @ObservationIgnored let observer: ResultObserver<Row>

  /// Whether the result is loaded and kept up to date.
  public var isLoaded: Bool { phase.isLoaded }

  /// Begins to load and to watch the result of a query.
  ///
  /// - Parameter apply: A closure that is called with each result after the first. Its argument is
  ///   a closure that puts the result into `rows`; `apply` must call it, for example
  ///   `{ change in withAnimation { change() } }`.
  public convenience init(
    _ query: some Fetchable<Row>, in database: Database,
    applying apply: (@Sendable (() -> Void) -> Void)? = nil,
    isolation: isolated (any Actor) = #isolation
  ) {
    self.init(LiveSource(query), database, apply, isolation)
  }

  /// Begins to load and to watch the rows of a raw SELECT.
  ///
  /// - Parameter apply: A closure that is called with each result after the first. Its argument is
  ///   a closure that puts the result into `rows`; `apply` must call it.
  public convenience init(
    sql: SQL, in database: Database, applying apply: (@Sendable (() -> Void) -> Void)? = nil,
    isolation: isolated (any Actor) = #isolation
  ) where Row == SQLCore.Row {
    self.init(LiveSource(sql: sql), database, apply, isolation)
  }

  /// Begins to load and to watch models with the rows that they include.
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
    let observer = ResultObserver(source, in: database)
    self.observer = observer
    task = Task { [weak self] in
      var isFirst = true
      await observer.follow(isolation: isolation) { rows, phase in
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

  /// Fetches the result now, whether or not it changed, and returns when the result is shown;
  /// `phase` says whether the fetch succeeded.
  ///
  /// ```swift
  /// List(live.rows) { … }.refreshable { await live.refresh() }
  /// ```
  ///
  /// Call it to try again after an error, or after a change that SQLite does not report, such as a
  /// change in the results of your own function. It returns at once if the database is closed, and
  /// when the task is cancelled.
  public func refresh() async {
    await observer.refresh()
  }

  deinit {
    task?.cancel()
  }
}

/// The state of a `LiveQuery` or `LiveModel`.
///
/// ```swift
/// @MainActor func show(_ posts: LiveQuery<Post>) {
///   switch posts.phase {
///   case .loading: print("…")
///   case .loaded: print(posts.rows.count)
///   case .failed(let error): print(error)
///   case .ended: print("the database is closed")
///   }
/// }
/// ```
public enum LivePhase: Sendable {
  /// The first result is being fetched.
  case loading
  /// The result is loaded and kept up to date.
  case loaded
  /// Fetching failed. The result is still the last one, or has no rows if its table was dropped. It
  /// is fetched again after the next change and by `refresh()`; if that succeeds, the phase is
  /// `loaded`.
  case failed(any Error)
  /// The database was closed; the result is still the last one.
  case ended

  /// Whether the result is loaded and kept up to date.
  public var isLoaded: Bool {
    if case .loaded = self { true } else { false }
  }
}

/// An observation that an object of a user interface follows: of a query or of a closure's value.
protocol LiveWatch<Shown>: AnyObject, Sendable {
  /// The result that the object shows: the rows of a query, or a value.
  associatedtype Shown: Sendable
  /// Returns the first result, or waits until the result may have changed and updates it. After an
  /// error, it tries again at the next change.
  func step(isFirst: Bool) async -> LiveStep<Shown>

  /// Resumes the callers of `refresh()` whose requests the last step answered.
  func answerRefreshes()

  /// Ends the observation, and resumes all callers of `refresh()`.
  func end()
}

/// The outcome of one step of following a result.
enum LiveStep<Shown: Sendable>: Sendable {
  /// A new result; `missing` is the error if a table or column of the query does not exist.
  case result(Shown, missing: (any Error)?)
  /// The result has not changed.
  case unchanged
  /// No relevant change has happened since fetching failed.
  case stillFailed
  case failed(any Error)
  /// The task is cancelled, or the database is closed.
  case ended(isClosed: Bool)
}

extension LiveWatch {
  /// Follows the result on behalf of an object of a user interface, until the object is released or
  /// the database is closed.
  ///
  /// - Parameters:
  ///   - isolation: the actor that the object belongs to.
  ///   - show: puts the result and the phase into the object, each only if it is not nil. Returns
  ///     false if the object no longer exists.
  func follow(
    isolation: isolated (any Actor), _ show: (Shown?, LivePhase?) -> Bool
  ) async {
    var isFirst = true
    while true {
      let step = await step(isFirst: isFirst)
      isFirst = false
      // Callers of `refresh()` that waited for this result now see it, whether it is a value or an
      // error.
      defer { answerRefreshes() }
      switch step {
      case .result(let result, let missing):
        guard show(result, missing.map { .failed($0) } ?? .loaded) else { return }
      case .unchanged:
        guard show(nil, .loaded) else { return }
      case .stillFailed:
        guard show(nil, nil) else { return }
      case .failed(let error):
        guard show(nil, .failed(error)) else { return }
      case .ended(let isClosed):
        if isClosed { _ = show(nil, .ended) }
        end()
        return
      }
    }
  }
}

extension LivePhase {
  /// Changes to another phase, if there is one. A result that stays loaded is not a change, so that
  /// its observers are not notified.
  mutating func change(to phase: LivePhase?) {
    guard let phase else { return }
    if case (.loaded, .loaded) = (self, phase) { return }
    self = phase
  }
}

/// Applies a new result to an object of a user interface, in the way that its user chose.
///
/// - Parameter apply: calls its argument, for example in an animation; nil applies it directly.
func applying(_ apply: (@Sendable (() -> Void) -> Void)?, _ change: () -> Void) {
  guard let apply else { return change() }
  var isApplied = false
  apply {
    guard !isApplied else { return }
    isApplied = true
    change()
  }
  if !isApplied { change() }
}
