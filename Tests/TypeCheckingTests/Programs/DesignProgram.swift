import Testing

/// A correct program over the models of a blog.
struct DesignProgram: Sendable {
  let name: String
  let code: String

  var client: ClientProgram { ClientProgram(.blog, code) }

  static let all = [
    DesignProgram(
      name: "a query over one table, its columns as a tuple",
      code: """
        func hot() -> some Fetchable<Post> {
          Post.where { $0.$status == .published && $0.$views > 100 }
            .order(by: \\.$createdAt, .descending).limit(20)
        }
        func pairs() -> some Fetchable<(Unique64, String)> {
          Post.select(\\.$id, \\.$title).where { $0.$url != nil }
        }
        """),
    DesignProgram(
      name: "a joined query of 25 lines",
      code: """
        func feed(search: String?, tags: [Status]) -> some Fetchable<(String, String, Int)> {
          Query { (post: Columns<Post>, author: Columns<Author>) in
            From(post)
            Join(author, on: post.$authorID == author.$id)
            Where {
              post.$status == .published
              post.$views > 100 && post.$views < 1_000_000 || post.$views == 0
              if let search {
                post.$title.like("%\\(search)%")
              } else {
                post.$url != nil
              }
              for tag in tags {
                post.$status != tag
              }
              AnyOf {
                author.$name == "Jane"
                author.$name.like("J%")
                NoneOf {
                  post.$views * 2 + 1 > post.$views
                }
              }
            }
            OrderBy(post.$createdAt, .descending)
            OrderBy(author.$name)
            Limit(20)
            Offset(40)
            Select(post.$title, author.$name, post.$views + 1)
          }
        }
        """),
    DesignProgram(
      name: "an update",
      code: """
        func update(id: Post.ID) -> Update<Post> {
          Post.update { $0.$views += 1 }.where { $0.$id == id }
        }
        func set(id: Post.ID) -> Update<Post> {
          Post.update {
            $0.$title = "x"
            $0.$views = $0.$views * 2 + 1
            $0.$url = nil
            $0.$views -= 1
          }
          .where { $0.$id == id && $0.$status != .archived }
        }
        func delete() -> Delete<Post> {
          Post.delete().where { $0.$status == .archived }
        }
        """),
    DesignProgram(
      name: "a join of a table with itself",
      code: """
        func editors() -> some Fetchable<(String, String)> {
          Query { (author: Columns<Author>, editor: Columns<Author>) in
            From(author)
            Join(editor, on: author.$editorID == editor.$id.optional)
            Where { author.$name != editor.$name }
            Select(author.$name, editor.$name)
          }
        }
        """),
    DesignProgram(
      name: "a left join",
      code: """
        func authors() -> some Fetchable<(Author, String?, Post?)> {
          Query { (author: Columns<Author>, post: OptionalColumns<Post>) in
            From(author)
            LeftJoin(post, on: post.$authorID == author.$id.optional)
            Where { post.$views > 10 && post.$url == nil || post.$title == nil }
            Select(author, post.$title, post)
          }
        }
        """),
    DesignProgram(
      name: "windows",
      code: """
        struct Standing: ResultRow {
          @Column var title: String
          @Column var place: Int
          @Column var running: Int?
        }
        func standings() -> some Fetchable<(String, Int, Int?, Int?, Double)> {
          Query { (post: Columns<Post>) in
            From(post)
            NamedWindow("byStatus", .partition(by: post.$status).order(by: post.$views, .descending))
            Where { post.$views > 0 }
            OrderBy(post.$title)
            Select(
              post.$title,
              post.rank().over(named: "byStatus"),
              post.$views.sum().filter(post.$url != nil).over(
                .partition(by: post.$status, post.$authorID).order(by: post.$createdAt)
                  .rows(.preceding(3), .currentRow)),
              post.$views.lag(2).over(named: "byStatus"),
              post.percentRank().over(.order(by: post.$views, nulls: .last)))
          }
        }
        func rows() -> some Fetchable<Standing> {
          Query { (post: Columns<Post>) in
            From(post)
            Select(
              post.$title, post.denseRank().over(.order(by: post.$views)).as("place"),
              post.$views.sum().over(.order(by: post.$createdAt)).as("running"),
              into: Standing.self)
          }
        }
        """),
    DesignProgram(
      name: "a recursive common table",
      code: """
        struct Level: ResultRow {
          @Column var id: Author.ID
          @Column var depth: Int
        }
        func chain(of id: Author.ID) -> some Fetchable<(String, Int)> {
          let levels = CommonTable(
            "levels",
            startingWith: Query { (author: Columns<Author>) in
              From(author)
              Where { author.$id == id }
              Select(author.$id, SQLExpression(0).as("depth"), into: Level.self)
            }, distinct: true
          ) { levels in
            Query { (above: Columns<Level>, author: Columns<Author>) in
              From(levels.as(above))
              Join(author, on: author.$editorID == above.$id.optional)
              Where { above.$depth < 100 && author.$name != "nobody" }
              Select(author.$id, (above.$depth + 1).as("depth"), into: Level.self)
            }
          }
          return Query { (level: Columns<Level>, author: Columns<Author>) in
            With(levels)
            From(levels.as(level))
            Join(author, on: author.$id == level.$id)
            OrderBy(level.$depth)
            Select(author.$name, level.$depth)
          }
        }
        """),
    DesignProgram(
      name: "queries inside queries, and several as one",
      code: """
        func busy() -> some Fetchable<(String, Int?)> {
          Author.where { author in
            Post.where { $0.$authorID == author.$id && $0.$views > 100 }.exists()
            !author.$id.isIn(Post.where { $0.$status == .draft }.select(\\.$authorID))
          }
          .select { author in
            (
              author.$name,
              Post.where { $0.$authorID == author.$id }.select { $0.$views.max() }.subquery()
            )
          }
        }
        func all() -> some Fetchable<Post> {
          Post.where { $0.$views > 100 }.union(Post.where { $0.$status == .draft })
            .except(Post.where { $0.$url == nil }).order(by: \\.$title).limit(20)
        }
        """),
    DesignProgram(
      name: "functions, CASE, CAST, raw fragments",
      code: """
        let soundex = SQLFunction<String, String>("soundex")
        let median = SQLAggregate<Double?, Int>("median")

        func names() -> some Fetchable<(String, String, Int, Double?, Int)> {
          Post.where { post in
            soundex(post.$title) == soundex(SQLExpression("Sports"))
            post.$title.lower().trim().length() + 1 > 4 && post.$title.glob("[A-Z]*")
            post.$createdAt.component(.year) == 2024 || post.$createdAt < .currentTimestamp
            post.$views.isIn(1...10) && post.$views.remainder(2) == 0
            SQLExpression<Int>(sql: "length(\\(post.$title))") < 20
            post.$url.cast(to: String.self).ifNull("") != "x"
            post.$tags.value(at: 0) == "swift"
          }
          .select { post in
            (
              Case(when: post.$views > 100, then: "hot").when(post.$views > 10, then: "warm")
                .else("cold"),
              post.$status.case(.draft, then: "d").else("x"),
              post.$views.cast(to: Int.self).bitAnd(7),
              median(post.$views).filter(post.$views > 1),
              iif(post.$views > 2, post.$views * 2, post.$views.max(with: 3))
            )
          }
        }
        """),
    DesignProgram(
      name: "decimal numbers",
      code: """
        struct Sale: Model {
          @PrimaryKey var id: Int
          @Column var price: Decimal
          @Column var discount: Decimal?
          @Column var region: String
        }
        func sales(limit: Decimal) -> some Fetchable<(String, Decimal?, Decimal?, Decimal?)> {
          Query { (sale: Columns<Sale>) in
            From(sale)
            Where {
              sale.$price > 2 && sale.$price <= limit && sale.$price != 10 || sale.$discount == nil
              sale.$price * 2 - 1 > sale.$price + limit
              sale.$price.optional - sale.$discount >= 0.5
              sale.$price.isIn(1...10)
            }
            GroupBy(sale.$region)
            Having { sale.$price.sum() > 100 }
            OrderBy(sale.$price.max(), .descending)
            Select(
              sale.$region, sale.$price.sum(), sale.$discount.sum(), (sale.$price * 2).min())
          }
        }
        func discount() -> Update<Sale> {
          Sale.update { $0.$price -= 1 }.where { $0.$price > 10 }
        }
        """),
    DesignProgram(
      name: "aggregates over groups",
      code: """
        func totals() -> some Fetchable<(String, Int, Int?, Double?, Date?)> {
          Query { (post: Columns<Post>, author: Columns<Author>) in
            From(post)
            Join(author, on: post.$authorID == author.$id)
            GroupBy(author.$id, author.$name)
            Having {
              post.count() > 3
              post.$views.sum() > 100 && post.$views.avg() <= 2.5
            }
            OrderBy(post.$views.sum(), .descending)
            Select(
              author.$name, post.count(), post.$views.sum(), post.$views.avg(),
              post.$createdAt.max())
          }
        }
        """),
  ]
}

extension DesignProgram: CustomTestStringConvertible {
  var testDescription: String { name }
}
