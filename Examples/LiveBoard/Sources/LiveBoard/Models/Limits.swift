/// The limits of the texts and of the board. Constraints of the tables also check the texts, so
/// that other programs cannot exceed the limits.
enum Limits {
  static let title = 200
  static let notes = 10_000
  static let listName = 60
  static let tagName = 30
  static let personName = 60
  static let tagsOfCard = 8
  static let tags = 200
  static let lists = 20
  static let cards = 5_000
  /// The number of entries of the change log that the server keeps when it starts.
  static let logEntries = 10_000
  /// The largest body of a request, in bytes.
  static let body = 128 * 1_024
}
