/// The detail with which a full-text index stores each occurrence of a word.
///
/// - SeeAlso: <https://www.sqlite.org/fts5.html#the_detail_option>
public enum SearchDetail: String, Sendable {
  /// The row, the column and the position: every kind of pattern can be searched.
  case full
  /// The row and the column, which takes about half the space. Phrases and `near` cannot be
  /// searched.
  case column
  /// The row only, which takes the least space. Phrases, `near` and single columns cannot be
  /// searched.
  case none
}
