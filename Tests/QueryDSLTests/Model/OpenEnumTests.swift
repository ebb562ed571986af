import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

@Suite("Open enumerations, which keep raw values that they do not know")
struct OpenEnumTests {
  enum Status: String, ColumnValue, Codable { case draft, published }
  enum Level: Int, ColumnValue { case low = 1, high }

  struct Post: Model, Equatable {
    @PrimaryKey var id: Int
    @Column var status: OpenEnum<Status>
    @Column var level: OpenEnum<Level>?
  }

  struct ClosedPost: Model {
    static let tableName = "Post"
    @PrimaryKey var id: Int
    @Column var status: Status
    @Column var level: Level?
  }

  let db: Database

  init() throws {
    db = try Specification.database(models: [ClosedPost.self])
    try db.insert([
      ClosedPost(id: 1, status: .draft, level: .high),
      ClosedPost(id: 2, status: .published, level: nil),
    ])
    try db.execute("INSERT INTO Post VALUES (3, 'archived', 9)")
  }

  @Test("a property becomes an open enumeration, and an enumeration again, without a migration")
  func migration() throws {
    #expect(try db.migrationPlan(for: [Post.self]).steps.isEmpty)
    let checked = MigrationOptions(checksValues: true)
    #expect(try db.migrationPlan(for: [Post.self], checked).steps.isEmpty)
    #expect(try db.migrationPlan(for: [ClosedPost.self]).steps.isEmpty)
    #expect(try db.migrationPlan(for: [ClosedPost.self], checked).refusals.count == 2)
  }

  @Test("known and unknown raw values are read, and written back unchanged")
  func reading() throws {
    var posts = try db.fetch(Post.order(by: \.$id))
    #expect(posts.map(\.status) == [.known(.draft), .known(.published), .unknown("archived")])
    #expect(posts.map(\.level) == [.known(.high), nil, .unknown(9)])
    #expect(posts.map(\.status.known) == [.draft, .published, nil])
    posts[2].level = .known(.low)
    posts[2] = try db.update(posts[2])
    #expect(try db.row("SELECT status, level FROM Post WHERE id = 3")?.values == ["archived", 1])
    posts[0].status = posts[2].status
    posts[0] = try db.update(posts[0])
    #expect(try db.row("SELECT status FROM Post WHERE id = 1")?.values == ["archived"])
    #expect(throws: ColumnValueError.self) { try db.fetch(ClosedPost.all) }
  }

  @Test("predicates compare with cases and with raw values")
  func predicates() throws {
    // WHERE "status" = 'draft'
    #expect(try db.fetch(Post.where { $0.$status == .known(.draft) }).map(\.id) == [1])
    // WHERE "status" = 'archived'
    #expect(try db.fetch(Post.where { $0.$status == .unknown("archived") }).map(\.id) == [3])
    #expect(try db.fetch(Post.where { $0.$status != .known(.draft) }).map(\.id) == [2, 3])
    #expect(
      try db.fetch(Post.where { $0.$status.isIn([.known(.draft), .unknown("archived")]) })
        .map(\.id) == [1, 3])
    #expect(try db.fetch(Post.where { $0.$level == .unknown(9) }).map(\.id) == [3])
    try db.run(Post.update { $0.$status = .unknown("gone") }.where { $0.$level == nil })
    #expect(try db.find(Post.self, 2)?.status == .unknown("gone"))
  }

  @Test("a raw value of a case equals the case, and setting it changes nothing")
  func equality() throws {
    let unknown = OpenEnum<Status>.unknown("draft")
    #expect(unknown == .known(.draft) && unknown.known == .draft)
    #expect(Set([unknown, .known(.draft), .unknown("gone")]).count == 2)
    var post = try #require(try db.find(Post.self, 1))
    post.status = unknown
    #expect(post.changedColumns.isEmpty)
    #expect("\(OpenEnum<Status>.known(.draft)) \(OpenEnum<Status>.unknown("gone"))" == "draft gone")
  }

  @Test("it is coded as its raw value")
  func coding() throws {
    let values: [OpenEnum<Status>] = [.known(.draft), .unknown("archived")]
    let json = try JSONEncoder().encode(values)
    #expect(String(decoding: json, as: UTF8.self) == #"["draft","archived"]"#)
    #expect(try JSONDecoder().decode([OpenEnum<Status>].self, from: json) == values)
  }
}
