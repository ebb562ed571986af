import Apus

extension ShownQuery {
  /// Looks for a word in names and summaries, in upper or lower case.
  static func search(for word: String) -> ShownQuery {
    ShownQuery(
      title: "Packages about \"\(word)\"",
      source: #"""
        Package.where { package in
          AnyOf {
            package.$name.contains(word, ignoringCase: .ascii)
            package.$summary.contains(word, ignoringCase: .ascii)
          }
          package.$priority != .extra
        }
        .order(by: \.$name).limit(8).select(\.$name, \.$sizeInKiB, \.$summary)
        """#,
      query:
        Package.where { package in
          AnyOf {
            package.$name.contains(word, ignoringCase: .ascii)
            package.$summary.contains(word, ignoringCase: .ascii)
          }
          package.$priority != .extra
        }
        .order(by: \.$name).limit(8).select(\.$name, \.$sizeInKiB, \.$summary)
    )
  }
}
