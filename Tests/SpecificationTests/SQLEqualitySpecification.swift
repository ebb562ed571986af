import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

/// A node of a tree, whose parent may be missing.
private struct Node: Model, Equatable {
  @PrimaryKey var id: Int
  @Column var parent: Int?

  static var schema: Schema<Node> { Index(\.$parent) }
}

@Suite("SQL's own equality")
struct SQLEqualitySpecification {
  @Test("equals and notEquals leave out NULL, and so do their negations")
  func one() throws {
    let music = try Music()
    try music.expect(where: #""genre" = ?"#, [1, 4]) { $0.$genre.equals("rock") }
    try music.expect(where: #""genre" <> ?"#, [2]) { $0.$genre.notEquals("rock") }
    try music.expect(where: #""genre" IS NOT ?"#, [2, 3, 5]) { $0.$genre != "rock" }
    try music.expect(where: #"NOT "genre" = ?"#, [2]) { !$0.$genre.equals("rock") }
    try music.expect(where: #""genre" = ?"#, []) { $0.$genre.equals(nil) }
    try music.expect(where: #""genre" = "genre""#, [1, 2, 4]) { $0.$genre.equals($0.$genre) }
    try music.expect(where: #""id" = "albumID""#, [1]) { $0.$id.equals($0.$albumID) }
    try music.expect(where: #""albumID" <> "id""#, [2, 3, 5]) { $0.$albumID.notEquals($0.$id) }
    try music.expect(where: #""id" <> "albumID""#, [2, 3, 5]) { $0.$id.notEquals($0.$albumID) }
    try music.expect(where: #""title" = ?"#, [2]) { $0.$title.equals("Beta") }
  }

  @Test("a join of two optional columns leaves out NULL and uses the index")
  func join() throws {
    let db = try Specification.database(models: [Node.self])
    try db.insert([(1, nil), (2, nil), (3, 1), (4, 1), (5, 2)].map { Node(id: $0, parent: $1) })
    let siblings = Query { (one: Columns<Node>, other: Columns<Node>) in
      From(one)
      Join(other, on: one.$parent.equals(other.$parent))
      Where { one.$id < other.$id }
      Select(one.$id, other.$id)
    }
    #expect(
      try siblings.sql.text == """
        SELECT "Node"."id", "Node_2"."id" FROM "Node" JOIN "Node" AS "Node_2" \
        ON "Node"."parent" = "Node_2"."parent" WHERE "Node"."id" < "Node_2"."id"
        """)
    #expect(try db.fetch(siblings).map { [$0, $1] } == [[3, 4]])
    let plan = try db.rows("EXPLAIN QUERY PLAN \(try siblings.sql)").map {
      try $0.get(String.self, named: "detail")
    }
    #expect(plan.contains { $0.contains("Node_on_parent (parent=?") }, "\(plan)")
  }

  @Test("a left join compares a foreign key with a key, without making it optional")
  func leftJoin() throws {
    let music = try Music()
    let query = Query { (track: Columns<Track>, album: OptionalColumns<Album>) in
      From(track)
      LeftJoin(album, on: track.$albumID.equals(album.$id))
      OrderBy(track.$id)
      Select(track.$id, album.$name)
    }
    #expect(try query.sql.text.contains(#"LEFT JOIN "Album" ON "Track"."albumID" = "Album"."id""#))
    #expect(try music.db.fetch(query).map(\.1) == ["One", "One", "Two", nil, nil])
    let inner = Query { (track: Columns<Track>, album: Columns<Album>) in
      From(track)
      Join(album, on: track.$albumID.equals(album.$id) && album.$id.equals(track.$albumID))
      OrderBy(track.$id)
      Select(track.$id)
    }
    #expect(try music.db.fetch(inner) == [1, 2, 3])
  }

  @Test("== compares an optional column with one that is not, as Swift does")
  func mixed() throws {
    let music = try Music()
    try music.expect(where: #""albumID" IS "id""#, [1]) { $0.$albumID == $0.$id }
    try music.expect(where: #""id" IS "albumID""#, [1]) { $0.$id == $0.$albumID }
    try music.expect(where: #""albumID" IS NOT "id""#, [2, 3, 4, 5]) { $0.$albumID != $0.$id }
    try music.expect(where: #""id" IS NOT "albumID""#, [2, 3, 4, 5]) { $0.$id != $0.$albumID }
    try music.expect(where: #""albumID" IS NULL"#, [4]) { $0.$albumID == nil }
    let query = Query { (track: Columns<Track>, album: OptionalColumns<Album>) in
      From(track)
      LeftJoin(album, on: track.$id == album.$id)
      OrderBy(track.$id)
      Select(album.$name)
    }
    #expect(try music.db.fetch(query) == ["One", "Two", nil, "Four", nil])
    let plan = try music.plan(of: query)
    #expect(plan.contains { $0.contains("SEARCH Album USING INTEGER PRIMARY KEY") }, "\(plan)")
  }

  @Test("columns in different forms are refused")
  func forms() throws {
    let query = Tour.where { $0.$begin.equals($0.$announced) }
    #expect(throws: QueryError.self) { try query.sql }
    #expect(
      try Tour.where { $0.$announced.equals($0.$end) }.sql.text.hasSuffix(
        #"WHERE "announced" = "end""#))
  }
}
