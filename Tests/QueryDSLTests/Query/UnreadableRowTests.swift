import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

@Suite("Rows that cannot be read, beside those that can")
struct UnreadableRowTests {
  enum Status: String, ColumnValue { case draft, published }

  struct Author: Codable, Equatable {
    var name: String
    var tags: [String]
  }

  struct Post: Model {
    @PrimaryKey var place: String
    @PrimaryKey var number: Int
    @Column var status: Status
    @Column var author: JSON<Author?>

    struct ID: Hashable, Sendable {
      var place: String
      var number: Int
    }
    var id: ID { ID(place: place, number: number) }

    static var schema: Schema<Post> { WithoutRowID() }
  }

  struct Note: Model {
    @PrimaryKey var id: Int
    @Column var place: String
    @Column var status: Status
  }

  let db: Database

  init() throws {
    db = try Specification.database(models: [Post.self, Note.self])
    try db.insert((1...4).map { Post(place: "a", number: $0, status: .draft, author: JSON(nil)) })
    try db.insert((1...3).map { Note(id: $0, place: "a", status: .draft) })
  }

  /// The numbers of the rows that were read, and the keys of the others.
  private func parts<Row>(
    _ results: [Result<Row, ColumnValueError>]
  ) -> (rows: [Row], keys: [[DatabaseValue]?]) {
    var rows: [Row] = []
    var keys: [[DatabaseValue]?] = []
    for result in results {
      switch result {
      case .success(let row): rows.append(row)
      case .failure(let error): keys.append(error.key)
      }
    }
    return (rows, keys)
  }

  @Test("a list has the readable rows, and for each other one its error with the key")
  func list() throws {
    try db.execute("UPDATE Post SET status = 'asleep' WHERE number IN (2, 4)")
    let results = try db.fetch(Post.order(by: \.$number).asResults())
    let (posts, keys) = parts(results)
    #expect(posts.map(\.number) == [1, 3])
    #expect(keys == [["a", 2], ["a", 4]])
    guard case .failure(let error) = results[1] else { return #expect(Bool(false)) }
    #expect(
      error.description
        == "Post.status, row with the key ('a', 2): asleep cannot be read as Status")
    #expect(error.row == 1)
    #expect(throws: ColumnValueError.self) { try db.fetch(Post.all) }
    // SELECT … FROM "Post" WHERE "number" > 3 LIMIT 1
    let first = try db.first(Post.where { $0.$number > 3 }.asResults())
    #expect(parts(first.map { [$0] } ?? []).keys == [["a", 4]])
  }

  @Test("the rows after an unreadable one are read, in tuples, joins and streams as well")
  func otherQueries() async throws {
    try await db.execute("UPDATE Note SET status = 'asleep' WHERE id = 2")
    let tuples = try await db.fetch(Note.select(\.$status, \.$id).order(by: \.$id).asResults())
    #expect(parts(tuples).rows.map(\.1) == [1, 3] && parts(tuples).keys == [[2]])
    let join = Query { (post: Columns<Post>, note: Columns<Note>) in
      From(note)
      Join(post, on: post.$place == note.$place && post.$number == note.$id)
      OrderBy(note.$id)
      Select(post, note, note.$id)
    }
    let joined = try await db.fetch(join.asResults())
    #expect(parts(joined).rows.map { $0.0.number } == [1, 3] && parts(joined).keys == [[2]])
    var streamed: [Result<Note, ColumnValueError>] = []
    for try await note in db.stream(Note.order(by: \.$id).asResults()) { streamed.append(note) }
    #expect(parts(streamed).rows.map(\.id) == [1, 3] && parts(streamed).keys == [[2]])
  }

  @Test("the error of a tuple names the key that is not selected")
  func keyOutsideTuple() async throws {
    try await db.execute("UPDATE Note SET status = 'asleep' WHERE id = 2")
    try await db.execute("UPDATE Post SET status = 'awake' WHERE number = 3")
    func key(_ body: () throws -> Void) -> [DatabaseValue]? {
      #expect(throws: ColumnValueError.self, performing: body)?.key
    }
    // SELECT "status", "place" FROM "Note" ORDER BY "place"
    let query = Note.select(\.$status, \.$place).order(by: \.$place)
    let error = await #expect(throws: ColumnValueError.self) { try await db.fetch(query) }
    #expect(
      error?.description == "Note.status, row with the key 2: asleep cannot be read as Status")
    #expect(error?.row == 1)
    #expect(key { _ = try db.fetch(query) } == [2])
    #expect(key { _ = try db.fetch(Note.select(\.$status)) } == [2])
    #expect(key { _ = try db.first(Note.where { $0.$id > 1 }.select(\.$status)) } == [2])
    #expect(key { _ = try db.fetch(Post.select(\.$status)) } == ["a", 3])
    // One row is made of several.
    #expect(key { _ = try db.fetch(Note.select(\.$status).distinct()) } == nil)
    // The closure runs once for each row.
    #expect(key { _ = try db.fetch(query.map { $0 }) } == nil)
  }

  @Test("the error of JSON names the place of the fault")
  func json() throws {
    let faults = [
      (#"{"tags":[]}"#, "there is no value at $.name"),
      (#"{"name":null,"tags":[]}"#, "there is no String at $.name, but null"),
      (#"{"name":"Jane","tags":["a",7]}"#, "the value at $.tags[1] is not of the type String"),
    ]
    for (json, detail) in faults {
      try db.execute("UPDATE Post SET author = \(json) WHERE number = 3")
      let error = #expect(throws: ColumnValueError.self) { try db.fetch(Post.all) }
      #expect(error?.detail == detail)
      #expect(error?.key == ["a", 3])
      #expect(error?.description.hasSuffix(detail) == true)
    }
    try db.execute("UPDATE Post SET author = '{\"name\"' WHERE number = 3")
    let error = #expect(throws: ColumnValueError.self) { try db.fetch(Post.all) }
    #expect(error?.detail?.hasPrefix("the value at $ is not valid") == true)
  }

  @Test("a query of results cannot be a part of another query")
  func inside() throws {
    let results = Note.all.asResults()
    #expect(throws: QueryError.self) { try db.fetch(results.union(results)) }
  }
}
