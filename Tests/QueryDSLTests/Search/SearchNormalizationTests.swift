import Foundation
import QueryDSL
import SchemaMigration
import TestRun
import Testing

@testable import QueryFixtures
@testable import SQLCore

@Suite("Full-text search and the normal forms of Unicode")
struct SearchNormalizationTests {
  private struct Plain: Model {
    @PrimaryKey var id: Int
    @Column var text: String
    static var schema: Schema<Plain> { FullText(\.$text) }
  }

  private struct Kept: Model {
    @PrimaryKey var id: Int
    @Column var text: String
    static var schema: Schema<Kept> {
      FullText(\.$text, tokenizer: .normalized(.unicode(diacritics: .kept)))
    }
  }

  @Test("by default, letters with accents are found in both forms, whoever wrote the rows")
  func folded() throws {
    let db = try Specification.database(models: [Plain.self])
    try db.insert(Plain(id: 1, text: "Café"))
    try db.execute("INSERT INTO Plain VALUES (2, \("Cafe\u{301}"))")
    for text in ["café", "cafe\u{301}", "cafe", "CAFÉ", "caf"] {
      #expect(try db.fetch(Plain.search(text).order(by: \.$id)).map(\.id) == [1, 2], "\(text)")
    }
  }

  @Test("a normalized index finds both forms of every letter, and keeps letters apart that differ")
  func normalized() throws {
    let db = try Specification.database(models: [Kept.self])
    let pairs = [
      ("é", "e\u{301}"), ("한국", "\u{1112}\u{1161}\u{11AB}\u{1100}\u{116E}\u{11A8}"),
      ("が", "か\u{3099}"), ("ệ", "e\u{323}\u{302}"), ("Å", "\u{212B}"),
    ]
    for (index, (composed, decomposed)) in pairs.enumerated() {
      try db.insert(Kept(id: 2 * index, text: "x \(composed) y"))
      try db.insert(Kept(id: 2 * index + 1, text: "x \(decomposed) y"))
      for text in [composed, decomposed] {
        let found = Kept.search(.words(text)).order(by: \.$id).select(\.$id)
        #expect(try db.fetch(found) == [2 * index, 2 * index + 1], "\(text)")
      }
    }
    #expect(try db.fetch(Kept.search("e ")).isEmpty)
    #expect(try db.fetch(Kept.search("か ")).isEmpty)
    #expect(try db.checkSearchIndex(of: Kept.self))
    // The text is stored as it was written.
    #expect(try db.find(Kept.self, 1)?.text.utf8.count == "x e\u{301} y".utf8.count)
  }

  @Test("ranges and snippets of a normalized index stand in the text as it was written")
  func ranges() throws {
    let db = try Specification.database(models: [Kept.self])
    let text = "Le cafe\u{301} noir, e\u{301}te\u{301}, か\u{3099}っこう; fin"
    try db.insert(Kept(id: 1, text: text))
    for (word, found) in [
      ("café", "cafe\u{301}"), ("été", "e\u{301}te\u{301}"), ("がっこう", "か\u{3099}っこう"),
      ("fin", "fin"), ("noir", "noir"),
    ] {
      let hit = try #require(
        try db.first(Kept.search(word).selectHit { _, hit in hit.highlight(of: \.$text) }))
      #expect(hit.text.utf8.elementsEqual(text.utf8))
      #expect(hit.ranges.map { Array(hit.text[$0].utf8) } == [Array(found.utf8)], "\(word)")
    }
  }

  @Test("a word that is a part of a character is marked as in a text that needs no normal form")
  func partsOfCharacters() throws {
    let db = try Specification.database(models: [Kept.self])
    // The letter at the end makes the normal form another text.
    for (id, (word, text, found)) in [
      ("1", "step 1\u{FE0F}\u{20E3} of 10", "1"),
      ("é", "e\u{301}\u{20E3}", "e\u{301}"),
      // Two letters that the normal form takes apart are one character for Swift.
      ("\u{915}", "\u{958}\u{94D}\u{958}", "\u{958}\u{94D}"),
      ("1", "\u{958} 1\u{FE0F}\u{20E3}", "1"),
    ].enumerated() {
      let text = text + " cafe\u{301}"
      try db.insert(Kept(id: id, text: text))
      let query = Kept.search(.words(word)).where { $0.$id == id }
      let hit = try #require(
        try db.first(query.selectHit { _, hit in hit.highlight(of: \.$text) }))
      #expect(hit.text.utf8.elementsEqual(text.utf8))
      let ranges = hit.ranges.map { Array(hit.text[$0].utf8) }
      #expect(ranges.first == Array(found.utf8), "\(text)")
      #expect(ranges.count == (id == 2 ? 2 : 1), "\(text)")
      let snippet = try #require(
        try db.first(query.selectHit { _, hit in hit.snippet(of: \.$text, words: 8) }))
      #expect(snippet == hit)
    }
  }

  @Test("a program without the tokenizer can neither search nor write, and may register it")
  func otherProgram() throws {
    let path = NSTemporaryDirectory() + "/apus-\(UUID().uuidString).sqlite"
    defer {
      for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) }
    }
    do {
      let db = try Database(path: path, models: [Kept.self])
      try db.insert(Kept(id: 1, text: "é"))
      #expect(try db.migrationPlan(for: [Kept.self]).isEmpty)
    }
    let other = try Database(path: path)
    #expect(throws: DatabaseError.self) { try other.execute("INSERT INTO Kept VALUES (2, 'a')") }
    try other.register(.normalizingTokenizer)
    try other.execute("INSERT INTO Kept VALUES (2, \("e\u{301}"))")
    #expect(try Library.keys(other, "é", in: "Kept_search") == [1, 2])
  }

  /// From 3.44 on, SQLite's check of a copy needs the tokenizers of its tables.
  @Test("snapshots, copies and their checks have the tokenizer")
  func copies() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "apus-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let db = try Specification.database(models: [Kept.self])
    try db.insert(Kept(id: 1, text: "cafe\u{301}"))
    let found = try db.makeSnapshot().count(Kept.search("café"))
    #expect(found == 1)
    let paths = ["backup", "vacuum"].map { folder.appending(path: $0).path }
    try db.backup(to: paths[0])
    try db.vacuum(into: paths[1])
    for path in paths {
      let found2 = try Database(path: path, models: [Kept.self]).count(Kept.search("café"))
      #expect(found2 == 1)
    }
    let other = try Database.temporary()
    try other.register(.normalizingTokenizer)
    try db.backup(to: other)
    let found3 = try Library.keys(other, "café", in: "Kept_search")
    #expect(found3 == [1])
  }

  @Test("the places of a normal form are those of the same characters in the source")
  func places() {
    let seed = TestSeed.draw()
    var random = SeededGenerator(seed: seed)
    let pieces = [
      "a", "é", "e\u{301}", "か\u{3099}", "\u{1112}\u{1161}", "👩‍👩‍👧", " ", "\u{301}", "\r\n",
      "1\u{FE0F}\u{20E3}", "\u{20E3}", "\u{958}", "\u{94D}", "q\u{307}\u{323}",
    ]
    for _ in 0..<TestSize.count(small: 500, full: 5_000) {
      let source = (0..<Int.random(in: 0...8, using: &random))
        .map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
      let normal = source.composed
      let places = NormalizingTokenizer.places(of: source, in: normal)
      let message = Comment(rawValue: "seed \(seed) \(source.debugDescription)")
      for places in [places.starts, places.ends] {
        #expect(places.count == normal.utf8.count + 1, message)
        #expect(places.last == source.utf8.count, message)
        #expect(places == places.sorted(), message)
      }
      #expect(zip(places.starts, places.ends).allSatisfy { $0 <= $1 }, message)
      // A text that is in the normal form already is its own place.
      let own = NormalizingTokenizer.places(of: normal, in: normal)
      #expect(own.starts == Array(0...normal.utf8.count) && own.ends == own.starts, message)
    }
  }
}
