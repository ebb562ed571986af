/// SQLite ignored a model that was to be inserted, updated or saved: the statement succeeded, but
/// wrote nothing.
///
/// This is the effect of a constraint with `ON CONFLICT IGNORE`, or of a trigger that raises
/// `IGNORE`. A caller that expects it asks for an outcome instead:
///
/// ```swift
/// let count = try db.run(Post.insert(post))           // 0 if SQLite ignored it
/// let upserted = try db.upsert(Post.insert(post).onConflictDoNothing())
/// let id = try upserted[0].id                         // the key of the row that was there before
/// ```
/// - SeeAlso: <https://www.sqlite.org/lang_conflict.html>
public struct WriteIgnored: Error, Hashable, Sendable, CustomStringConvertible {
  /// The table.
  public let table: String
  /// The position of the model in the array; nil for a single model, or if the position is not
  /// known.
  public let row: Int?

  package init(table: String, row: Int?) {
    self.table = table
    self.row = row
  }

  /// The table and the position, the causes, and how to ask for an outcome instead.
  public var description: String {
    """
    \(table)\(row.map { ", row \($0)" } ?? ""): SQLite ignored the row, so nothing was written: a \
    constraint is declared with ON CONFLICT IGNORE, or a trigger raised IGNORE; if that is expected, \
    count the rows with `run(\(table).insert(…))`, or get the outcome of each with \
    `upsert(\(table).insert(…).onConflictDoNothing())`
    """
  }
}
