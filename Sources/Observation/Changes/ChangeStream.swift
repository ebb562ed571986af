import QueryDSL
import SQLCore

/// The changes of a model's table, one element a write: `db.changes(of:columns:keys:)`.
///
/// Watching begins when the stream is made, and ends when it is dropped. It goes on when the table is
/// dropped and created again, which `.schemaChanged` reports. When the database is closed, or its last
/// reference goes, the stream gives what was committed until then, and finishes. Elements wait until they
/// are asked for, and no writer waits: where the rows that wait are more than
/// `Configuration.maximumTrackedRows`, one element takes their place that says `.tableChanged`.
public struct ChangeStream<M: Model>: AsyncSequence, Sendable {
  /// What one write changed.
  public typealias Element = Changes<M>
  /// It does not fail.
  public typealias Failure = Never

  private let feed: ChangeFeed<Changes<M>>?

  init(_ feed: ChangeFeed<Changes<M>>?) {
    self.feed = feed
  }

  /// Gives the changes, in the order of the commits. Iterators of one stream share its elements.
  public func makeAsyncIterator() -> Iterator {
    Iterator(base: feed.map { ChangeIterator($0) })
  }

  /// Gives the elements of a stream of changes.
  public struct Iterator: AsyncIteratorProtocol {
    /// nil for a type that cannot be a table: it has none, and so no changes.
    var base: ChangeIterator<Changes<M>>?

    /// The next element; nil once the task is cancelled, and after the last one of a database that was
    /// closed.
    public mutating func next() async -> Changes<M>? {
      await base?.next()
    }

    /// The next element; nil once the task is cancelled, and after the last one of a database that was
    /// closed.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Changes<M>? {
      await base?.next(isolation: actor)
    }
  }
}

@available(*, unavailable, message: "each iterator is used by one task")
extension ChangeStream.Iterator: Sendable {}

extension Database {
  /// What changes in a model's table, told after each commit.
  ///
  /// ```swift
  /// for await change in db.changes(of: Post.self, columns: \.$title) {
  ///   for row in change.updated { print(try row.old(\.$title), try row.new(\.$title)) }
  /// }
  /// ```
  ///
  /// Every writer through this database is seen: models, raw SQL, triggers, cascades. A write
  /// that is rolled back, and one that leaves the watched columns as they were, gives nothing.
  /// Writes that share a commit are told one by one, in their order. Those that begin after the
  /// call are told in full; one that was running then, too, where somebody watched these columns
  /// already, and else gives an element that says `.tableChanged`, also where it is rolled back.
  /// Watching costs the writer the recorded columns of each row of the table, and others nothing;
  /// with nobody watching there is no hook.
  ///
  /// - Parameters:
  ///   - columns: an update counts where one of them differs; only they, and the key, have old and
  ///     new values. Without any, all columns count.
  ///   - keys: only rows with these keys; nil for all.
  public func changes<M: Model, each Value: ColumnValue>(
    of model: M.Type, columns: repeat KeyPath<M, ColumnReference<each Value>>,
    keys: [M.ID]? = nil
  ) -> ChangeStream<M> {
    var names: Set<String> = []
    for column in repeat each columns {
      if let name = M.columnName(of: column) { names.insert(name.lowercasedASCII) }
    }
    // A key that no row can have is watched for nothing.
    let values = keys.map { keys in keys.compactMap { try? M.keyValues(of: $0) } }
    return changes(of: model, named: names.isEmpty ? nil : names, keys: values)
  }

  func changes<M: Model>(
    of model: M.Type, named columns: Set<String>?, keys: [[DatabaseValue]]?,
    filter: (@Sendable (WriteChanges) async -> WriteChanges)? = nil
  ) -> ChangeStream<M> {
    guard let layout = try? M.layout else { return ChangeStream(nil) }
    let table = QualifiedTableName(layout.tableName)
    // Other models of the same table may have other columns: what is not this one's is left out.
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
          return Changes(
            label: write.label, rows: rows, events: changes.events,
            unfilteredReason: write.unfilteredReason)
        case .dropped(let tables):
          return tables[table].map { Changes(label: nil, rows: [], events: $0) }
        case .everything(let events):
          return Changes(label: nil, rows: [], events: events)
        }
      })
  }
}

extension RowKey {
  /// How a row with these key values may be named, whatever the table is like.
  static func candidates(_ values: [DatabaseValue]) -> [RowKey] {
    guard values.count == 1, case .integer(let id) = values[0] else { return [.values(values)] }
    return [.rowID(id), .values(values)]
  }
}

extension TableRows {
  /// The changes of the rows as one stream sees them: those of its rows, and its columns of them.
  fileprivate func rows<M: Model>(
    of model: M.Type, watching columns: Set<String>, keys: Set<RowKey>?
  ) -> [RowChange<M>] {
    let told = ToldRows(self, columns: columns, as: try? M.layout)
    var changes: [RowChange<M>] = []
    changes.reserveCapacity(keys == nil ? rows.count : 0)
    for index in keys.map(indices(ofKeys:)) ?? Array(rows.indices)
    where told.differs(at: index) {
      changes.append(RowChange(row: TableRowChange(told, at: index)))
    }
    return changes
  }
}
