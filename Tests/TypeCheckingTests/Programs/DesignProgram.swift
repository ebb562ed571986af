import Testing

/// A right program over the models of a blog.
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
            $0.set(\\.$title, to: "x")
            $0.set(\\.$views) { $0.$views * 2 + 1 }
            $0.set(\\.$url, to: nil)
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
