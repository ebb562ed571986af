import Apus

extension ShownQuery {
  /// Finds packages by the words of their summaries and descriptions, the most relevant first, with
  /// the part of the text in which the words were found.
  static func search(for words: String) -> ShownQuery {
    ShownQuery(
      title: "Packages about \"\(words)\"",
      source: #"""
        Package.search(.words(words).in(\.$summary, \.$description))
          .order(by: .rank).limit(8)
          .where { $0.$priority != .extra }
          .selectHit { package, hit in
            (package.$name, hit.snippet(words: 14).as("found"))
          }
        """#,
      query:
        Package.search(.words(words).in(\.$summary, \.$description))
        .order(by: .rank).limit(8)
        .where { $0.$priority != .extra }
        .selectHit { package, hit in
          (package.$name, hit.snippet(words: 14).as("found"))
        }
    )
  }
}
