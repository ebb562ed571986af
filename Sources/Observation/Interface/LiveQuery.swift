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
/// The object is `@Observable`, so `withObservationTracking` and `Observations { }` follow it. The
/// object belongs to the actor on which it was created, and changes only on that actor. The changes
/// of the database are evaluated on other threads.
///
/// Watching ends when the object is released and when the database is closed. Watching continues
/// after an error; see `LivePhase`.
@Observable
public final class LiveQuery<Row: Sendable> {
  /// The rows of the last result, with the difference from the previous result. Empty until the
  /// first result is loaded.
  public private(set) var rows = Results<Row>()
  /// The state of loading.
  public private(set) var phase = LivePhase.loading

  @ObservationIgnored private var task: Task<Void, Never>?
  @ObservationIgnored let observer: ResultObserver<Row>

  /// Whether the result is loaded and kept up to date.
  public var isLoaded: Bool { phase.isLoaded }

  /// Begins to load and to watch the result of a query.
  ///
  /// - Parameter apply: A closure that decides how each result after the first is shown. Its
  ///   argument is a closure that puts the result into `rows`, and `apply` must call this argument.
  ///   For example, `{ change in withAnimation { change() } }` shows the result in an animation.
  public convenience init(
    _ query: some Fetchable<Row>, in database: Database,
    applying apply: (@Sendable (() -> Void) -> Void)? = nil,
    isolation: isolated (any Actor) = #isolation
  ) {
    self.init(LiveSource(query), database, apply, isolation)
  }

  /// Begins to load and to watch the rows of a raw SELECT.
  ///
  /// - Parameter apply: A closure that decides how each result after the first is shown, for
  ///   example in an animation. Its argument is a closure that puts the result into `rows`, and
  ///   `apply` must call this argument.
  public convenience init(
    sql: SQL, in database: Database, applying apply: (@Sendable (() -> Void) -> Void)? = nil,
    isolation: isolated (any Actor) = #isolation
  ) where Row == SQLCore.Row {
    self.init(LiveSource(sql: sql), database, apply, isolation)
  }

  /// Begins to load and to watch models together with their included rows.
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
        // The task holds the object weakly, so that it does not keep the object alive. The task
        // ends when the object no longer exists.
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

  /// Fetches the result now, whether or not the result changed, and returns when the result is
  /// shown. `phase` says whether the fetch succeeded.
  ///
  /// ```swift
  /// List(live.rows) { … }.refreshable { await live.refresh() }
  /// ```
  ///
  /// Call this method to try again after an error. Call it also after a change that SQLite does not
  /// report, for example if your own SQL function now returns other values. If the database is
  /// closed or the task is cancelled, this method returns at once.
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
  /// Fetching failed. The object still shows the last result; if a table of the query was dropped,
  /// the result has no rows. The result is fetched again after the next change and by `refresh()`.
  /// If that fetch succeeds, the phase is `loaded`.
  case failed(any Error)
  /// The database was closed. The object still shows the last result.
  case ended

  /// Whether the result is loaded and kept up to date.
  public var isLoaded: Bool {
    if case .loaded = self { true } else { false }
  }
}

/// The observation that a `LiveQuery`, `LiveModel` or `LiveValue` uses. It observes a query or the
/// value of a closure.
protocol LiveWatch<Shown>: AnyObject, Sendable {
  /// The type of the result that the object shows: the rows of a query, or a value.
  associatedtype Shown: Sendable
  /// If `isFirst` is true, returns the first result. Otherwise waits until the result may have
  /// changed, and returns the new result. If the last fetch failed, waits for the next change, and
  /// fetches the result again.
  func step(isFirst: Bool) async -> LiveStep<Shown>

  /// Resumes the callers of `refresh()` that waited for the result of the last step.
  func answerRefreshes()

  /// Ends the observation, and resumes all callers of `refresh()`.
  func end()
}

/// The outcome of one step of a `LiveWatch`.
enum LiveStep<Shown: Sendable>: Sendable {
  /// A new result. `missing` is SQLite's error if a table or column of the query no longer exists;
  /// otherwise nil.
  case result(Shown, missing: (any Error)?)
  /// The result has not changed.
  case unchanged
  /// An earlier fetch failed, and the data that the query reads has not changed since then.
  case stillFailed
  case failed(any Error)
  /// The task is cancelled, or the database is closed.
  case ended(isClosed: Bool)
}

extension LiveWatch {
  /// Passes each new result to an object of a user interface, until the object is released or the
  /// database is closed.
  ///
  /// - Parameters:
  ///   - isolation: the actor that the object belongs to.
  ///   - show: a closure that puts the result and the phase into the object. If the result or the
  ///     phase is nil, the closure leaves this part of the object unchanged. The closure returns
  ///     false if the object no longer exists.
  func follow(
    isolation: isolated (any Actor), _ show: (Shown?, LivePhase?) -> Bool
  ) async {
    var isFirst = true
    while true {
      let step = await step(isFirst: isFirst)
      isFirst = false
      // The callers of `refresh()` must resume only after the object shows the result or the error
      // of this step.
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
  /// Sets the phase if the given phase is not nil. If the old and the new phase are both `loaded`,
  /// sets nothing, because setting the property would notify its observers.
  mutating func change(to phase: LivePhase?) {
    guard let phase else { return }
    if case (.loaded, .loaded) = (self, phase) { return }
    self = phase
  }
}

/// Runs a closure that changes an object of a user interface. If the user gave a closure `apply`,
/// the change runs inside it.
///
/// - Parameter apply: a closure that calls its argument, for example in an animation. If nil, the
///   change runs directly.
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
