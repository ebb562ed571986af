import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

@Suite("A loaded model whose key was changed")
struct ChangedKeyTests {
  struct Post: Model, Equatable {
    @PrimaryKey var id: Int
    @Column var title: String
  }

  struct Note: Model, Equatable {
    @PrimaryKey var id: Int64?
    @Column var text: String
    @Column var slug: String
    static var schema: Schema<Note> { Unique(\.$slug) }
  }

  struct Member: Model, Equatable {
    struct ID: Hashable, Sendable { var person: Int; var group: Int }
    @PrimaryKey var person: Int
    @PrimaryKey var group: Int
    @Column var role: String
    var id: ID { ID(person: person, group: group) }
  }

  let db: Database

  init() throws {
    db = try Specification.database(models: [Post.self, Note.self, Member.self])
    try db.insert([Post(id: 1, title: "one"), Post(id: 2, title: "two")])
    try db.insert([Note(id: 1, text: "a", slug: "a"), Note(id: 2, text: "b", slug: "b")])
    try db.insert([Member(person: 1, group: 1, role: "r"), Member(person: 1, group: 2, role: "s")])
  }

  private func expectUnchanged() throws {
    #expect(
      try db.fetch(Post.order(by: \.$id))
        == [Post(id: 1, title: "one"), Post(id: 2, title: "two")])
    #expect(try db.fetch(Note.order(by: \.$id)).map(\.text) == ["a", "b"])
    #expect(try db.fetch(Member.all).map(\.role) == ["r", "s"])
  }

  /// Returns the model of row 1 with its key set to 2.
  private func moved() throws -> Post {
    var post = try #require(try db.read { try $0.find(Post.self, 1) })
    post.id = 2
    return post
  }

  @Test("update, save and delete refuse a model whose key was changed, and write no row")
  func refused() throws {
    var post = try moved()
    let error = #expect(throws: KeyChanged.self) { try db.update(post) }
    #expect(error?.table == "Post")
    #expect(error?.columns == ["id"])
    #expect(
      error?.description == #"""
        Post: the key (id) was changed after the model was loaded, so it is now the key of \#
        another row; to move the row, run `Post.update { $0.$id = new }.where { \#
        $0.$id == old }`; to store a copy, `insert` the model
        """#)
    post.title = "every column is changed"
    #expect(throws: KeyChanged.self) { try db.update(post) }
    #expect(throws: KeyChanged.self) { try db.update([post]) }
    #expect(throws: KeyChanged.self) { try db.save(post) }
    #expect(throws: KeyChanged.self) { try db.save([post]) }
    #expect(throws: KeyChanged.self) { try db.delete(post) }
    try db.write { tx in
      #expect(throws: KeyChanged.self) { try tx.update(post) }
      #expect(throws: KeyChanged.self) { try tx.delete(post) }
    }
    #expect(throws: KeyChanged.self) {
      try db.update(Post.self, 1) { $0 = Post(id: 2, title: "other") }
    }
    try expectUnchanged()
  }

  @Test("the asynchronous update, save and delete refuse a model whose key was changed")
  func refusedAsynchronously() async throws {
    let post = try moved()
    await #expect(throws: KeyChanged.self) { try await db.update(post) }
    await #expect(throws: KeyChanged.self) { try await db.update([post]) }
    await #expect(throws: KeyChanged.self) { try await db.save(post) }
    await #expect(throws: KeyChanged.self) { try await db.delete(post) }
    try expectUnchanged()
  }

  @Test("changing one column of a composite key is enough to be refused")
  func composite() throws {
    var member = try #require(try db.find(Member.self, Member.ID(person: 1, group: 1)))
    member.group = 2
    let error = #expect(throws: KeyChanged.self) { try db.save(member) }
    #expect(error?.columns == ["group"])
    try expectUnchanged()
  }

  @Test("update by key names the columns of the key in which another model differs")
  func replaced() throws {
    let error = #expect(throws: KeyChanged.self) {
      try db.update(Member.self, Member.ID(person: 1, group: 1)) {
        $0 = Member(person: 1, group: 3, role: "t")
      }
    }
    #expect(error?.columns == ["group"])
    try expectUnchanged()
  }

  @Test(
    "an upsert refuses a changed key if its conflict target is the key, and accepts it otherwise")
  func upsert() throws {
    var note = try #require(try db.find(Note.self, 1))
    note.id = 2
    #expect(throws: KeyChanged.self) { try db.upsert(note, onConflict: \.$id) }
    #expect(throws: KeyChanged.self) {
      try db.run(Note.insert([note]).onConflictUpdate(\.$id) { $0.$text = $0.new.$text })
    }
    #expect(throws: KeyChanged.self) {
      try db.fetch(Note.insert(note).onConflictUpdate(\.$id).returning())
    }
    try expectUnchanged()
    // DO NOTHING updates no row by its key.
    #expect(try db.run(Note.insert(note).onConflictDoNothing(\.$id)) == 0)
    let upserted = try db.upsert(note, onConflict: \.$slug)
    #expect(try upserted.id == 1)
  }

  @Test("preparing an upsert refuses a changed key where the upsert itself would")
  func preparedUpsert() throws {
    let loaded = try #require(try db.find(Note.self, 1))
    var note = loaded
    note.id = 2
    let changed = note
    #expect(throws: KeyChanged.self) {
      try db.prepare { Note.insert(changed).onConflictUpdate(\.$id) }
    }
    #expect(throws: KeyChanged.self) {
      try db.prepare { Note.insert(changed).onConflictUpdate(\.$id).returning() }
    }
    let kept = try db.prepare { Note.insert(changed).onConflictDoNothing(\.$id) }
    let found = try db.run(kept())
    #expect(found == 0)
    try expectUnchanged()
    let put = try db.prepare {
      Note.insert(loaded).onConflictUpdate(\.$id) { $0.$text = "c" }
    }
    let found2 = try db.run(put())
    #expect(found2 == 1)
    let found3 = try db.find(Note.self, 1)?.text
    #expect(found3 == "c")
  }

  @Test("insert stores a model with a changed key as a new row and returns that row's model")
  func insert() throws {
    var post = try #require(try db.find(Post.self, 1))
    post.id = 3
    var copy = try db.insert(post)
    copy.title = "three"
    try db.update(copy)
    #expect(try db.find(Post.self, 3)?.title == "three")
    #expect(throws: DatabaseError.self) { try db.insert(Post(id: 2, title: "there already")) }
    var note = try #require(try db.find(Note.self, 1))
    (note.id, note.slug) = (nil, "c")
    #expect(try db.save(note).id == 3)
  }

  @Test("a model that was never loaded updates the row of its key; setting the same key is allowed")
  func fresh() throws {
    try db.update(Post(id: 2, title: "TWO"))
    var made = Post(id: 7, title: "one again")
    made.id = 1
    try db.save(made)
    #expect(try db.fetch(Post.order(by: \.$id)).map(\.title) == ["one again", "TWO"])
    var post = try #require(try db.find(Post.self, 1))
    post.id = 1
    post.title = "uno"
    try db.update(post)
    #expect(try db.delete(post))
  }
}
