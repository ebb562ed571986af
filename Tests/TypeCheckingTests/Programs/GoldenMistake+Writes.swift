extension GoldenMistake {
  private static let missingSign = "write $0.$title, not $0.title: a command has columns"

  /// Mistakes in the assignments of a command.
  static let writes = [
    GoldenMistake(
      name: "an update without the $",
      code: """
        let update = Post.update { ‸$0.title = "x" }
        """,
      message: missingSign),
    GoldenMistake(
      name: "an update in place without the $",
      code: """
        let update = Post.update { ‸$0.views += 1 }
        """,
      message: missingSign),
    GoldenMistake(
      name: "an update without the $, of a type of one's own",
      code: """
        let update = Post.update { ‸$0.status = .draft }
        """,
      message: missingSign),
    GoldenMistake(
      name: "an update without the $, of an optional",
      code: """
        let update = Post.update { ‸$0.url = nil }
        """,
      message: missingSign),
    GoldenMistake(
      name: "an update without the $, among others",
      code: """
        let update = Post.update {
          $0.$title = "x"
          ‸$0.views = 1
          $0.$status = .draft
        }
        """,
      message: missingSign),
    GoldenMistake(
      name: "an update with the value of a model",
      code: """
        let update = Post.update { $0.$views = ‸$0.views + 1 }
        """,
      message: missingSign),
    GoldenMistake(
      name: "an insert without the $",
      code: """
        let insert = Post.insert { ‸$0.title = "x" }
        """,
      message: missingSign),
    GoldenMistake(
      name: "an upsert without the $",
      code: """
        func save(_ post: Post, in db: Database) throws {
          try db.upsert(post, onConflict: \\.$url) { row in ‸row.title = "x" }
        }
        """,
      message: missingSign),
    GoldenMistake(
      name: "raw SQL without the type of its rows",
      code: """
        func titles(in db: Database) throws { print(try db.‸fetch("SELECT title FROM Post")) }
        """,
      message: "say what the rows are, as in fetch(String.self, sql), or call rows(sql)"),
    GoldenMistake(
      name: "the rows of an array",
      code: """
        func posts(in db: Database) throws { print(try db.fetch(Post.all).‸rows) }
        """,
      message: "has no member 'rows'"),
    // The compiler crashes after an array at the name of a method that the library has for an array of
    // one of its own types, as it had for these.
    GoldenMistake(
      name: "a name that only the library's own arrays had",
      code: """
        func posts(in db: Database) throws { print(try db.fetch(Post.all).‸nettedRows) }
        """,
      message: "has no member 'nettedRows'"),
    GoldenMistake(
      name: "the position of an array",
      code: """
        func posts(in db: Database) throws { print(try db.fetch(Post.all).‸position) }
        """,
      message: "has no member 'position'"),
    GoldenMistake(
      name: "a column of another type as the value",
      code: """
        let update = Post.update { $0.$views ‸= $0.$title }
        """,
      message: "cannot assign value of type 'SQLExpression<String>' to type 'SQLExpression<Int>'"),
    GoldenMistake(
      name: "a function of another type as the value",
      code: """
        let update = Post.update { $0.$title ‸= $0.$title.length() }
        """,
      message: "cannot assign value of type 'SQLExpression<Int>' to type 'SQLExpression<String>'"),
    GoldenMistake(
      name: "an optional column assigned to one that is never NULL",
      code: """
        let update = Author.update { $0.$id = ‸$0.$editorID }
        """,
      message: "the column may be NULL: write $0.$a.ifNull(…)"),
    GoldenMistake(
      name: "a condition as the value of a Bool column",
      code: """
        struct Page: Model {
          @PrimaryKey var id: Int
          @Column var isPinned: Bool
        }
        let update = Page.update { $0.$isPinned = ‸!$0.$isPinned }
        """,
      message: "cannot assign value of type 'SQLPredicate' to type 'SQLExpression<Bool>'"),
  ]
}
