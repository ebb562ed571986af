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
  /// The row; nil until it is loaded, and if it does not exist.
  public private(set) var model: M?
  /// The state of loading.
  public private(set) var phase = LivePhase.loading

  @ObservationIgnored private var task: Task<Void, Never>?
  /// The observation; nil if the key is not valid.
  @ObservationIgnored private var watch: QueryWatch<M>?

  /// Whether the row was loaded, or found not to exist.
  public var isLoaded: Bool { phase.isLoaded }

  /// Begins to load and to watch the row with the given key. If the key is not valid, `phase` is
  /// `.failed`.
  public init(
    _ type: M.Type, _ id: M.ID, in database: Database,
    isolation: isolated (any Actor) = #isolation
  ) {
    let watch: QueryWatch<M>
    do {
      watch = QueryWatch(LiveSource(try M.query(for: id)), in: database)
    } catch {
      phase = .failed(error)
      return
    }
    self.watch = watch
    task = Task { [weak self] in
      await follow(watch, isolation: isolation) { rows, phase in
        guard let self else { return false }
        if let rows { self.model = rows.first }
        if let phase = self.phase.changed(to: phase) { self.phase = phase }
        return true
      }
    }
  }

  /// Fetches the row now, whether or not it changed, and returns when it is shown; `phase` says
  /// whether that succeeded.
  ///
  /// It returns at once if the database is closed, and when the task is cancelled.
  nonisolated(nonsending)
    public func refresh() async
  {
    await watch?.refresh()
  }

  deinit {
    task?.cancel()
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
