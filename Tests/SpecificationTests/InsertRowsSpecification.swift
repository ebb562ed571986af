import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

private struct Folder: Model, Equatable {
  @PrimaryKey var id: Int64
  @Column var name: String
  @Column var parentID: Int64?
  @Column var size: Int32?
}

@Suite("INSERT of some columns of several rows")
struct InsertRowsSpecification {
  let articles: Articles
  var db: Database { articles.db }

  init() throws { articles = try Articles() }

  @Test("one statement inserts all rows, whose other columns get their defaults")
  func rows() throws {
    let insert = Article.insert(\.$code, \.$shelf, values: [("d", "D1"), ("e", nil)])
    try articles.expect(
      insert, #"INSERT INTO "Article" ("code", "shelf") VALUES (?, ?), (?, ?)"#,
      ["d", "D1", "e", .null])
    #expect(try db.run(insert) == 2)
    #expect(
      try articles.rows == Articles.all + [.make(4, "d", shelf: "D1"), .make(5, "e")])
  }

  @Test("the values have the stored forms of their columns")
  func forms() throws {
    let insert = Article.insert(
      \.$code, \.$added, values: [("d", Date(timeIntervalSince1970: 86_400))])
    try articles.expect(insert, #"INSERT INTO "Article" ("code", "added") VALUES (?, ?)"#)
    #expect(try insert.sql.values[1].storageClass == .text)
    #expect(try db.run(insert) == 1)
    #expect(try articles.rows.last == .make(4, "d", added: 86_400))
  }

  @Test("literals have the types of two to four columns, in a statement of each number")
  func literals() throws {
    let db = try Specification.database(models: [Folder.self])
    let two = Folder.insert(\.$name, \.$parentID, values: [("a", nil), ("b", 1)])
    #expect(try two.sql.text == #"INSERT INTO "Folder" ("name", "parentID") VALUES (?, ?), (?, ?)"#)
    #expect(try two.sql.values == ["a", .null, "b", 1])
    #expect(try db.run(two) == 2)
    let three = Folder.insert(\.$name, \.$parentID, \.$size, values: [("c", 2, 3)])
    #expect(
      try three.sql.text == #"INSERT INTO "Folder" ("name", "parentID", "size") VALUES (?, ?, ?)"#)
    #expect(try db.run(three) == 1)
    let four = Folder.insert(
      \.$id, \.$name, \.$parentID, \.$size, values: [(7, "d", 1, 4), (8, "e", nil, 5)])
    #expect(
      try four.sql.text == #"""
        INSERT INTO "Folder" ("id", "name", "parentID", "size") VALUES (?, ?, ?, ?), (?, ?, ?, ?)
        """#)
    #expect(try db.run(four) == 2)
    #expect(
      try db.fetch(Folder.order(by: \.$id)) == [
        Folder(id: 1, name: "a", parentID: nil, size: nil),
        Folder(id: 2, name: "b", parentID: 1, size: nil),
        Folder(id: 3, name: "c", parentID: 2, size: 3),
        Folder(id: 7, name: "d", parentID: 1, size: 4),
        Folder(id: 8, name: "e", parentID: nil, size: 5),
      ])
  }

  @Test("one column takes plain values")
  func oneColumn() throws {
    let insert = Article.insert(\.$code, values: ["d", "e"])
    try articles.expect(insert, #"INSERT INTO "Article" ("code") VALUES (?), (?)"#, ["d", "e"])
    #expect(try db.fetch(insert.returning(\.$id)) == [4, 5])
  }

  @Test("ON CONFLICT and RETURNING follow, and an upsert reports the outcome of each row")
  func conflicts() throws {
    let insert = Article.insert(\.$code, \.$stock, values: [("a", 5), ("b", 9), ("d", 1)])
      .onConflictUpdate(\.$code)
    try articles.expect(
      insert,
      #"""
      INSERT INTO "Article" ("code", "stock") VALUES (?, ?), (?, ?), (?, ?) \#
      ON CONFLICT ("code") DO UPDATE SET "stock" = excluded."stock" \#
      WHERE "Article"."stock" IS NOT excluded."stock"
      """#)
    let upserted = try db.upsert(insert)
    #expect(upserted.map(\.outcome) == [.unchanged, .updated, .inserted])
    #expect(try upserted.map { try $0.id } == [1, 2, 4])
    #expect(try db.run(insert) == 0)
    #expect(try db.fetch(insert.returning(\.$code)) == [])
    #expect(
      try db.fetch(
        Article.insert(\.$code, \.$stock, values: [("a", 6), ("f", 2)]).onConflictUpdate(\.$code)
          .returning { ($0.$code, $0.$stock) }
      ).map { "\($0.0) \($0.1)" } == ["a 6", "f 2"])
  }

  @Test("a violated constraint inserts none of the rows, and the error names the row")
  func violation() throws {
    let error = try #require(throws: DatabaseError.self) {
      try db.run(Article.insert(\.$code, values: ["d", "e", "a", "f"]))
    }
    #expect(error.constraint?.columns == ["code"])
    #expect(error.message.hasSuffix("(row 2)"), "\(error)")
    #expect(try articles.rows == Articles.all)
    try db.write { tx in
      _ = try? tx.run(Article.insert(\.$code, values: ["d", "a"]))
      try tx.run(Article.insert(\.$code, values: ["g"]))
    }
    #expect(try articles.rows.map(\.code) == ["a", "b", "c", "g"])
  }

  @Test("more values than a statement may have are inserted by several, all or none")
  func many() throws {
    try db.run(Ticket.insert(\.$id, values: (1...40_000).map { Int64($0) }))
    #expect(try db.count(Ticket.all) == 40_000)
    #expect(throws: DatabaseError.self) {
      try db.run(Ticket.insert(\.$id, values: (40_001...80_000).map { Int64($0) } + [1]))
    }
    #expect(try db.count(Ticket.all) == 40_000)
  }

  @Test("an insert without rows runs no statement")
  func none() throws {
    #expect(try db.run(Article.insert(\.$code, \.$stock, values: [])) == 0)
    #expect(try db.fetch(Article.insert(\.$code, values: []).returning()) == [])
    #expect(throws: QueryError.self) { try Article.insert(\.$code, values: []).sql }
  }

  @Test("a column that is named twice throws, and so does a value that cannot be stored")
  func refused() throws {
    #expect(throws: QueryError("the insert into Article names a column twice")) {
      try db.run(Article.insert(\.$code, \.$code, values: [("a", "b")]))
    }
    let error = #expect(throws: ColumnValueError.self) {
      try db.run(Article.insert(\.$code, \.$price, values: [("d", 1), ("e", .nan)]))
    }
    #expect(error?.column == "price")
    #expect(error?.row == 1)
  }
}
