import QueryDSL
import SQLCore

extension Database {
  /// Returns a stream of the changes to those rows of a model's table for which every line of the
  /// predicate held before the write or holds after it.
  ///
  /// ```swift
  /// for await change in db.changes(of: Post.self, where: { $0.$status == .published }) { … }
  /// ```
  ///
  /// A row that begins or ceases to match is delivered with what happened to it in the table, which
  /// usually is an update. SQLite tests the predicates on the recorded rows, in a separate database
  /// in memory, with the functions and collations that are registered on this database. The
  /// observer pays for that, and not the writer.
  ///
  /// Some predicates need more than the row and cannot be tested in this way: subqueries, MATCH,
  /// the current time, functions that are not deterministic, columns that are calculated on
  /// reading, and columns that the model does not have. For these, and for text that is invalid in
  /// the file's encoding, an element has every row of the table that the write changed, and
  /// `ModelChanges.unfilteredReason` gives the reason.
  public func changes<M: Model>(
    of model: M.Type, @PredicateBuilder where predicates: (Columns<M>) -> PredicateLines
  ) -> ChangeStream<M> {
    let filter = RowFilter(M.where(predicates).query.statement, in: self)
    return changes(of: model, named: nil, keys: nil) { await filter.filter($0) }
  }
}
