import Observation
import QueryDSL
import SQLCore

/// An object that keeps one row up to date for a user interface. When the row is deleted, `model`
/// becomes nil.
///
/// ```swift
/// let live = LiveModel(Post.self, id, in: db)
/// // a view that reads live.model is drawn again when the row changes
/// let author = LiveModel(Author.all.including(Post.all, by: \.$authorID), id, in: db)
/// // author.model?.0.name, author.model?.1.count
/// let drafts = LiveModel(Post.where { $0.$status == .draft }.select { $0.count() }, in: db)
/// // drafts.model ?? 0
/// ```
///
/// The object is `@Observable` and belongs to the actor on which it was created. A commit causes
/// work only for the objects whose rows it touched, however many objects exist.
///
/// Watching ends when the object is released and when the database is closed. Watching continues
/// after an error; see `LivePhase`.
@Observable
public final class LiveModel<M: Sendable> {
  /// The live query whose first row is shown as `model`. If the key is not valid, this is the error
  /// instead.
  @ObservationIgnored private let query: Result<LiveQuery<M>, any Error>

  /// The row; nil before the row is loaded, and if the row does not exist.
  public var model: M? { try? query.get().rows.first }

  /// The state of loading.
  public var phase: LivePhase {
    switch query {
    case .success(let query): query.phase
    case .failure(let error): .failed(error)
    }
  }

  /// Whether the row is loaded and kept up to date. True also if the row does not exist.
  public var isLoaded: Bool { phase.isLoaded }

  /// Begins to load and to watch the row with the given key. If the key is not valid, `phase` is
  /// `.failed`.
  ///
  /// - Parameter apply: A closure that decides how each row after the first is shown, for example
  ///   in an animation. Its argument is a closure that puts the row into `model`, and `apply` must
  ///   call this argument.
  public convenience init(
    _ type: M.Type, _ id: M.ID, in database: Database,
    applying apply: (@Sendable (() -> Void) -> Void)? = nil,
    isolation: isolated (any Actor) = #isolation
  ) where M: Model {
    self.init(
      Result { LiveSource(try M.all.query.restricted(to: M.self, id)) }, database, apply,
      isolation)
  }

  /// Begins to load and to watch the row with the given key, and its included rows. If the query
  /// does not select the row, the model is nil. If the key is not valid, `phase` is `.failed`.
  public convenience init<Parent: Model, each Part>(
    _ query: Including<Parent, repeat each Part>, _ id: Parent.ID, in database: Database,
    applying apply: (@Sendable (() -> Void) -> Void)? = nil,
    isolation: isolated (any Actor) = #isolation
  ) where M == (Parent, repeat each Part) {
    let included = query._included
    self.init(
      Result { LiveSource(try included.restricted { try $0.restricted(to: Parent.self, id) }) },
      database, apply, isolation)
  }

  /// Begins to load and to watch the first row of a query, such as a query that counts rows. All
  /// rows of the query are held in memory, so a query of many rows needs a limit of 1.
  public convenience init(
    _ query: some Fetchable<M>, in database: Database,
    applying apply: (@Sendable (() -> Void) -> Void)? = nil,
    isolation: isolated (any Actor) = #isolation
  ) {
    self.init(.success(LiveSource(query)), database, apply, isolation)
  }

  private init(
    _ source: Result<LiveSource<M>, any Error>, _ database: Database,
    _ apply: (@Sendable (() -> Void) -> Void)?, _ isolation: isolated any Actor
  ) {
    query = source.map { LiveQuery($0, database, apply, isolation) }
  }

  /// The explanation of how the row is kept up to date with the current schema.
  ///
  /// Reading this property takes as long as reading `QueryObservation.explanation`, and throws the
  /// same errors. If the key is not valid, the error of `phase` is thrown.
  public var explanation: ObservationExplanation {
    get async throws { try await query.get().explanation }
  }

  /// Fetches the row now, whether or not the row changed, and returns when the row is shown.
  /// `phase` says whether the fetch succeeded.
  ///
  /// If the database is closed or the task is cancelled, this method returns at once.
  public func refresh() async {
    try? await query.get().refresh()
  }
}

extension Model {
  /// Returns an object that follows the row of this instance; see `LiveModel`.
  ///
  /// ```swift
  /// let live = post.live(in: db)      // LiveModel(Post.self, post.id, in: db)
  /// ```
  public func live(
    in database: Database, isolation: isolated (any Actor) = #isolation
  ) -> LiveModel<Self> where Self: Sendable {
    LiveModel(Self.self, id, in: database, isolation: isolation)
  }
}

extension Query {
  /// Returns the query with the added condition that the row has the given key.
  fileprivate func restricted<M: Model>(to _: M.Type, _ id: M.ID) throws -> Query {
    var query = self
    for (column, value) in zip(try M.layout.keyColumns, try M.keyValues(of: id)) {
      let key = ColumnID(
        table: query.statement.from, index: UInt16(truncatingIfNeeded: column))
      query.statement.predicates.append(.compareColumn(.equal, key, .value(value)))
    }
    return query
  }
}
