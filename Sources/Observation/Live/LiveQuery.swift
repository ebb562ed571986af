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
/// It is `@Observable`, and used on the main actor. Watching ends when it goes.
@MainActor
@Observable
public final class LiveQuery<Query: Fetchable> {
  /// How far it is.
  public enum Phase {
    /// The first result is on its way.
    case loading
    /// `rows` is the result.
    case loaded
    /// Fetching failed; `rows` is the last result that was there.
    case failed(any Error)
  }

  /// The rows of the last result; empty until the first one.
  public private(set) var rows: [Query.Row] = []
  /// How far it is.
  public private(set) var phase = Phase.loading

  @ObservationIgnored private var task: Task<Void, Never>?

  /// Whether a result is there.
  public var isLoaded: Bool {
    if case .loaded = phase { true } else { false }
  }

  /// Begins to load and to watch.
  public init(_ query: Query, in database: Database) {
    task = Task { [weak self] in
      do {
        for try await rows in database.observe(query) {
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

  isolated deinit {
    task?.cancel()
  }
}
