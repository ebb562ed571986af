extension GoldenMistake {
  /// Values that cannot be stored, read or compared.
  static let values = [
    GoldenMistake(
      name: "a generic type that is a ColumnValue under a condition",
      code: """
        struct Tagged<Tag, RawValue: Sendable>: Sendable { var rawValue: RawValue }
        ‸extension Tagged: ColumnValue where RawValue: ColumnValue {}
        """,
      message: "does not imply conformance to inherited protocol 'Selectable'"),
    GoldenMistake(
      name: "a column of a type without a stored form",
      code: """
        struct Place { var city: String }
        struct Shop: Model { @PrimaryKey var id: Int; @‸Column var place: Place }
        """,
      message: "generic struct 'Column' requires that 'Place' conform to 'ColumnValue'"),
    GoldenMistake(
      name: "a line of a query that does not compile",
      code: """
        func query() {
          _ = ‸Query { (post: Columns<Post>) in
            From(post)
            Where { post.$title.nothing() }
            Select(post.$title)
          }
        }
        """,
      message: "generic parameter 'Row' could not be inferred"),
    GoldenMistake(
      name: "the value of a column of a command",
      code: """
        func command() { _ = Post.update { let views: Int? = ‸$0.$views; print(views as Any) } }
        """,
      message: "a column of a command has no value in Swift"),
    GoldenMistake(
      name: "a text beside a date",
      code: """
        func query() { _ = Post.where { $0.$createdAt ‸== "2020" } }
        """,
      message: "requires that 'Date' conform to 'AdditiveColumnValue'"),
  ]
}
