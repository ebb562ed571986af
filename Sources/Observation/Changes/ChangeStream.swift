import QueryDSL
import SQLCore

/// The changes of a model's table, with one element for each write: `db.changes(of:columns:keys:)`.
///
/// Watching begins when the stream is created and ends when it is released. It continues if the
/// table is dropped and created again, which `.schemaChanged` reports. When the database is closed,
/// or its last reference is released, the stream gives the changes that were committed until then,
/// and finishes.
///
/// Elements wait until they are asked for, and no writer waits for that. If more rows wait than
/// `Configuration.maximumTrackedRows`, one element with `.tableChanged` takes their place.
public struct ChangeStream<M: Model>: AsyncSequence, Sendable {
  /// The changes of one write.
  public typealias Element = ModelChanges<M>
  /// The stream never fails.
  public typealias Failure = Never

  private let feed: ChangeFeed<ModelChanges<M>>?

  init(_ feed: ChangeFeed<ModelChanges<M>>?) {
    self.feed = feed
  }

  /// Returns an iterator over the changes, in the order of the commits. The iterators of one stream
  /// share its elements.
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
  /// All changes through this database are seen, whether by models, raw SQL, triggers or cascades.
  /// A write that is rolled back, or that leaves the watched columns as they were, gives no
  /// element. Writes that share a commit give one element each, in their order.
  ///
  /// Writes that begin after the call are delivered in full. A write that is running at the call is
  /// also delivered in full if another observer watches these columns already; if not, it gives an
  /// element with `.tableChanged`, even if it is rolled back.
  ///
  /// For each changed row of the table, the writer copies the watched columns; writes to other
  /// tables cost nothing. Without any observer, there is no hook.
  ///
  /// - Parameters:
  ///   - columns: an update counts if one of them differs. Only they, and the key, have old and new
  ///     values. Without any, all columns of the model count.
  ///   - keys: the keys of the rows to watch; nil for all rows.
  public func changes<M: Model, each Value: ColumnValue>(
    of model: M.Type, columns: repeat KeyPath<M, ColumnReference<each Value>>,
    keys: [M.ID]? = nil
  ) -> ChangeStream<M> {
    var names: Set<String> = []
    for column in repeat each columns {
      if let name = M.columnName(of: column) { names.insert(name.lowercasedASCII) }
    }
    // A key that no row can have is ignored.
    let values = keys.map { keys in keys.compactMap { try? M.keyValues(of: $0) } }
    return changes(of: model, named: names.isEmpty ? nil : names, keys: values)
  }

  func changes<M: Model>(
    of model: M.Type, named columns: Set<String>?, keys: [[DatabaseValue]]?,
    filter: (@Sendable (WriteChanges) async -> WriteChanges)? = nil
  ) -> ChangeStream<M> {
    guard let layout = try? M.layout else { return ChangeStream(nil) }
    let table = QualifiedTableName(layout.tableName)
    // The table may have columns that belong to other models only: they are left out.
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
  /// Returns the keys under which a row with these key values may be recorded, whatever its table
  /// is like.
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
