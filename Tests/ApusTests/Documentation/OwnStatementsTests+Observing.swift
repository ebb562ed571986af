import Apus
import Foundation
import TestRun
import Testing

extension OwnStatementsTests {
  private static let insertion = #"INSERT INTO "Author" ("id", "name") VALUES (?, ?)"#

  @Test("observing a query that is maintained", .needs(.preUpdateHook))
  func maintained() async {
    await #expect(processExitsWith: .success) {
      try await OwnStatements.runAsync { statements in
        let db = try statements.open()
        var results = db.observe(Author.all).makeAsyncIterator()
        #expect(try await results.next()?.count == 0)
        try await db.insert(Author(id: 1, name: "Jane"))
        #expect(try await results.next()?.count == 1)
        try statements.expect(
          "Opening", "Reading", "Writing", "Observing",
          asked: [
            // With the key of the table, in its order.
            #"SELECT "id", "name", "id" FROM "Author" ORDER BY "id""#,
            OwnStatementsTests.insertion,
          ], memory: ["Opening", "Observing in memory"])
      }
    }
  }

  @Test("observing a join, and groups that are calculated again", .needs(.preUpdateHook))
  func maintainedInReader() async {
    await #expect(processExitsWith: .success) {
      try await OwnStatements.runAsync { statements in
        let db = try statements.open()
        try await db.execute("CREATE INDEX posts ON Post (authorID)")
        statements.forget()
        var rows = db.observe(
          Query { (post: Columns<OwnStatements.Post>, author: Columns<Author>) in
            From(post)
            Join(author, on: post.$authorID == author.$id)
            Select(post.$title, author.$name)
          }
        ).makeAsyncIterator()
        var groups = db.observe(
          Author.group(by: \.$id).select { ($0.$id, $0.$name.count(distinct: true)) }
        ).makeAsyncIterator()
        #expect(try await rows.next()?.count == 0)
        #expect(try await groups.next()?.count == 0)
        for id in 1...3 {
          try await db.insert(Author(id: id, name: "Jane"))
          try await db.insert(OwnStatements.Post(id: id, authorID: id, title: "A"))
          while try await rows.next()?.count != id {}
          while try await groups.next()?.count != id {}
        }
        try statements.expect(
          "Opening", "Reading", "Writing", "Observing",
          asked: [
            #"SELECT "Post"."title", "Author"."name", "Post"."id", "Author"."id" FROM "Post" JOIN …"#,
            #"SELECT "id", count(DISTINCT "name"), "id", …"#, OwnStatementsTests.insertion,
            #"INSERT INTO "Post" …"#,
          ], memory: ["Opening", "Observing in memory"])
      }
    }
  }

  @Test("observing queries that run again: raw SQL and a closure")
  func runAgain() async {
    await #expect(processExitsWith: .success) {
      try await OwnStatements.runAsync { statements in
        let db = try statements.open()
        var counts = db.observe(sql: "SELECT count(*) FROM Author").makeAsyncIterator()
        #expect(try await counts.next()?.count == 1)
        var values = db.observe { try $0.exists(Author.all) }.makeAsyncIterator()
        #expect(try await values.next() == false)
        try await db.insert(Author(id: 1, name: "Jane"))
        #expect(try await counts.next()?.count == 1)
        #expect(try await values.next() == true)
        try statements.expect(
          "Opening", "Reading", "Writing", "Observing",
          asked: [
            "SELECT count(*) FROM Author", #"SELECT EXISTS (…"#, OwnStatementsTests.insertion,
          ], memory: ["Opening", "Observing in memory"])
      }
    }
  }

  @Test("changes, with and without a condition", .needs(.preUpdateHook))
  func changes() async {
    await #expect(processExitsWith: .success) {
      try await OwnStatements.runAsync { statements in
        let db = try statements.open()
        let all = db.changes(of: Author.self)
        let some = db.changes(of: Author.self) { $0.$name == "Jane" }
        var iterator = all.makeAsyncIterator()
        var filtered = some.makeAsyncIterator()
        try await db.insert(Author(id: 1, name: "Jane"))
        #expect(await iterator.next()?.rows.count == 1)
        #expect(await filtered.next()?.rows.count == 1)
        try statements.expect(
          "Opening", "Reading", "Writing", "Observing", asked: [OwnStatementsTests.insertion],
          memory: ["Opening", "Observing in memory"])
      }
    }
  }

  @Test("observing a row while the schema changes, and while another connection writes")
  func schemaChange() async {
    await #expect(processExitsWith: .success) {
      try await OwnStatements.runAsync { statements in
        let db = try statements.open(rows: 1)
        var results = db.observe(Author.where { $0.$id == 1 }).makeAsyncIterator()
        #expect(try await results.next()?.count == 1)
        let asked = [#"SELECT "id", "name", "id" FROM "Author" WHERE "id" = ?…"#]
        try statements.expect(
          "Opening", "Reading", "Observing", asked: asked,
          memory: ["Opening", "Observing in memory"])
        try await db.execute("ALTER TABLE Author ADD COLUMN mail TEXT")
        try await db.update(Author.self, 1) { $0.name = "John" }
        #expect(try await results.next()?.first?.name == "John")
        statements.forget()
        // Another connection commits.
        let other = try Connection(path: statements.path)
        try other.execute("UPDATE Author SET name = 'Jim'")
        #expect(try await results.next()?.first?.name == "Jim")
        try statements.expect(
          "Opening", "Reading", "Observing", asked: asked + ["UPDATE Author SET name = 'Jim'"],
          memory: ["Opening", "Observing in memory"])
      }
    }
  }
}
