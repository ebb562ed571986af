import QueryDSL
import SQLCore

/// The changes of a model's table, with one element for each write: `db.changes(of:columns:keys:)`.
///
/// ```swift
/// for await changes in db.changes(of: Post.self) {
///   for row in changes.updated { print(try row.key, row.changedColumns) }
/// }
/// ```
///
/// Watching begins when the stream is created and ends when the stream is released. If the table is
/// dropped and created again, the stream reports `.schemaChanged` and continues. When the database
/// is closed, or its last reference is released, the stream gives the changes that were committed
/// until then, and finishes.
///
/// Elements wait in the stream until the observer asks for the next element. Writers do not wait
/// for the observer. If more than `Configuration.maximumTrackedRows` rows or more than 10,000
/// commits are waiting, one element with `.tableChanged` replaces the waiting elements.
public struct ChangeStream<M: Model>: AsyncSequence, Sendable {
  /// The changes of one write.
  public typealias Element = ModelChanges<M>
  /// The stream never fails.
  public typealias Failure = Never

  private let feed: ChangeFeed<ModelChanges<M>>?

  init(_ feed: ChangeFeed<ModelChanges<M>>?) {
    self.feed = feed
  }

  /// Returns an iterator over the changes, in the order of the commits. If a stream has several
  /// iterators, each element is given to only one of them.
  public func makeAsyncIterator() -> ChangeIterator<ModelChanges<M>> {
    ChangeIterator(feed)
  }
}

extension Database {
  /// Returns a stream of the changes to a model's table, each delivered after its commit.
  ///
  /// ```swift
  /// for await change in db.changes(of: Post.self, columns: \.$title) {
  ///   for row in change.updated { print(try row.old(\.$title), try row.new(\.$title)) }
  /// }
  /// ```
  ///
  /// The stream sees all changes through this database, by models, raw SQL, triggers and cascades.
  /// A write that is rolled back, or that leaves the watched columns unchanged, gives no element.
  /// If several writes share a commit, each write gives its own element, in the order of the
  /// writes.
  ///
  /// Writes that begin after the call are delivered in full. If a write is already running, it is
  /// delivered in full only if another observer watches these columns. If not, the write gives an
  /// element with `.tableChanged`, even if the write is rolled back.
  ///
  /// For each changed row of the table, the writer copies the watched columns. Writes to other
  /// tables cost next to nothing. Without an observer, SQLite's pre-update hook is not installed.
  ///
  /// - Parameters:
  ///   - columns: the columns to watch. An update is delivered if any of these columns changed.
  ///     Only these columns and the key have old and new values. Without columns, all columns of
  ///     the model are watched.
  ///   - keys: the keys of the rows to watch; nil for all rows.
  public func changes<M: Model, each Value: ColumnValue>(
    of model: M.Type, columns: repeat KeyPath<M, ColumnReference<each Value>>,
    keys: [M.ID]? = nil
  ) -> ChangeStream<M> {
    var names: Set<String> = []
    for column in repeat each columns {
      if let name = M.columnName(of: column) { names.insert(name.lowercasedASCII) }
    }
    // A key that cannot be stored is ignored, because no row can have it.
    let values = keys.map { keys in keys.compactMap { try? M.keyValues(of: $0) } }
    return changes(of: model, named: names.isEmpty ? nil : names, keys: values)
  }

  func changes<M: Model>(
    of model: M.Type, named columns: Set<String>?, keys: [[DatabaseValue]]?,
    filter: (@Sendable (WriteChanges) async -> WriteChanges)? = nil
  ) -> ChangeStream<M> {
    guard let layout = try? M.layout else { return ChangeStream(nil) }
    let table = QualifiedTableName(layout.tableName)
    // The table may have columns that belong only to other models. Such columns are not watched.
    let watched = columns ?? Set(layout.columns.map(\.name.lowercasedASCII))
    let wanted = keys.map { Set($0.flatMap(RowKey.candidates)) }
    let interest = Subscription.Interest(columns: watched, keys: wanted)
    return ChangeStream(
      ChangeFeed(in: self, tables: [table: interest], filter: filter) { piece in
        switch piece {
        case .write(let write):
          guard let changes = write.tables[table] else { return nil }
          let rows = changes.rows(of: M.self, watching: watched, keys: wanted)
          guard !rows.isEmpty || !changes.events.isEmpty else { return nil }
          return ModelChanges(
            label: write.label, rows: rows, events: changes.events,
            unfilteredReason: write.unfilteredReason)
        case .dropped(let tables):
          return tables[table].map { ModelChanges(label: nil, rows: [], events: $0) }
        case .everything(let events):
          return ModelChanges(label: nil, rows: [], events: events)
        }
      })
  }
}

extension RowKey {
  /// Returns the forms in which a key with these values may be recorded. For example, a key that is
  /// a single integer may be recorded as a rowid, or as the value of a column. Which of the two
  /// applies depends on the table, which is not known here.
  static func candidates(_ values: [DatabaseValue]) -> [RowKey] {
    guard values.count == 1, case .integer(let id) = values[0] else { return [.values(values)] }
    return [.rowID(id), .values(values)]
  }
}

extension NettedTable {
  /// Returns the changes of this write, filtered to the rows and columns that a stream watches.
  fileprivate func rows<M: Model>(
    of model: M.Type, watching columns: Set<String>, keys: Set<RowKey>?
  ) -> [RowChange<M>] {
    let delivered = DeliveredRows(self, columns: columns, as: try? M.layout)
    var changes: [RowChange<M>] = []
    changes.reserveCapacity(keys == nil ? rows.count : 0)
    for index in keys.map(indices(ofKeys:)) ?? Array(rows.indices)
    where delivered.differs(at: index) {
      changes.append(RowChange(row: AnyRowChange(delivered, at: index)))
    }
    return changes
  }
}

extension Database {
  /// Returns a stream of the changes to a model's table, filtered to the rows that match the
  /// predicate before or after the write. If the closure has several lines, a row must match all of
  /// them.
  ///
  /// ```swift
  /// for await change in db.changes(of: Post.self, where: { $0.$status == .published }) { … }
  /// ```
  ///
  /// If an update makes a row match, or no longer match, the change is still delivered as an
  /// update.
  ///
  /// SQLite tests the predicates on the recorded rows, in a separate database in memory. The
  /// functions and collations that are registered on this database are also available there. The
  /// test takes time of the observer, not of the writer.
  ///
  /// Some predicates need more than the row and cannot be tested in this way: subqueries, MATCH,
  /// the current time, functions that are not deterministic, VIRTUAL generated columns, `rowID`,
  /// and columns that the model does not have. If the predicates need any of these, or if text is
  /// invalid in the file's encoding, the element has every row of the table that the write changed.
  /// `ModelChanges.unfilteredReason` then gives the reason.
  public func changes<M: Model>(
    of model: M.Type, @PredicateBuilder where predicates: (Columns<M>) -> PredicateLines
  ) -> ChangeStream<M> {
    let filter = RowFilter(M.where(predicates).query.statement, in: self)
    return changes(of: model, named: nil, keys: nil) { await filter.filter($0) }
  }
}

/// An iterator over the elements of a stream of changes.
public struct ChangeIterator<Element: Sendable>: AsyncIteratorProtocol {
  /// The source of the elements. It is nil if the type cannot be a model. In this case, there is no
  /// table to watch, and the iterator gives no element.
  private let feed: ChangeFeed<Element>?

  init(_ feed: ChangeFeed<Element>?) {
    self.feed = feed
  }

  /// Returns the next element. Returns nil if the task is cancelled. If the database is closed,
  /// returns nil after the last element.
  public mutating func next() async -> Element? {
    await feed?.next()
  }

  /// Returns the next element. Returns nil if the task is cancelled. If the database is closed,
  /// returns nil after the last element.
  public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
    await feed?.next()
  }
}

@available(*, unavailable, message: "each iterator is used by one task")
extension ChangeIterator: Sendable {}

/// A queue of the commits that an observer of changes has not received yet. When the observer asks
/// for an element, the feed makes it from a commit, on the observer's thread and not on the
/// writer's thread.
final class ChangeFeed<Element: Sendable>: Sendable {
  /// A write, or another report, that the feed takes from the queue. Each piece becomes one element
  /// of the stream, or no element if the stream delivers nothing of the piece.
  enum Piece: Sendable {
    case write(WriteChanges)
    /// The tables whose waiting rows were dropped because the observer was slow.
    case dropped([QualifiedTableName: Set<TableEvent>])
    case everything(Set<TableEvent>)
  }

  private let queue: CommitQueue
  private let tracker: ChangeTracker?
  private let subscription: UInt64?
  private let element: @Sendable (Piece) -> Element?
  /// Reduces a write to the rows that the stream delivers; nil if the stream delivers all rows.
  private let filter: (@Sendable (WriteChanges) async -> WriteChanges)?
  /// The pieces taken from the queue but not delivered yet; the next one is at the end.
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

  /// Returns the next element. Returns nil if the task is cancelled. If the database is closed,
  /// returns nil after the last commit was taken.
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
      if taken.isEmpty { taken = Self.pieces(of: queue.take()).reversed() }
      return taken.popLast()
    }
  }

  /// Returns the waiting writes and events in the order of the commits. The order matters because
  /// an observer may read the table again after an event: it must not receive rows of earlier
  /// commits after that.
  private static func pieces(of waiting: CommitQueue.Waiting) -> [Piece] {
    var pieces: [Piece] = []
    // If rows were dropped, the queue holds no commits.
    if let dropped = waiting.dropped { pieces.append(.dropped(dropped)) }
    for place in 0...waiting.commits.count {
      if let events = waiting.everything[place] { pieces.append(.everything(events)) }
      guard place < waiting.commits.count else { break }
      for write in waiting.commits[place].writes { pieces.append(.write(write)) }
    }
    return pieces
  }
}
