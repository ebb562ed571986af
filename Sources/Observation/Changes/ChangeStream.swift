import QueryDSL
import SQLCore

/// The changes of a model's table, one element a transaction: `db.changes(of:columns:keys:)`.
///
/// Watching begins when the stream is made, and ends when it is dropped. Elements wait until they
/// are asked for; none is lost, and no writer waits.
public struct ChangeStream<M: Model>: AsyncSequence, Sendable {
  /// What one transaction changed.
  public typealias Element = Changes<M>
  /// It does not fail.
  public typealias Failure = Never

  private let stream: AsyncStream<Changes<M>>

  init(_ stream: AsyncStream<Changes<M>>) {
    self.stream = stream
  }

  /// Gives the changes, in the order of the commits.
  public func makeAsyncIterator() -> AsyncStream<Changes<M>>.Iterator {
    stream.makeAsyncIterator()
  }
}

extension Database {
  /// What changes in a model's table, told after each commit.
  ///
  /// ```swift
  /// for await change in db.changes(of: Post.self, columns: \.$title) {
  ///   for row in change.updated { print(try row.old(\.$title), try row.new(\.$title)) }
  /// }
  /// ```
  ///
  /// Every writer through this database is seen: models, raw SQL, triggers, cascades. A
  /// transaction that is rolled back, and one that leaves the watched columns as they were, gives
  /// nothing. Transactions that begin after the call are told in full; one that was running then
  /// gives an element that says `isUnknown`. Watching costs the writer the recorded columns of each
  /// row of the table, and others nothing; with nobody watching there is no hook.
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
    return changes(of: model, named: names.isEmpty ? nil : names, keys: keys)
  }

  private func changes<M: Model>(
    of model: M.Type, named columns: Set<String>?, keys: [M.ID]?
  ) -> ChangeStream<M> {
    let (stream, continuation) = AsyncStream.makeStream(of: Changes<M>.self)
    // A type that cannot be a table has none, and so no changes.
    guard let tracker = ChangeTracker.of(self), let layout = try? M.layout else {
      continuation.finish()
      return ChangeStream(stream)
    }
    let table = layout.tableName.lowercasedASCII
    let wanted = keys.map { keys in Set(keys.compactMap { try? M.keyValues(of: $0) }) }
    // Other models of the same table may have other columns: what is not this one's is left out.
    let watched = columns ?? Set(layout.columns.map(\.name.lowercasedASCII))
    let id = tracker.add(
      Subscription(tables: [table: Subscription.Interest(columns: watched)]) { changes in
        let rows = (changes.tables[table]).map { recorded in
          recorded.rows.compactMap { change in
            recorded.change(change, of: M.self, watching: watched, keys: wanted)
          }
        }
        if changes.isUnknown || rows?.isEmpty == false {
          continuation.yield(Changes(rows: rows ?? [], isUnknown: changes.isUnknown))
        }
      })
    continuation.onTermination = { _ in tracker.remove(id) }
    return ChangeStream(stream)
  }
}

extension CommittedChanges.Table {
  /// The change of a row as one subscription sees it: nil where it watches other rows or columns.
  fileprivate func change<M: Model>(
    _ change: NetChange, of model: M.Type, watching columns: Set<String>,
    keys: Set<[DatabaseValue]>?
  ) -> RowChange<M>? {
    if let keys, !keys.contains(change.key.values) { return nil }
    let places = self.columns.indices.filter { columns.contains(self.columns[$0].lowercasedASCII) }
    let seen = NetChange(
      key: change.key, old: change.old.map { old in places.map { old[$0] } },
      new: change.new.map { new in places.map { new[$0] } })
    guard !seen.isEmpty else { return nil }
    return RowChange(
      seen,
      in: CommittedChanges.Table(
        keyNames: keyNames, columns: places.map { self.columns[$0] }, rows: []))
  }
}
