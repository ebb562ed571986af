import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

// Writers have stories, and stories have remarks and, through a table between, labels.

private struct Writer: Model, Equatable {
  @PrimaryKey var id: Int64?
  @Column var name: String
}

private struct Story: Model, Equatable {
  @PrimaryKey var id: Int
  @Column var writerID: Int64?
  @Column var editorID: Int64?
  @Column var title: String
  @Column var views = 0

  static var schema: Schema<Story> {
    ForeignKey(\.$writerID, references: \Writer.$id)
    Index(\.$writerID)
  }
}

private struct Remark: Model, Equatable {
  @PrimaryKey var id: Int
  @Column var storyID: Int
  @Column var text: String

  static var schema: Schema<Remark> { ForeignKey(\.$storyID, references: \Story.$id) }
}

private struct Label: Model, Equatable {
  @PrimaryKey var name: String
  var id: String { name }
}

private struct StoryLabel: Model, Equatable {
  struct ID: Hashable, Sendable {
    var storyID: Int
    var label: String
  }
  @PrimaryKey var storyID: Int
  @PrimaryKey var label: String
  var id: ID { ID(storyID: storyID, label: label) }

  static var schema: Schema<StoryLabel> {
    ForeignKey(\.$storyID, references: \Story.$id)
    ForeignKey(\.$label, references: \Label.$name)
  }
}

/// A tree in a single table.
private struct Folder: Model, Equatable {
  @PrimaryKey var id: Int
  @Column var parentID: Int?
  @Column var otherID: Int?

  static var schema: Schema<Folder> {
    ForeignKey(\.$parentID, references: \Folder.$id)
    ForeignKey(\.$otherID, references: \Folder.$id)
  }
}

@Suite("Included relations")
struct IncludingTests {
  let db: Database

  init() throws {
    db = try Specification.database(models: [
      Writer.self, Story.self, Remark.self, Label.self, StoryLabel.self, Folder.self,
    ])
    try db.insert([
      Writer(id: 1, name: "Jane"), Writer(id: 2, name: "Ann"), Writer(id: 3, name: "Zoe"),
    ])
    try db.insert([
      Story(id: 1, writerID: 1, editorID: 2, title: "one", views: 5),
      Story(id: 2, writerID: 2, editorID: 2, title: "two", views: 9),
      Story(id: 3, writerID: 1, title: "three", views: 7), Story(id: 4, title: "four"),
    ])
    try db.insert([
      Remark(id: 1, storyID: 3, text: "a"), Remark(id: 2, storyID: 3, text: "b"),
      Remark(id: 3, storyID: 1, text: "c"),
    ])
    try db.insert([Label(name: "red"), Label(name: "blue"), Label(name: "none")])
    try db.insert([
      StoryLabel(storyID: 1, label: "red"), StoryLabel(storyID: 1, label: "blue"),
      StoryLabel(storyID: 2, label: "red"),
    ])
  }

  /// Returns the number of statements that a connection ran.
  private func statements(_ connection: Connection, _ body: () throws -> Void) throws -> Int {
    func count() throws -> Int {
      let statistics = try connection.statementCacheStatistics
      return statistics.hits + statistics.misses
    }
    let before = try count()
    try body()
    return try count() - before
  }

  @Test("every parent comes in order with its children in their order, even if it has none")
  func children() throws {
    let query = Writer.order(by: \.$name).including(
      Story.order(by: \.$views, .descending), by: \.$writerID)
    let rows: [(Writer, [Story])] = try db.fetch(query)
    #expect(rows.map(\.0.name) == ["Ann", "Jane", "Zoe"])
    #expect(rows.map { $0.1.map(\.title) } == [["two"], ["three", "one"], []])
    let first = try #require(try db.first(query))
    #expect(first.0.name == "Ann" && first.1.count == 1)
    #expect(try db.first(Writer.where { $0.$id == 9 }.including(Story.all)) == nil)
  }

  @Test("a relation uses the only declared foreign key, or a column that is named")
  func foreignKey() throws {
    let declared = try db.fetch(Writer.order(by: \.$id).including(Story.order(by: \.$id)))
    #expect(declared.map { $0.1.map(\.id) } == [[1, 3], [2], []])
    let edited = try db.fetch(
      Writer.order(by: \.$id).including(Story.where { $0.$views > 5 }, by: \.$editorID))
    #expect(edited.map { $0.1.map(\.id) } == [[], [2], []])
  }

  @Test("a query includes several relations, and relations of the children")
  func nested() throws {
    let query = Writer.where { $0.$id < 3 }.order(by: \.$id)
      .including(
        Story.order(by: \.$id).including(Remark.order(by: \.$id, .descending)), by: \.$writerID
      )
      .including(Story.order(by: \.$id), by: \.$editorID)
    let rows: [(Writer, [(Story, [Remark])], [Story])] = try db.fetch(query)
    #expect(rows.map { $0.1.map { $0.1.map(\.text) } } == [[["c"], ["b", "a"]], [[]]])
    #expect(rows.map { $0.2.map(\.id) } == [[], [1, 2]])
    try db.read { connection in
      let count = try statements(connection) { _ = try connection.fetch(query) }
      #expect(count == 4)
    }
  }

  @Test("a relation can be many-to-many through a table between")
  func through() throws {
    let query = Story.order(by: \.$id).including(
      Label.order(by: \.$name), through: StoryLabel.self, from: \.$storyID, to: \.$label)
    #expect(
      try db.fetch(query).map { $0.1.map(\.name) } == [["blue", "red"], ["red"], [], []])
    let back = Label.order(by: \.$name).including(
      Story.where { $0.$views > 5 }, through: StoryLabel.self, from: \.$label, to: \.$storyID)
    #expect(try db.fetch(back).map { $0.1.map(\.id) } == [[], [], [2]])
  }

  @Test("a table can be related to itself")
  func itself() throws {
    try db.insert([
      Folder(id: 1), Folder(id: 2, parentID: 1), Folder(id: 3, parentID: 1),
      Folder(id: 4, parentID: 2, otherID: 1),
    ])
    let query = Folder.where { $0.$parentID == nil }.including(
      Folder.order(by: \.$id).including(Folder.all, by: \.$parentID), by: \.$parentID)
    let rows = try db.fetch(query)
    #expect(rows.map { $0.1.map { $0.0.id } } == [[2, 3]])
    #expect(rows.map { $0.1.map { $0.1.map(\.id) } } == [[[4], []]])
  }

  @Test("a relation that is not possible throws when it is fetched")
  func mistakes() throws {
    func expect(_ words: String, _ query: Including<Writer, [Story]>) {
      let error = #expect(throws: QueryError.self) { try db.fetch(query) }
      #expect(error?.message.contains(words) == true, "\(String(describing: error))")
    }
    expect("DISTINCT", Writer.all.including(Story.all.distinct()))
    expect("Story.title is String", Writer.all.including(Story.all, by: \.$title))
    #expect(throws: QueryError.self) { try db.fetch(Writer.all.including(Remark.all)) }
    // There are two foreign keys.
    #expect(throws: QueryError.self) { try db.fetch(Folder.all.including(Folder.all)) }
    // The key has two columns.
    #expect(throws: QueryError.self) {
      try db.fetch(StoryLabel.all.including(Label.all, by: \.$name))
    }
  }

  @Test("1,000 parents with 10,000 children are read by two statements")
  func statementCount() async throws {
    let db = try Specification.database(models: [Writer.self, Story.self])
    try await db.insert((1...1_000).map { Writer(id: Int64($0), name: "writer") })
    try await db.insert(
      (0..<10_000).map { Story(id: $0, writerID: Int64($0 % 1_000) + 1, title: "") })
    try await db.read { connection in
      let count = try statements(connection) {
        let rows = try connection.fetch(Writer.all.including(Story.all))
        #expect(rows.count == 1_000 && rows.allSatisfy { $0.1.count == 10 })
      }
      #expect(count == 2)
      let again = try connection.statementCacheStatistics.misses
      _ = try connection.fetch(Writer.where { $0.$id < 5 }.including(Story.all))
      #expect(try connection.statementCacheStatistics.misses == again + 1)
    }
    let rows = try await db.fetch(Writer.limit(3).including(Story.all))
    #expect(rows.map(\.1.count) == [10, 10, 10])
  }

  @Test("one statement returns parents with counts and other aggregates of their children")
  func aggregates() throws {
    let rows = try db.fetch(
      Writer.order(by: \.$id).select { writer in
        let stories = Story.where { $0.$writerID == writer.$id }
        return (
          writer, stories.select { $0.count() }.subquery().ifNull(0),
          stories.select { $0.$views.max() }.subquery()
        )
      })
    #expect(rows.map(\.0.name) == ["Jane", "Ann", "Zoe"])
    #expect(rows.map(\.1) == [2, 1, 0] && rows.map(\.2) == [7, 9, nil])
  }

  @Test("a child's value that its type cannot read throws an error that names the column")
  func badValue() throws {
    try db.execute(
      "DROP TABLE Remark; CREATE TABLE Remark (id INTEGER PRIMARY KEY, storyID, text);"
        + "INSERT INTO Remark VALUES (1, 1, 'a'), (2, 1, 7)")
    let error = #expect(throws: ColumnValueError.self) {
      try db.fetch(Story.all.including(Remark.all))
    }
    #expect(error?.table == "Remark" && error?.column == "text")
  }
}
