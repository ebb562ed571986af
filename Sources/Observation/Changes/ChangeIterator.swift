import SQLCore

/// An iterator over the elements of a stream of changes.
public struct ChangeIterator<Element: Sendable>: AsyncIteratorProtocol {
  /// nil for a type that cannot be a model, which has no table and so no changes.
  private let feed: ChangeFeed<Element>?

  init(_ feed: ChangeFeed<Element>?) {
    self.feed = feed
  }

  /// Returns the next element, or nil if the task is cancelled and after the last element of a
  /// database that was closed.
  public mutating func next() async -> Element? {
    await feed?.next()
  }

  /// Returns the next element, or nil if the task is cancelled and after the last element of a
  /// database that was closed.
  public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
    await feed?.next()
  }
}

@available(*, unavailable, message: "each iterator is used by one task")
extension ChangeIterator: Sendable {}

/// The commits that wait for an observer of changes. They become elements of the stream when the
/// observer asks for one, on its own thread and not on the writer's.
final class ChangeFeed<Element: Sendable>: Sendable {
  /// A part of what waited, from which one element is made.
  enum Piece: Sendable {
    case write(WriteChanges)
    /// Tables whose rows were dropped because the observer was slow.
    case dropped([QualifiedTableName: Set<TableEvent>])
    case everything(Set<TableEvent>)
  }

  private let queue: CommitQueue
  private let tracker: ChangeTracker?
  private let subscription: UInt64?
  private let element: @Sendable (Piece) -> Element?
  /// Reduces a write to the rows that the stream delivers; nil if the stream delivers all of them.
  private let filter: (@Sendable (WriteChanges) async -> WriteChanges)?
  /// The pieces taken from the queue, the last one first.
  private let taken = Lock<[Piece]>([])

  init(
    in database: Database, tables: [QualifiedTableName: Subscription.Interest]?,
    filter: (@Sendable (WriteChanges) async -> WriteChanges)? = nil,
    _ element: @escaping @Sendable (Piece) -> Element?
  ) {
    queue = CommitQueue(maximumRows: database.configuration.maximumTrackedRows)
    self.element = element
    self.filter = filter
    tracker = ChangeTracker.of(database)
    subscription = tracker?.watch(Subscription(tables: tables, queue: queue), in: database)
  }

  deinit {
    if let subscription { tracker?.remove(subscription) }
  }

  /// Returns the next element. Returns nil if the task is cancelled, or if the database is closed
  /// and all its commits were taken.
  func next() async -> Element? {
    while !Task.isCancelled {
      while var piece = nextPiece() {
        if let filter, case .write(let write) = piece { piece = .write(await filter(write)) }
        if let element = element(piece) { return element }
      }
      guard await queue.wait() else { return nil }
    }
    return nil
  }

  private func nextPiece() -> Piece? {
    taken.withLock { taken in
      if taken.isEmpty {
        let waiting = queue.take()
        taken = waiting.commits.flatMap(\.writes).reversed().map { .write($0) }
        if let dropped = waiting.dropped { taken.append(.dropped(dropped)) }
        if !waiting.everything.isEmpty { taken.append(.everything(waiting.everything)) }
      }
      return taken.popLast()
    }
  }
}
