import Observation
import QueryDSL
import SQLCore

/// The result of a query for a user interface: it changes as the database does.
///
/// ```swift
/// let live = LiveQuery(Post.where { $0.$status == .published }, in: db)
/// // a view that reads live.rows is drawn again when they change
/// ```
///
/// It is `@Observable`: `withObservationTracking` and `Observations { }` follow it. It belongs to
/// the actor on which it was made, and changes there; finding out what changed is done elsewhere.
/// Watching ends when it goes.
@Observable
public final class LiveQuery<Row: Sendable> {
  /// The rows of the last result, with the difference from the one before; empty until the first.
  public private(set) var rows = Results<Row>()
  /// How far it is.
  public private(set) var phase = LivePhase.loading

  @ObservationIgnored private var task: Task<Void, Never>?

  /// Whether a result is there.
  public var isLoaded: Bool { phase.isLoaded }

  /// Begins to load and to watch.
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

  init(_ source: LiveSource<Row>, _ database: Database, _ isolation: isolated any Actor) {
    let watch = QueryWatch(source, in: database)
    task = Task { [weak self] in
      _ = isolation
      do {
        while let rows = try await watch.nextElsewhere() {
          // The task must not keep alive what it serves.
          guard let self else { return }
          self.rows = rows
          phase = .loaded
        }
      } catch {
        self?.phase = .failed(error)
      }
    }
  }

  deinit {
    task?.cancel()
  }
}
