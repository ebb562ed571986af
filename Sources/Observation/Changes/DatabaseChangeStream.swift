import SQLCore

/// The changes of the whole database, with one element for each write: `db.changes()`.
///
/// When the database is closed, or its last reference is released, the stream gives the changes
/// that were committed until then, and finishes.
public struct DatabaseChangeStream: AsyncSequence, Sendable {
  /// The changes of one write.
  public typealias Element = DatabaseChanges
  /// The stream never fails.
  public typealias Failure = Never

  private let feed: ChangeFeed<DatabaseChanges>

  init(_ feed: ChangeFeed<DatabaseChanges>) {
    self.feed = feed
  }

  /// Returns an iterator over the changes, in the order of the commits. The iterators of one stream
  /// share its elements.
  public func makeAsyncIterator() -> ChangeIterator<DatabaseChanges> {
    ChangeIterator(feed)
  }
}
