import Apus

extension ShownQuery {
  /// Finds packages by the words of their names, summaries and descriptions, the most relevant
  /// first, with the place where the words stand.
  static func search(for words: String) -> ShownQuery {
    ShownQuery(
      title: "Packages about \"\(words)\"",
      source: #"""
        Package.search(words).order(by: .rank).limit(8)
          .where { $0.$priority != .extra }
          .selectHit { package, hit in
            (
              package.$name, hit.highlight(of: \.$summary).as("summary"),
              hit.snippet(of: \.$description, words: 10).as("description")
            )
          }
        """#,
      query:
        Package.search(words).order(by: .rank).limit(8)
        .where { $0.$priority != .extra }
        .selectHit { package, hit in
          (
            package.$name, hit.highlight(of: \.$summary).as("summary"),
            hit.snippet(of: \.$description, words: 10).as("description")
          )
        }
    )
  }
}
