import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

private enum Status: String, ColumnValue { case draft, published }

private struct Note: Model, Equatable {
  @PrimaryKey var id: Int
  @Column var title: String
  @Column var subtitle: String?
  @Column var status: Status
  @Column var views: Int
  @Column var rating: Double?
  @Column var isDone: Bool
  @Column var isHidden: Bool?
  @Column var tags: JSON<[String]>
}

@Suite("Assignments of values")
struct AssignmentSpecification {
  @Test("a key path in a variable names a column")
  func keyPaths() throws {
    let texts: [KeyPath<Note, ColumnReference<String>>] = [\.$title]
    let numbers: [KeyPath<Note, ColumnReference<Int>>] = [\.$views]
    let update = Note.update {
      for path in texts { $0[dynamicMember: path] = "x" }
      for path in numbers { $0[dynamicMember: path] += 2 }
    }
    #expect(try update.sql.text == #"UPDATE "Note" SET "title" = ?, "views" = "views" + ?"#)
    #expect(try db.run(update) == 1)
    let found = try db.fetch(Note.all)
    #expect(found.map(\.title) == ["x"] && found.map(\.views) == [5])
  }

  private let db: Database
  private let note = Note(
    id: 1, title: "a", subtitle: "b", status: .draft, views: 3, rating: 1.5, isDone: false,
    isHidden: nil, tags: [])

  init() throws {
    db = try Specification.database(models: [Note.self])
    try db.insert(note)
  }

  private func expect(
    _ sql: String, sourceLocation: SourceLocation = #_sourceLocation,
    _ assign: (inout Assignments<Note>) -> Void, _ change: (inout Note) -> Void
  ) throws {
    let update = Note.update(assign)
    #expect(try update.sql.text == #"UPDATE "Note" SET "# + sql, sourceLocation: sourceLocation)
    #expect(try db.run(update) == 1, sourceLocation: sourceLocation)
    var expected = note
    change(&expected)
    #expect(try db.fetch(Note.all) == [expected], sourceLocation: sourceLocation)
  }

  @Test("literals and variables are assigned to columns")
  func values() throws {
    let title = "y"
    let count = 7
    try expect(#""title" = ?, "status" = ?, "views" = ?, "isDone" = ?, "tags" = ?"#) {
      $0.$title = "x"
      $0.$status = .published
      $0.$views = 5
      $0.$isDone = true
      $0.$tags = ["a"]
    } _: {
      ($0.title, $0.status, $0.views, $0.isDone, $0.tags) = ("x", .published, 5, true, ["a"])
    }
    try db.run(Note.delete())
    try db.insert(note)
    try expect(#""title" = ?, "views" = ?"#) {
      $0.$title = title
      $0.$views = count + 1
    } _: {
      ($0.title, $0.views) = ("y", 8)
    }
  }

  @Test("an expression that is never NULL is assigned to an optional column")
  func neverNullToOptional() throws {
    try expect(#""subtitle" = "title", "rating" = CAST("views" AS REAL) * ?"#) {
      $0.$subtitle = $0.$title
      $0.$rating = $0.$views.cast(to: Double.self) * 2
    } _: {
      ($0.subtitle, $0.rating) = ("a", 6)
    }
    try db.run(Note.delete())
    try db.insert(note)
    try expect(#""subtitle" = upper("title") || ?, "isHidden" = "isDone""#) {
      $0.$subtitle = $0.$title.upper().concat("!")
      $0.$isHidden = $0.$isDone
    } _: {
      ($0.subtitle, $0.isHidden) = ("A!", false)
    }
  }

  @Test("nil, a value and an optional variable are assigned to optional columns")
  func optionals() throws {
    let subtitle: String? = "c"
    let rating: Double? = nil
    try expect(#""subtitle" = ?, "rating" = ?, "isHidden" = ?"#) {
      $0.$subtitle = nil
      $0.$rating = 2.5
      $0.$isHidden = true
    } _: {
      ($0.subtitle, $0.rating, $0.isHidden) = (nil, 2.5, true)
    }
    try db.run(Note.delete())
    try db.insert(note)
    try expect(#""subtitle" = ?, "rating" = ?"#) {
      $0.$subtitle = subtitle
      $0.$rating = rating
    } _: {
      ($0.subtitle, $0.rating) = ("c", nil)
    }
  }

  @Test("a column is changed in place by +=, -= and toggle()")
  func inPlace() throws {
    let step = 2
    try expect(
      """
      "title" = "title" || ?, "views" = "views" - ?, "isDone" = NOT ("isDone"), \
      "isHidden" = NOT ("isHidden")
      """
    ) {
      $0.$title += " 2"
      $0.$views -= step
      $0.$isDone.toggle()
      $0.$isHidden.toggle()
    } _: {
      ($0.title, $0.views, $0.isDone) = ("a 2", 1, true)
    }
    try db.run(Note.delete())
    try db.insert(note)
    try expect(
      #""title" = "title" || "title", "subtitle" = "subtitle" || ?, "views" = "views" + ?"#
    ) {
      $0.$title += $0.$title
      $0.$subtitle += "!"
      $0.$views += step
    } _: {
      ($0.title, $0.subtitle, $0.views) = ("aa", "b!", 5)
    }
  }

  @Test("an insert and an upsert take the same assignments")
  func others() throws {
    let insert = Note.insert {
      $0.$id = 2
      $0.$title = "z"
      $0.$status = .draft
      $0.$views = 0
      $0.$isDone = false
      $0.$tags = []
      $0.$rating = nil
    }
    #expect(
      try insert.sql.text == """
        INSERT INTO "Note" ("id", "title", "status", "views", "isDone", "tags", "rating") \
        VALUES (?, ?, ?, ?, ?, ?, ?)
        """)
    try db.run(insert)
    #expect(try db.fetch(Note.select(\.$title).order(by: \.$id)) == ["a", "z"])
    try db.upsert(note, onConflict: \.$id) { row in
      row.$title = "old"
      row.$views += row.new.$views
    }
    #expect(try db.first(Note.select(\.$title, \.$views))?.0 == "old")
  }

  @Test("nil in a variable, for a column that is never NULL, throws before any SQL runs")
  func neverNull() throws {
    let title: String? = nil
    let error = #expect(throws: QueryError.self) { try db.run(Note.update { $0.$title = title }) }
    #expect(error?.message.hasPrefix("Note: title is set to nil, but it is never NULL") == true)
  }
}
