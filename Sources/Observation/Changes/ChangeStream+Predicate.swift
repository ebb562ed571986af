import QueryDSL
import SQLCore

extension Database {
  /// What changes in those rows of a model's table for which each line held before the write, or
  /// holds after it.
  ///
  /// ```swift
  /// for await change in db.changes(of: Post.self, where: { $0.$status == .published }) { … }
  /// ```
  ///
  /// A row that comes to hold, or ceases to, is told with what happened to it in the table: most
  /// often it was updated. SQLite tests the predicates on the recorded rows, in a database of their
  /// own in memory and on the side of whoever listens, with the functions and collations that are
  /// registered on this one.
  ///
  /// Predicates that need more than the row cannot be tested so: subqueries, MATCH, the current
  /// time, functions that are not deterministic, columns that are calculated on reading, and those
  /// that the model does not have. Then, and for text that is invalid in the file's encoding, an
  /// element has every row of the table that the write changed, and says so in
  /// `Changes.unfilteredReason`.
  public func changes<M: Model>(
    of model: M.Type, @PredicateBuilder where predicates: (Columns<M>) -> PredicateLines
  ) -> ChangeStream<M> {
    let filter = RowFilter(M.where(predicates).request.statement, in: self)
    return changes(of: model, named: nil, keys: nil) { await filter.filter($0) }
  }
}
