import Apus

/// A query and the text of its source, to be shown above its result.
///
/// The text stands beside the query that it repeats; a test compares the two.
struct ShownQuery {
  let title: String
  let source: String
  let table: @Sendable (Database) async throws -> ResultTable

  init(title: String, source: String, query: some Fetchable) {
    self.title = title
    self.source = source
    table = { try await $0.table(query) }
  }

  /// All of them, in the order in which they are shown.
  static func all(searching word: String) -> [ShownQuery] {
    [heaviestSections, mostWanted, search(for: word), unneeded]
  }
}
