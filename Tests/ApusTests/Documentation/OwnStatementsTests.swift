import Apus
import Foundation
import TestRun
import Testing

/// The statements that the library runs by itself are those of `Documentation/OwnStatements.md`.
///
/// Each test runs in a process of its own, in which every connection is traced.
@Suite("The library runs the statements that its documentation lists, and no others", .blocking)
struct OwnStatementsTests {
  typealias Author = OwnStatements.Author
  typealias Post = OwnStatements.Post
  typealias Tag = OwnStatements.Tag

  @Test("opening, reading, writing and closing")
  func access() async {
    await #expect(processExitsWith: .success) {
      try OwnStatements.run { statements in
        let db = try Database(path: statements.path)
        try statements.expect("Opening", count: 0)
        try db.execute("CREATE TABLE Author (id INTEGER PRIMARY KEY, name TEXT NOT NULL)")
        try statements.expect(
          "Writing",
          asked: ["CREATE TABLE Author (id INTEGER PRIMARY KEY, name TEXT NOT NULL)"], count: 1)
        try db.insert(Author(id: 1, name: "Jane"))
        try statements.expect(
          "Writing", asked: [#"INSERT INTO "Author" ("id", "name") VALUES (?, ?)"#], count: 1)
        #expect(try db.fetch(Author.all).count == 1)
        try statements.expect("Opening", asked: [#"SELECT "id", "name" FROM "Author""#], count: 1)
        let count = try db.read { try $0.count(Author.all) }
        #expect(count == 1)
        try statements.expect("Reading", asked: [#"SELECT count(*) FROM "Author""#])
        try db.write { connection in
          try connection.savepoint { try $0.execute("DELETE FROM Author") }
        }
        try statements.expect("Writing", asked: ["DELETE FROM Author"], count: 3)
        struct Stop: Error {}
        try db.write { connection in
          #expect(throws: Stop.self) { try connection.savepoint { _ in throw Stop() } }
        }
        try statements.expect("Writing", count: 3)
        #expect(throws: Stop.self) { try db.write { _ in throw Stop() } }
        #expect(throws: Stop.self) { try db.read { _ in throw Stop() } }
        try statements.expect("Writing", "Reading", count: 0)
        try db.close()
        try statements.expect("Closing", count: 0)
      }
    }
  }

  @Test("caching the results of a query")
  func cachedResults() async {
    await #expect(processExitsWith: .success) {
      try OwnStatements.run { statements in
        struct Place: Model {
          @PrimaryKey var id: Int
          @Column var name: String
          static var schema: Schema<Place> { CachedResults() }
        }
        let db = try Database(path: statements.path, models: [Place.self])
        statements.forget()
        let rows = #"SELECT "id", "name" FROM "Place""#
        // The first read caches nothing.
        _ = try db.fetch(Place.all)
        try statements.expect("Opening", "Reading", asked: [rows], count: 1)
        _ = try db.fetch(Place.all)
        try statements.expect("Reading", "Caching results", asked: [rows], count: 3)
        _ = try db.fetch(Place.all)
        try statements.expect(count: 0)
        try db.insert(Place(id: 1, name: "Bern"))
        statements.forget()
        let places = try db.fetch(Place.all)
        #expect(places.map(\.name) == ["Bern"])
        try statements.expect("Reading", "Caching results", asked: [rows], count: 1)
      }
    }
  }

  @Test("opening a file that is not trusted, for reading alone")
  func untrusted() async {
    await #expect(processExitsWith: .success) {
      try OwnStatements.run { statements in
        try statements.open(rows: 1).close()
        statements.forget()
        let db = try Database(path: statements.path, configuration: .untrustedFile)
        try statements.expect("Opening", count: 0)
        #expect(try db.count(Author.all) == 1)
        try statements.expect("Opening", asked: [#"SELECT count(*) FROM "Author""#], count: 1)
        try db.close()
        try statements.expect("Closing", count: 0)
      }
    }
  }

  @Test("writes from several tasks, which share a transaction")
  func sharedTransaction() async {
    await #expect(processExitsWith: .success) {
      try await OwnStatements.runAsync { statements in
        let db = try statements.open()
        try await withThrowingTaskGroup { group in
          for id in 1...40 {
            group.addTask { try await db.insert(Author(id: id, name: "Jane")) }
          }
          try await group.waitForAll()
        }
        try statements.expect(
          "Writing", asked: [#"INSERT INTO "Author" ("id", "name") VALUES (?, ?)"#])
      }
    }
  }

  @Test("the other verbs: nothing but what they say")
  func verbs() async {
    await #expect(processExitsWith: .success) {
      try OwnStatements.run { statements in
        let db = try statements.open(rows: 3)
        #expect(try db.find(Author.self, [1, 2, 9]).count == 3)
        try statements.expect(
          "Opening", "Reading", asked: [#"SELECT "id", "name" FROM "Author" WHERE …"#], count: 3)
        #expect(try db.first(Author.all) != nil && db.exists(Author.all))
        #expect(try db.table(Author.all).rows.count == 3)
        try statements.expect(
          "Opening", "Reading",
          asked: [#"SELECT "id", "name" FROM "Author"…"#, "SELECT EXISTS (…"], count: 3)
        try db.save(Author(id: 4, name: "Jim"))
        let renamed = try db.update(Author.self, 4) { $0.name = "Joe" }
        try db.update(renamed)
        #expect(try db.run(Author.update { $0.$name = "Joy" }.where { $0.$id == 4 }) == 1)
        #expect(try db.fetch(Author.delete().where { $0.$id == 4 }.returning(\.$id)) == [4])
        try statements.expect(
          "Writing",
          asked: [
            #"INSERT INTO "Author" ("id", "name") VALUES (?, ?)…"#,
            #"SELECT "id", "name" FROM "Author" WHERE "id" = ?"#,
            #"UPDATE "Author" SET "name" = …"#, #"DELETE FROM "Author" WHERE …"#,
          ], count: 6)
        #expect(try db.row("SELECT count(*) FROM Author")?[0] == 3)
        try statements.expect(
          "Opening", "Reading", asked: ["SELECT count(*) FROM Author"], count: 1)
      }
    }
  }

  @Test("functions, collations, virtual tables and listeners")
  func registrations() async {
    await #expect(processExitsWith: .success) {
      try OwnStatements.run { statements in
        func register(on db: Database) throws {
          try db.function("twice", .deterministic) { (number: Int) in number * 2 }
          try db.collation("backwards") { $1.compare($0) }
          try db.tableFunction("numbers", columns: ["number"]) { (count: Int) in
            (0..<count).map { [DatabaseValue.integer(Int64($0))] }
          }
          try db.onCommit {}
          try db.onRollback {}
          try db.onWALCommit { _ in }
          try db.onUpdate { _ in }
          try db.onProgress {}
          let author = #"INSERT INTO "Author" ("id", "name") VALUES (1, 'Jane')"#
          try db.execute(SQL(unsafe: author))
          _ = try db.rows("SELECT twice(id) FROM Author")
        }
        let asked = [
          #"INSERT INTO "Author" ("id", "name") VALUES (1, 'Jane')"#,
          "SELECT twice(id) FROM Author",
        ]
        let db = try statements.open()
        try register(on: db)
        try statements.expect("Opening", "Writing", "Listening", asked: asked, count: 3)
        let memory = try Database.inMemory(models: [Author.self])
        statements.forget()
        try register(on: memory)
        try statements.expect(asked: asked, memory: ["Writing", "Listening"], count: 3)
      }
    }
  }

  @Test("relations, plans, upserts and rows as plain structs")
  func queries() async {
    await #expect(processExitsWith: .success) {
      try OwnStatements.run { statements in
        let db = try statements.open(rows: 2)
        #expect(try db.fetch(Author.all.including(Post.all)).count == 2)
        try statements.expect(
          "Opening", "Reading", "Relations", asked: [#"SELECT "id", "name" FROM "Author"…"#],
          count: 2)
        _ = try db.explain(Author.where { $0.$id == 1 })
        try statements.expect("Opening", "Reading", "Explaining", count: 2)
        _ = try db.explain(Author.delete().where { $0.$id == 1 })
        try statements.expect("Opening", "Writing", "Explaining", count: 2)
        try db.upsert(Author(id: 1, name: "John"), onConflict: \.$id)
        try db.upsert(Author(id: 1, name: "John"), onConflict: \.$id)
        try statements.expect(
          "Writing", "Upserting",
          asked: [#"INSERT INTO "Author" ("id", "name") VALUES (?, ?) ON CONFLICT …"#], count: 3)
        let (columns, exists) = try db.read {
          (try $0.columns(ofTable: "Author"), try $0.tableExists("author"))
        }
        #expect(columns.count == 2 && exists)
        #expect(try db.read { try $0.tableDescription(of: "Author") }?.keyColumns == ["id"])
        try statements.expect("Opening", "Reading", "Looking at the schema", count: 3)
        struct Plain: Codable, Equatable {
          var id: Int
          var name: String
        }
        try db.write(Plain(id: 3, name: "Jim"), to: "Author")
        try statements.expect(
          "Writing", "Plain structs", asked: [#"INSERT INTO "Author" ("id", "name") VALUES …"#],
          count: 2)
        try db.write(Plain(id: 3, name: "Jim"), to: "Plain")
        struct Wider: Codable {
          var id: Int
          var mail: String
        }
        try db.write(Wider(id: 3, mail: "jim@example.org"), to: "Plain")
        try statements.expect(
          "Writing", "Plain structs",
          asked: [
            #"INSERT INTO "Plain" ("id", "name") VALUES …"#,
            #"INSERT INTO "Plain" ("id", "mail") VALUES …"#,
          ], count: 6)
        let plain: [Plain] = try db.fetch(from: "Author")
        #expect(plain.count == 3)
        try statements.expect(
          "Opening", "Reading", "Plain structs", asked: [#"SELECT "id", "name" FROM "Author"…"#],
          count: 2)
      }
    }
  }

  @Test("an upsert that leaves a row unchanged, by a constraint that is not the key")
  func lookups() async {
    await #expect(processExitsWith: .success) {
      try OwnStatements.run { statements in
        let db = try Database(path: statements.path, models: [Tag.self])
        try db.insert(Tag(name: "swift", size: 1))
        statements.forget()
        #expect(
          try db.upsert(Tag(name: "swift", size: 1), onConflict: \.$name).outcome == .unchanged)
        try statements.expect(
          "Writing", "Upserting",
          asked: [#"INSERT INTO "Tag" ("name", "size") VALUES (?, ?) ON CONFLICT …"#], count: 3)
      }
    }
  }

  @Test("arrays whose models refer to later ones, and integers of a table that is not STRICT")
  func arrays() async {
    await #expect(processExitsWith: .success) {
      try OwnStatements.run { statements in
        let db = try Database(path: statements.path, models: [OwnStatements.Chain.self])
        statements.forget()
        let links = (1...40).map { OwnStatements.Chain(id: $0, next: $0 < 40 ? $0 + 1 : nil) }
        try db.write { tx in try tx.insert(links) }
        let insert = #"INSERT INTO "Chain" ("id", "next") VALUES …"#
        try statements.expect(
          "Writing", "Failing", "Arrays, and integers of other programs' tables", asked: [insert])
        try db.execute("CREATE TABLE Author (id INTEGER PRIMARY KEY, name TEXT NOT NULL)")
        statements.forget()
        try db.run(Author.update { $0.$id += 1 })
        try statements.expect(
          "Writing", "Arrays, and integers of other programs' tables",
          asked: [#"UPDATE "Author" SET "id" = (SELECT CASE typeof("apus_value") …"#])
      }
    }
  }

  @Test("violated constraints, which the error names")
  func constraints() async {
    await #expect(processExitsWith: .success) {
      try OwnStatements.run { statements in
        let db = try Database(
          path: statements.path,
          models: [Author.self, Post.self, Tag.self, OwnStatements.Review.self])
        try db.insert(Author(id: 1, name: "Jane"))
        try db.insert(Post(id: 1, authorID: 1, title: "title"))
        try db.insert(Tag(name: "swift", size: 1))
        try db.execute("CREATE UNIQUE INDEX lowered ON Tag (lower(name))")
        statements.forget()
        func fails(_ asked: String..., body: () throws -> Void) throws {
          #expect(throws: DatabaseError.self) { try body() }
          try statements.expect("Writing", "Failing", asked: asked)
        }
        let insertion = #"INSERT INTO "Tag" ("name", "size") VALUES (?, ?)"#
        try fails(insertion) { try db.insert(Tag(name: "swift", size: 1)) }
        try fails(insertion) { try db.insert(Tag(name: "SWIFT", size: 1)) }
        try fails(insertion) { try db.insert(Tag(name: "c", size: 0)) }
        try fails(#"INSERT INTO "Post" …"#) {
          try db.insert(Post(id: 2, authorID: 2, title: "title"))
        }
        try fails(#"INSERT INTO "Review" …"#) {
          try db.insert(OwnStatements.Review(id: 1, authorID: 1, reviewerID: 2))
        }
        try fails(#"DELETE FROM "Author" WHERE "id" = ?"#) { try db.delete(Author.self, 1) }
        try fails("DELETE FROM Author") { try db.execute("DELETE FROM Author") }
        try fails("UPDATE Post SET authorID = 3") {
          try db.execute("UPDATE Post SET authorID = 3")
        }
        try fails("PRAGMA defer_foreign_keys = ON…", "…UPDATE Post SET authorID = 3") {
          try db.write { connection in
            try connection.execute("PRAGMA defer_foreign_keys = ON; UPDATE Post SET authorID = 3")
          }
        }
      }
    }
  }
}
