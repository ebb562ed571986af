import SQLCore

/// What waits for somebody who watches changes, made into the elements of the stream when it is
/// asked for: on the thread of whoever asks, not on the writer's.
final class ChangeFeed<Element: Sendable>: Sendable {
  /// A part of what waited.
  enum Piece: Sendable {
    case write(WriteChanges)
    /// Whoever asks was slow: of these tables the rows are not known.
    case dropped([QualifiedTableName: Set<TableEvent>])
    case everything(Set<TableEvent>)
  }

  private let queue: CommitQueue
  private let tracker: ChangeTracker?
  private let subscription: UInt64?
  private let element: @Sendable (Piece) -> Element?
  /// What is left of a write before it becomes an element; nil where nothing is left out.
  private let filter: (@Sendable (WriteChanges) async -> WriteChanges)?
  /// What was taken from the queue, last first.
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

  /// The next element; nil once the task is cancelled, and where the database is closed and all that
  /// it committed was taken.
  nonisolated(nonsending)
    func next() async -> Element?
  {
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
        let waiting = queue.takeAll()
        taken = waiting.commits.flatMap(\.writes).reversed().map { .write($0) }
        if let dropped = waiting.dropped { taken.append(.dropped(dropped)) }
        if !waiting.everything.isEmpty { taken.append(.everything(waiting.everything)) }
      }
      return taken.popLast()
    }
  }
}

/// Gives the elements of a stream of changes.
public struct ChangeIterator<Element: Sendable>: AsyncIteratorProtocol {
  private let feed: ChangeFeed<Element>

  init(_ feed: ChangeFeed<Element>) {
    self.feed = feed
  }

  /// The next element; nil once the task is cancelled, and after the last one of a database that was
  /// closed.
  public mutating func next() async -> Element? {
    await feed.next()
  }

  /// The next element; nil once the task is cancelled, and after the last one of a database that was
  /// closed.
  public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
    await feed.next()
  }
}

@available(*, unavailable, message: "each iterator is used by one task")
extension ChangeIterator: Sendable {}
