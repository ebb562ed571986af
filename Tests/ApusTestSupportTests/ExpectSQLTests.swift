import Apus
import ApusTestSupport
import Testing

private struct Item: Model {
  @PrimaryKey var id: Int
  @Column var title: String
}

@Suite("Expected SQL of a query")
struct ExpectSQLTests {
  @Test("queries, commands and RETURNING match, whatever their line breaks")
  func matching() throws {
    try expectSQL(
      of: Item.where { $0.$title == "a" }.select(\.$id),
      """
      SELECT "id"
      FROM "Item"
        WHERE "title" = ?
      """, ["a"])
    try expectSQL(
      of: Item.update { $0.$title = $0.$title.concat("x") },
      #"UPDATE "Item" SET "title" = "title" || ?"#, ["x"])
    try expectSQL(
      of: Item.delete().where { $0.$id > 1 }.returning(\.$id),
      #"DELETE FROM "Item" WHERE "id" > ? RETURNING "id""#)
  }

  @Test("a difference throws with both texts and the place where they differ")
  func differing() throws {
    let error = #expect(throws: UnexpectedSQL.self) {
      try expectSQL(of: Item.select(\.$id), #"SELECT "ID" FROM "Item""#)
    }
    let lines = error.map { $0.description.split(separator: "\n") } ?? []
    #expect(lines.count == 4)
    #expect(lines.last?.count == "  expected ".count + #"SELECT ""#.count + 1)
    #expect(lines.first?.contains("ExpectSQLTests.swift:") == true)
    let values = #expect(throws: UnexpectedSQL.self) {
      try expectSQL(
        of: Item.where { $0.$id == 1 }.select(\.$id), #"SELECT "id" FROM "Item" WHERE "id" = ?"#,
        [2])
    }
    #expect(values?.description.contains("the values differ") == true)
    #expect(values?.foundValues == [1])
  }

  @Test("space inside quotation marks is significant")
  func quoted() throws {
    let query = Item.select { $0.$title.as("a  b") }
    try expectSQL(of: query, #"SELECT "title"  AS "a  b" FROM "Item""#)
    #expect(throws: UnexpectedSQL.self) {
      try expectSQL(of: query, #"SELECT "title" AS "a b" FROM "Item""#)
    }
  }

  @Test("a query that cannot be rendered throws its own error")
  func invalid() {
    #expect(throws: QueryError.self) {
      try expectSQL(of: Item.limit(-1), "SELECT 1")
    }
  }
}
