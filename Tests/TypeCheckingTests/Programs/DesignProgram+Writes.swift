extension DesignProgram {
  /// Programs that write, prepare and relate.
  static let writes = [
    DesignProgram(
      name: "upserts and inserts",
      code: """
        func write(_ posts: [Post], in db: Database) async throws {
          try await db.run(
            Post.insert(posts).onConflictUpdate(\\.$url) {
              $0.$title = $0.new.$title
              $0.$views += $0.new.$views
              $0.$status = .draft
            } where: {
              $0.$createdAt < $0.new.$createdAt
            })
          let outcome = try await db.upsert(posts[0], onConflict: \\.$url).outcome
          if outcome == .inserted { return }
          try await db.upsert(posts[0], onConflict: \\.$url) { $0.$views += $0.new.$views }
          try await db.upsert(posts[0], onConflict: \\.$url) { $0.$views += 1 }
          try await db.run(
            Post.insert {
              $0.$title = "x"
              $0.$views = Post.select { $0.count() }.subquery().ifNull(0)
            }.onConflictDoNothing())
          try await db.run(
            Author.insert(\\.$id, \\.$name, from: Post.select(\\.$authorID, \\.$title)))
        }
        """),
    DesignProgram(
      name: "upserts and inserts of some columns, tables without a key, table-valued functions",
      code: """
        struct Line: TableModel {
          @Column var level: Int
          @Column var text: String
        }
        func write(_ posts: [Post], in db: Database) async throws {
          try await db.run(
            Post.insert(
              \\.$title, \\.$views, \\.$url, values: [("a", 1, nil), ("b", 2, posts[0].url)]
            )
              .onConflictUpdate(\\.$url, setting: \\.$title, \\.$views))
          try await db.run(Post.insert(\\.$title, values: ["a", "b"]).onConflictUpdate())
          try await db.run(
            Post.insert(posts).onConflictUpdate { $0.$views += $0.new.$views } where: {
              $0.$views < $0.new.$views
            })
          try await db.upsert(posts[0], onConflict: \\.$url, setting: \\.$title, \\.$status)
          try await db.insert([Line(level: 1, text: "x")])
          let lines: [Line] = try await db.fetch(Line.where { $0.$level > 0 }.limit(3))
          try await db.run(Line.update { $0.$level += 1 }.where { $0.$text == lines[0].text })
          let query = Query {
            (post: Columns<Post>, tag: OptionalColumns<JSONElement<String>>,
             number: Columns<SeriesElement>) in
            From(post)
            Join(generateSeries(1, through: post.$views).as(number))
            LeftJoin(jsonEach(post.$tags).as(tag), on: tag.$index == number.$value.optional)
            Where { number.$value < 10 && post.$title != "x" }
            Select(post.$id, tag.$value, number.$value)
          }
          for (_, tag, number) in try await db.fetch(query) { print(tag ?? "", number) }
          let names: [String] = try await db.fetch(pragmaTableInfo("Post").all.select(\\.$name))
          print(names)
        }
        """),
    DesignProgram(
      name: "literals beside wide and optional integers, in rows of two to four columns",
      code: #"""
        struct Folder: Model {
          @PrimaryKey var id: Int64
          @Column var name: String
          @Column var parentID: Int64?
          @Column var size: Int32
          @Column var weight: Double
        }
        func insert(_ parent: Int64?, _ names: [String]) -> [Insert<Folder>] {
          [
            Folder.insert(\.$name, \.$parentID, values: [("Food", 1), ("Drinks", 2)]),
            Folder.insert(\.$name, \.$parentID, values: [("Food", nil), ("Drinks", parent)]),
            Folder.insert(\.$name, \.$parentID, values: names.map { ($0, parent) }),
            Folder.insert(\.$name, \.$size, \.$parentID, values: [("Food", 1, parent)]),
            Folder.insert(
              \.$name, \.$parentID, \.$size, \.$weight,
              values: [("Food", 1, 2, 3), ("Drinks", parent, 2, 2.5)]),
          ]
        }
        """#),
    DesignProgram(
      name: "strings that contain values, and SQL that contains columns",
      code: #"""
        func search(_ title: String, _ views: Int) -> [any Fetchable<Post>] {
          print("\(title) \(views) \(Post.all)")
          return [
            Post.where { $0.$title == "\(title) \(views)!" && $0.$title.like("\(title)%") },
            Post.where { SQLExpression<Int>(sql: "length(\($0.$title))") > 20 },
            Post.where { SQLPredicate(sql: "\($0.$title) LIKE \(title)") },
          ]
        }
        func write(_ title: String, in db: Database) throws {
          try db.execute("UPDATE \(Post.self) SET \(\Post.$title) = \(title)")
          try db.run(Post.update { $0.$title = "\(title)!" })
        }
        """#),
    DesignProgram(
      name: "assignments of values",
      code: """
        func write(_ title: String, _ url: URL?, _ views: Int) -> Update<Post> {
          let many = Post.update {
            $0.$title = "x"
            $0.$title = title
            $0.$title += " 2"
            $0.$title += $0.$title
            $0.$title = $0.$title.upper()
            $0.$url = nil
            $0.$url = url
            $0.$status = .published
            $0.$tags = ["a"]
            $0.$createdAt = Date()
            $0.$views = 1
            $0.$views = views + 1
            $0.$views += views
            $0.$views -= 1
            $0.$views = $0.$views * 2 + $0.$views * 3 - $0.$views + 1
            if views > 1 { $0.$views = 0 }
          }
          return views > 1 ? many : Post.update { $0.$title = title }
        }
        """),
    DesignProgram(
      name: "what is written around the rows of a fetch",
      code: """
        func read(_ db: Database, _ reader: some DatabaseReader) throws {
          print(try db.fetch(Post.select(\\.$title, \\.$views)).count)
          print(try db.fetch(Post.select(\\.$title)).count, try db.fetch(Post.all).first as Any)
          _ = try db.fetch(String.self, "SELECT a FROM t").sorted()
          _ = Set(try db.fetch(Int.self, "SELECT 1"))
          print(try db.fetch(Int.self, "SELECT 1").first as Any)
          print(try reader.fetch(Int.self, "SELECT 1").max() as Any)
          print(try db.fetch((Int, String).self, "SELECT 1, 2").count)
          for (a, b) in try db.fetch((Int, String).self, "SELECT 1, 2") { print(a + b.count) }
          _ = Dictionary(uniqueKeysWithValues: try db.fetch((Int, String).self, "SELECT 1, 2"))
          guard try db.fetch(Post.where { $0.$views > 1 }).isEmpty else { return }
          let query = Query { (post: Columns<Post>) in
            From(post)
            Select(post.$title, post.$views)
          }
          print(try db.fetch(query).count)
        }
        func readLater(_ db: Database, _ reader: some DatabaseReader) async throws {
          print(try await db.fetch(Post.select(\\.$title, \\.$views)).count)
          _ = try await db.fetch(String.self, "SELECT a FROM t").sorted()
          _ = Set(try await reader.fetch(Int.self, "SELECT 1"))
          print(try await db.fetch(Int.self, "SELECT 1").max() as Any)
          print(try await db.fetch((Int, String, Int).self, "SELECT 1, 2, 3").first as Any)
        }
        func write(_ tx: Connection) throws {
          print(try tx.fetch(Post.select(\\.$title, \\.$views)).count)
          _ = Set(try tx.fetch(Int.self, "SELECT 1"))
        }
        """),
    DesignProgram(
      name: "RETURNING, UPDATE FROM, limits",
      code: """
        func write(in db: Database, _ id: Post.ID) async throws -> [(Post.ID, Int)] {
          let ids: [Post.ID] = try await db.fetch(
            Post.delete().where { $0.$status == .archived }.order(by: \\.$createdAt).limit(9)
              .returning(\\.$id))
          let post: Post? = try await db.first(
            Post.update(from: Author.self) { post, author in
              post.$title = author.$name
            } where: { post, author in
              post.$authorID == author.$id
              post.$id.isIn(ids)
            }.returning())
          try await db.update(Post.self, post?.id ?? id) { $0.views += 1 }
          let found: [Post?] = try await db.find(Post.self, ids)
          guard found.isEmpty else { return [] }
          return try await db.fetch(
            Post.update { $0.$views += 1 }.where { $0.$id == id }
              .returning { ($0.$id, $0.$views * 2) })
        }
        """),
    DesignProgram(
      name: "prepared queries",
      code: """
        func prepare(in db: Database) async throws -> [Post] {
          let byTitle = try await db.prepare {
            (title: SQLParameter<String>, views: SQLParameter<Int>) in
            Post.where { $0.$title == title && $0.$views >= views }
              .order(by: \\.$createdAt, .descending)
          }
          let read = try await db.prepare { (id: SQLParameter<Post.ID>, by: SQLParameter<Int>) in
            Post.update { $0.$views += by }.where { $0.$id == id }
          }
          let some = try await db.prepare {
            (ids: SQLParameterList<Post.ID>, count: SQLParameter<Int>) in
            Query { (post: Columns<Post>, author: Columns<Author>) in
              From(post)
              Join(author, on: post.$authorID == author.$id)
              Where { post.$id.isIn(ids) }
              Limit(count)
              Select(post.$id, author.$name)
            }
          }
          for (id, _) in try await db.fetch(some([], 3)) { try await db.run(read(id, 1)) }
          return try await db.fetch(byTitle("Sports", 3))
        }
        """),
    DesignProgram(
      name: "relations",
      code: """
        func load(from db: Database) async throws {
          let authors: [(Author, [Post])] = try await db.fetch(
            Author.order(by: \\.$name).including(
              Post.where { $0.$status == .published }.order(by: \\.$createdAt), by: \\.$authorID))
          for (author, posts) in authors { print(author.name, posts.count) }
          let nested = try await db.first(
            Author.all.including(Post.all.including(Post.all, by: \\.$authorID)).including(Post.all))
          if let (author, posts, others) = nested { print(author, posts, others) }
        }
        """),
  ]
}
