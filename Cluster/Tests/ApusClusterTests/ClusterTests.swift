import Apus
import ApusCluster
import ApusRemote
import ClusterNodes
import Foundation
import Testing

private enum Status: String, ColumnValue { case draft, published }

private struct Author: Model, Equatable {
  @PrimaryKey var id = Unique64()
  @Column var name: String
}

private struct Post: Model, Equatable {
  @PrimaryKey var id = Unique64()
  @Column var authorID: Author.ID
  @Column var title: String
  @Column var url: URL?
  @Column var status: Status = .draft
  @Column var views = 0
  @Column var rating: Double?
  @Column var isPinned = false
  @Column var data: Data = Data([0, 1, 255])
  @Column var tags: JSON<[String]> = []
  @Column var createdAt = Date(timeIntervalSince1970: 1_700_000_000.25)

  static var schema: Schema<Post> {
    ForeignKey(\.$authorID, references: \Author.$id, onDelete: .cascade)
    Index(\.$status, \.$createdAt)
    Unique(\.$url)
  }
}

@Suite(.serialized) struct ClusterTests {
  private let db: Database

  init() throws {
    db = try Database(engine: SharedNodes.get().cluster(), models: [Author.self, Post.self])
  }

  private func posts(_ count: Int) throws -> (Author, [Post]) {
    let author = Author(name: "Ada")
    let posts = (0..<count).map { number in
      Post(authorID: author.id, title: "Post \(number)", views: number)
    }
    return (author, posts)
  }

  @Test func modelsAreWrittenAndReadAsInAFile() async throws {
    let (author, posts) = try posts(100)
    try await db.write { tx in
      try tx.insert(author)
      try tx.insert(posts)
    }
    #expect(try await db.fetch(Post.all.order(by: \.$id)) == posts)
    #expect(try await db.find(Post.self, posts[7].id) == posts[7])
    let titles = try await db.fetch(
      Post.select(\.$title).where { $0.$views > 97 && $0.$status == .draft }.order(by: \.$views))
    #expect(titles == ["Post 98", "Post 99"])
    let chosen = [posts[3].id, posts[5].id]
    #expect(try await db.fetch(Post.where { $0.$id.isIn(chosen) }).count == 2)
    try await db.run(Post.update { $0.$views += 1 }.where { $0.$title == "Post 3" })
    #expect(try await db.find(Post.self, posts[3].id)?.views == 4)
    try await db.delete(author)
    #expect(try await db.count(Post.all) == 0)
  }

  @Test func aTransactionThatThrowsIsRolledBack() async throws {
    struct Stop: Error {}
    let (author, posts) = try posts(3)
    await #expect(throws: Stop.self) {
      try await db.write { tx in
        try tx.insert(author)
        try tx.insert(posts)
        throw Stop()
      }
    }
    #expect(try await db.count(Author.all) == 0)
  }

  @Test func aViolatedConstraintIsNamed() async throws {
    var (author, posts) = try posts(2)
    posts[0].url = URL(string: "https://example.org")
    posts[1].url = posts[0].url
    do {
      try await db.write { [author, posts] tx in
        try tx.insert(author)
        try tx.insert(posts)
      }
      Issue.record("it did not throw")
    } catch let error as DatabaseError {
      #expect(error.code.primary == .constraint)
      #expect(error.constraint?.columns == ["url"])
    }
    author.name = "other"
    #expect(try await db.count(Author.all) == 0)
  }

  @Test func aTextWithAZeroByteIsRefused() async throws {
    await #expect(throws: DatabaseError.self) {
      try await db.insert(Author(name: "a\u{0}b"))
    }
    #expect(try await db.count(Author.all) == 0)
  }

  @Test func rowsAreStreamed() async throws {
    let (author, posts) = try posts(5_000)
    try await db.write { tx in
      try tx.insert(author)
      try tx.insert(posts)
    }
    var count = 0
    for try await post in db.stream(Post.all.order(by: \.$id)) {
      #expect(post == posts[count])
      count += 1
    }
    #expect(count == 5_000)
    // A stream that ends early leaves the database usable.
    for try await _ in db.stream(Post.all) { break }
    #expect(try await db.count(Post.all) == 5_000)
  }

  @Test func manyTasksWriteAtOnce() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<200 {
        group.addTask { try await db.insert(Author(name: "\(number)")) }
      }
      try await group.waitForAll()
    }
    #expect(try await db.count(Author.all) == 200)
  }

  @Test func aNodeThatIsASpareAndKnowsNoLeaderDoesNotVote() async throws {
    let nodes = try ClusterNodes(count: 2)
    defer { nodes.stop() }
    #expect(nodes.leader() == 0)
    let db = try Database(engine: nodes.cluster())
    try await db.execute("CREATE TABLE t (x); INSERT INTO t VALUES (1)")
    #expect(try await db.fetch(Int.self, "SELECT x FROM t") == [1])
  }
}
