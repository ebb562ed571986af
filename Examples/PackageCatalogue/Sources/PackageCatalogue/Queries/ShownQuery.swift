import Apus

/// A query with the text of its source, which is shown above its result.
///
/// The source text repeats the code of the query. A test checks that the two are the same.
struct ShownQuery {
  let title: String
  let source: String
  let table: @Sendable (Database) async throws -> ResultTable

  init(title: String, source: String, query: some Fetchable) {
    self.title = title
    self.source = source
    table = { try await $0.table(query) }
  }

  /// Returns all queries of the demo, in the order in which they are shown.
  static func all(searching word: String) -> [ShownQuery] {
    [heaviestSections, mostWanted, search(for: word), unneeded]
  }
}
