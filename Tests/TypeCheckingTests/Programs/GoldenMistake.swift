import Testing

/// A program with one mistake, and the compiler's message.
struct GoldenMistake: Sendable {
  let name: String
  /// `‸` stands before the place that the error names.
  let code: String
  /// A part of the message.
  let message: String
  /// Another message, if the compiler does not always choose the same one.
  var otherMessage: String?

  var client: ClientProgram { ClientProgram(.blog, code) }

  static let all = [
    GoldenMistake(
      name: "a wrong type",
      code: """
        func query() { _ = Post.where { $0.$views ‸== "many" } }
        """,
      message: "'TypesOfComparisonDiffer'-isolated operator function '=='"),
    GoldenMistake(
      name: "a wrong type in a global variable",
      code: """
        let ‸query = Post.where { $0.$views == "many" }
        """,
      message: "global actor 'TypesOfComparisonDiffer'-isolated default value"),
    GoldenMistake(
      name: "a missing $",
      code: """
        let query = Post.where { ‸$0.title == "Sports" }
        """,
      message: "write $0.$title, not $0.title"),
    GoldenMistake(
      name: "a missing $ before a value of an own type",
      code: """
        let query = Post.where { $0.‸status == .draft }
        """,
      message: "requires that 'Status' conform to 'ColumnWithDollarSign'"),
    GoldenMistake(
      name: "a missing $ before the key",
      code: """
        let query = Post.where { ‸$0.id == 3 }
        """,
      message: "write $0.$title, not $0.title",
      otherMessage: "requires that 'KeyOrDollarSignIsMissing' conform to 'ColumnWithDollarSign'"),
    GoldenMistake(
      name: "a missing $ before the key, with a value of the key's type",
      code: """
        func query(_ id: Post.ID) { _ = Post.where { ‸$0.id == id } }
        """,
      message: "write $0.$title, not $0.title",
      otherMessage: "requires that 'KeyOrDollarSignIsMissing' conform to 'ColumnWithDollarSign'"),
    GoldenMistake(
      name: "a missing $ before a column of a left join",
      code: """
        let query = Query { (post: Columns<Post>, author: OptionalColumns<Author>) in
          From(post)
          LeftJoin(author, on: post.$authorID == author.$id)
          Where { ‸author.name == "Jane" }
          Select(post.$title)
        }
        """,
      message: "write $0.$title, not $0.title"),
    GoldenMistake(
      name: "nil on a non-optional",
      code: """
        let query = Post.where { $0.$title ‸== nil }
        """,
      message: "binary operator '==' cannot be applied to operands"),
    GoldenMistake(
      name: "= for ==",
      code: """
        let query = Post.where { $0.$title ‸= "Sports" }
        """,
      message: "cannot convert value of type '()' to expected argument type 'SQLPredicate'"),
    GoldenMistake(
      name: "a misspelt enum case",
      code: """
        let query = Post.where { $0.$status == .‸publishd }
        """,
      message: "reference to member 'publishd' cannot be resolved"),
    GoldenMistake(
      name: "a Bool column as predicate",
      code: """
        struct Task: Model {
          @PrimaryKey var id: Int
          @Column var isDone: Bool
        }
        let query = Task.where { $0.‸$isDone }
        """,
      message: "cannot convert value of type 'SQLExpression<Bool>' to expected argument type "
        + "'SQLPredicate'"),
    GoldenMistake(
      name: "a wrong root",
      code: """
        let query = Post.select(‸\\Author.$name)
        """,
      message: "cannot convert value of type 'KeyPath<Author, ColumnReference<String>>' to "
        + "expected argument type 'KeyPath<Post, ColumnReference<String>>'"),
    GoldenMistake(
      name: "a tuple of values of other types",
      code: """
        let query = Post.where { ‸($0.$views, $0.$title) > ("x", 1) }
        """,
      message: "to expected argument type 'RowValue<String, Int>'"),
    GoldenMistake(
      name: "a wrong root of an order",
      code: """
        let query = Post.order(by: ‸\\Author.$name)
        """,
      message: "cannot convert value of type"),
    GoldenMistake(
      name: "a String for a Unique64",
      code: """
        let query = Post.where { $0.$id ‸== "12" }
        """,
      message: "cannot be applied to operands of type 'SQLExpression<Unique64>' and 'String'"),
    GoldenMistake(
      name: "a missing await",
      code: """
        func fetch(_ db: Database) async throws -> [Post] {
          ‸try db.fetch(Post.all)
        }
        """,
      message: "expression is 'async' but is not marked with 'await'"),
    GoldenMistake(
      name: "a subscript of a result in print",
      code: """
        func show(_ db: Database) throws {
          print(try db.‸fetch(Post.select { $0.$title.upper() })[0])
        }
        """,
      message: "type 'Any' does not conform to the 'Sendable' protocol"),
    GoldenMistake(
      name: "a write in a write",
      code: """
        func clear(_ db: Database) throws {
          try db.write { tx in
            try tx.‸write { try $0.execute("DELETE FROM Post") }
          }
        }
        """,
      message: "a connection is used directly"),
    GoldenMistake(
      name: "a missing Select",
      code: """
        let query = Query ‸{ (post: Columns<Post>) in
          From(post)
          Where { post.$views > 1 }
        }
        """,
      message: "the query needs a Select(…): it says what each row holds"),
    GoldenMistake(
      name: "a predicate without Where",
      code: """
        let query = Query { (post: Columns<Post>) in
          From(post)
          ‸post.$views > 1
          Select(post.$title)
        }
        """,
      message: "a predicate must be inside Where { } or Having { }"),
    GoldenMistake(
      name: "two Selects",
      code: """
        let query = Query ‸{ (post: Columns<Post>) in
          From(post)
          Select(post.$title)
          Select(post.$views)
        }
        """,
      message: "a query has one Select(…)"),
    GoldenMistake(
      name: "a left join of columns that are not optional",
      code: """
        let query = Query { (post: Columns<Post>, author: Columns<Author>) in
          From(post)
          ‸LeftJoin(author, on: post.$authorID == author.$id)
          Select(post.$title)
        }
        """,
      message: "a left join may find no row: its parameter must be OptionalColumns<…>"),
    GoldenMistake(
      name: "a row that is no table",
      code: """
        struct Total: ResultRow { @Column var views: Int }
        let query = Query { (total: Columns<Total>) in
          ‸From(total)
          Select(total.$views)
        }
        """,
      message: "the rows of a query have no table: write From(query.as(columns))"),
    GoldenMistake(
      name: "a query of another type in IN",
      code: """
        let query = Post.where { $0.$authorID.isIn(Post.select(‸\\.$title)) }
        """,
      message: "key path value type 'SQLExpression<String>' cannot be converted"),
    GoldenMistake(
      name: "a wrong type in an update",
      code: """
        let update = Post.update {
          $0.$title = "x"
          $0.$views = ‸"many"
        }
        """,
      message: "cannot assign value of type 'String' to type 'SQLExpression<Int>'"),
    GoldenMistake(
      name: "nil for a column that is never NULL",
      code: """
        let update = Post.update { ‸$0.$title = nil }
        """,
      message: "the column is never NULL; to set it to nil, declare its property as an optional"),
    GoldenMistake(
      name: "a model without a key",
      code: """
        struct ‸Note: Model { @Column var title: String }
        """,
      message: "a model needs a key: write `@PrimaryKey var id = Unique64()`"),
    GoldenMistake(
      name: "a model with two keys and no ID",
      code: """
        struct ‸Membership: Model {
          @PrimaryKey var person: Int
          @PrimaryKey var group: Int
        }
        """,
      message: "with several keys, `struct ID: Hashable, Sendable`"),
    GoldenMistake(
      name: "an array as a column",
      code: """
        struct Note: Model {
          @PrimaryKey var id: Int
          @‸Column var tags: [String]
        }
        """,
      message: "requires that 'String' conform to 'UInt8OrFloatElseUseJSON'"),
    GoldenMistake(
      name: "the rows of a closure of several lines, where any type is accepted",
      code: """
        func count(_ db: Database) throws {
          print(try db.fetch(‸Query { (post: Columns<Post>) in
            From(post)
            Select(post.$title)
          }).count)
        }
        """,
      message: "cannot convert value of type 'Query<String>' to expected argument type 'SQL'"),
    GoldenMistake(
      name: "a place inside the JSON of another type",
      code: """
        extension JSONPath where Root == [Int], Value == Int {
          static var first: JSONPath { JSONPath(0) }
        }
        let query = Post.where { $0.$tags.value(at: .‸first) == 1 }
        """,
      message: "contextual base was inferred as 'JSONPath<[String], Int>'",
      otherMessage: "requires the types '[String]' and '[Int]' be equivalent"),
    GoldenMistake(
      name: "an index of a row that is no table",
      code: """
        struct Total: ResultRow {
          @Column var views: Int
          static var schema: Schema<Total> { ‸Index(\\.$views) }
        }
        """,
      message: "requires that 'Total' conform to 'TableModel'"),
    GoldenMistake(
      name: "a row without a key that is saved",
      code: """
        struct Line: TableModel {
          @Column var text: String
        }
        func save(_ line: Line, in db: Database) throws { try db.‸save(line) }
        """,
      message: "requires that 'Line' conform to 'Model'",
      otherMessage: "no exact matches in call to instance method 'save'"),
    GoldenMistake(
      name: "values of the wrong types",
      code: """
        let insert = Post.insert(\\.$title, \\.$views, values: [("a", ‸"b")])
        """,
      message: "cannot convert value of type"),
    GoldenMistake(
      name: "a join without a condition",
      code: """
        let query = Query { (post: Columns<Post>, author: Columns<Author>) in
          From(post)
          ‸Join(author)
          Select(post.$title)
        }
        """,
      message: "a join needs a condition: Join(table, on: …), or CrossJoin(table)"),
    GoldenMistake(
      name: "a left join of a function without optional columns",
      code: """
        let query = Query { (post: Columns<Post>, tag: Columns<JSONElement<String>>) in
          From(post)
          ‸LeftJoin(jsonEach(post.$tags).as(tag))
          Select(post.$title)
        }
        """,
      message: "a left join may find no row: its parameter must be OptionalColumns<…>"),
    GoldenMistake(
      name: "a condition of a joined query that names no table",
      code: """
        func search() {
          let feed = Query { (post: Columns<Post>, author: Columns<Author>) in
            From(post)
            Join(author, on: post.$authorID == author.$id)
            Select(post.$title, author.$name)
          }
          _ = feed.where ‸{ $0.$views > 3 }
          _ = feed.where { (post: Columns<Post>) in post.$views > 3 }
        }
        """,
      message: "cannot infer type of closure parameter '$0' without a type annotation"),
    GoldenMistake(
      name: "a column inside a string that is compared",
      code: #"""
        func query() { _ = Post.where { $0.$title == "\‸($0.$title)!" } }
        """#,
      message: "'StringContainsAColumn'-isolated instance method 'appendInterpolation'"),
    GoldenMistake(
      name: "a column inside a string that is assigned",
      code: #"""
        func update() { _ = Post.update { $0.$title = "\‸($0.$title)!" } }
        """#,
      message: "'StringContainsAColumn'-isolated instance method 'appendInterpolation'"),
    GoldenMistake(
      name: "a column inside a string of a global variable",
      code: #"""
        let ‸query = Post.where { $0.$title == "\($0.$title)!" }
        """#,
      message: "global actor 'StringContainsAColumn'-isolated default value"),
    GoldenMistake(
      name: "several of different rows as one",
      code: """
        let query = Post.select(\\.$title).‸union(Post.select(\\.$views))
        """,
      message: "failed to produce diagnostic for expression"),
  ]
}

extension GoldenMistake: CustomTestStringConvertible {
  var testDescription: String { name }
}
