import Apus

extension ShownQuery {
  /// Looks for a word in names and summaries; `%` in a LIKE pattern stands for any text.
  static func search(for word: String) -> ShownQuery {
    ShownQuery(
      title: "Packages about \"\(word)\"",
      source: #"""
        Package.where { package in
          AnyOf {
            package.$name.like("%\(word)%")
            package.$summary.like("%\(word)%")
          }
          package.$priority != .extra
        }
        .order(by: \.$name).limit(8).select(\.$name, \.$sizeInKiB, \.$summary)
        """#,
      query:
        Package.where { package in
          AnyOf {
            package.$name.like("%\(word)%")
            package.$summary.like("%\(word)%")
          }
          package.$priority != .extra
        }
        .order(by: \.$name).limit(8).select(\.$name, \.$sizeInKiB, \.$summary)
    )
  }
}
