import Observation
import QueryDSL
import SQLCore

/// One row for a user interface: it follows the row's changes, and is nil once the row is deleted.
///
/// ```swift
/// let live = LiveModel(Post.self, id, in: db)
/// // a view that reads live.model is drawn again when the row changes
/// ```
///
/// It is `@Observable` and belongs to the actor on which it was created. If many are alive, a
/// commit costs work only for those whose rows it touched. Watching ends when the object is
/// released and when the database is closed. After an error it continues: see `LivePhase`.
@Observable
public final class LiveModel<M: Model> {
  /// The result that holds the row; an error if the key is not valid.
  @ObservationIgnored private let query: Result<LiveQuery<M>, any Error>

  /// The row; nil until it is loaded, and if it does not exist.
  public var model: M? { try? query.get().rows.first }

  /// The state of loading.
  public var phase: LivePhase {
    switch query {
    case .success(let query): query.phase
    case .failure(let error): .failed(error)
    }
  }

  /// Whether the row was loaded, or found not to exist.
  public var isLoaded: Bool { phase.isLoaded }

  /// Begins to load and to watch the row with the given key. If the key is not valid, `phase` is
  /// `.failed`.
  ///
  /// - Parameter apply: A closure that calls its argument, which puts each row after the first into
  ///   `model`.
  public init(
    _ type: M.Type, _ id: M.ID, in database: Database,
    applying apply: (@Sendable (() -> Void) -> Void)? = nil,
    isolation: isolated (any Actor) = #isolation
  ) {
    do {
      query = .success(LiveQuery(LiveSource(try M.query(for: id)), database, apply, isolation))
    } catch {
      query = .failure(error)
    }
  }

  /// Fetches the row now, whether or not it changed, and returns when it is shown; `phase` says
  /// whether that succeeded.
  ///
  /// It returns at once if the database is closed, and when the task is cancelled.
  public func refresh() async {
    try? await query.get().refresh()
  }
}

extension Model {
  /// Returns a query for the row with the given key.
  static func query(for id: ID) throws -> Query<Self> {
    var query = all.query
    let layout = try layout
    for (column, value) in zip(layout.keyColumns, try keyValues(of: id)) {
      let key = ColumnID(
        table: query.statement.from, index: UInt16(truncatingIfNeeded: column))
      query.statement.predicates.append(.compareColumn(.equal, key, .value(value)))
    }
    return query
  }
}
