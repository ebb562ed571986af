import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

@Suite("Changes that columns track")
struct ColumnTests {
  struct Note: Model, Equatable, Hashable, Codable {
    @PrimaryKey var id: Int
    @Column var title: String
    @Column var text: String?
    @Column var stars: Double = 0
    @Column var tags: JSON<[String]> = []
    @Column var written: Date = Date(timeIntervalSince1970: 0)
  }

  let db: Database
  let note: Note

  init() throws {
    db = try Specification.database(models: [Note.self])
    note = try db.insert(Note(id: 1, title: "a", text: "b"))
  }

  @Test("all columns of a new value are changed, and none of a loaded or written value")
  func marks() throws {
    let new = Note(id: 2, title: "a")
    #expect(new.$id.isChanged && new.$title.isChanged && new.$text.isChanged)
    #expect(!note.$id.isChanged && !note.$title.isChanged && !note.$text.isChanged)
    let found = try #require(try db.find(Note.self, 1))
    #expect(!found.$title.isChanged && !found.$stars.isChanged)
    let fetched = try #require(try db.fetch(Note.all).first)
    #expect(!fetched.$title.isChanged && !fetched.$stars.isChanged)
  }

  @Test("copies track their changes separately")
  func copies() throws {
    var one = note
    var other = note
    one.title = "one"
    other.text = "other"
    #expect(one.$title.isChanged && !one.$text.isChanged)
    #expect(!other.$title.isChanged && other.$text.isChanged)
    #expect(!note.$title.isChanged && !note.$text.isChanged)
    try db.update(one)
    try db.update(other)
    let found = try #require(try db.find(Note.self, 1))
    #expect(found.title == "one" && found.text == "other")
  }

  @Test(
    "setting an equal value is no change, and a changed column stays changed when it is set back")
  func equalValues() throws {
    var note = note
    note.title = "a"
    note.text = "b"
    note.stars = -0.0
    note.tags = []
    note.tags.value = []
    note.written = Date(timeIntervalSince1970: 0.000_000_4)
    #expect(!note.$title.isChanged && !note.$text.isChanged && !note.$stars.isChanged)
    #expect(!note.$tags.isChanged && !note.$written.isChanged)
    note.text = nil
    #expect(note.$text.isChanged)
    note.text = "b"
    #expect(note.$text.isChanged)
  }

  @Test(
    "replacing a composed é with a decomposed one is a change, though Swift considers them equal")
  func composed() throws {
    let composed = "\u{E9}"
    let decomposed = "e\u{301}"
    var note = note
    note.title = composed
    note.tags = [composed]
    note = try db.update(note)
    note.title = decomposed
    note.tags = [decomposed]
    #expect(note.$title.isChanged && note.$tags.isChanged)
    try db.update(note)
    let found = try #require(try db.find(Note.self, 1))
    #expect(found.title.utf8.elementsEqual(decomposed.utf8))
    #expect(found.tags.value[0].utf8.elementsEqual(decomposed.utf8))
  }

  @Test("a value is rounded when it is set, so that it reads back equal")
  func canonical() throws {
    var note = note
    note.written = Date(timeIntervalSince1970: 1.000_000_4)
    note.stars = -0.0
    #expect(note.written == Date(timeIntervalSince1970: 1))
    #expect(note.stars.sign == .plus)
    try db.update(note)
    #expect(try db.find(Note.self, 1) == note)
    #expect(
      Note(id: 1, title: "", written: Date(timeIntervalSince1970: 2.000_000_4)).written
        == Date(timeIntervalSince1970: 2))
  }

  @Test("== and hash depend only on the values")
  func equality() throws {
    let new = Note(id: 1, title: "a", text: "b")
    #expect(new == note)
    #expect(new.hashValue == note.hashValue)
    #expect(Set([new, note]).count == 1)
    var changed = note
    changed.title = "x"
    changed.title = "a"
    #expect(changed.$title.isChanged && changed == note)
  }

  @Test("the description depends only on the values")
  func description() throws {
    let new = Note(id: 1, title: "a", text: "b")
    #expect("\(new)" == "\(note)")
    #expect("\(new)".contains(#"title: "a""#))
    #expect(String(reflecting: new) == String(reflecting: note))
    var dumped = ("", "")
    dump(new, to: &dumped.0)
    dump(note, to: &dumped.1)
    #expect(dumped.0 == dumped.1)
    #expect(!"\(new)\(note)".contains("mark"))
  }

  @Test("a value that is changed in place is marked as changed")
  func inPlace() throws {
    var note = note
    note.tags.value.append("swift")
    note.text?.append("c")
    #expect(note.$tags.isChanged && note.$text.isChanged && !note.$title.isChanged)
    try db.update(note)
    let found = try #require(try db.find(Note.self, 1))
    #expect(found.tags.value == ["swift"] && found.text == "bc")
  }
}
