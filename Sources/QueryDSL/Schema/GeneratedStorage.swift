import SQLCore

/// The way in which SQLite stores a generated column.
///
/// - SeeAlso: <https://www.sqlite.org/gencol.html>
public enum GeneratedStorage: String, Sendable {
  /// The value is calculated when it is read.
  case virtual = "VIRTUAL"
  /// The value is calculated when the row is written, and takes space in the file.
  case stored = "STORED"
}
