import QueryDSL
import SQLCore
import TestRun
import Testing

@testable import ChangeObservation

private struct Phrase: Model, Equatable {
  @PrimaryKey var id: Int
  @Column var text: String
  @Column var folded: String?
  @Column var trimmed: String?
}

@Suite("Live results in each text encoding")
struct EncodingTests {
  static let encodings = ["UTF-8", "UTF-16le", "UTF-16be"]

  /// Texts that the encodings sort differently, or that contain U+0000, which a program may take
  /// for the end.
  private static let texts = [
    "", "a", "A", "b", "aa", "a ", "a\u{0}", "a\u{0}b", "\u{0}", "é", "e\u{301}", "ÿ", "Ā", "ā",
    "\u{100}\u{1}", "\u{1}\u{100}", "\u{D7FF}", "\u{E000}", "\u{FF5E}", "\u{FFFD}", "\u{FEFF}a",
    "𝄞", "𝄞a", "\u{10000}", "\u{10FFFD}", "z𝄞", "日本", "語",
  ]

  private func database(_ encoding: String) throws -> Database {
    let db = try Database.temporary()
    try db.writeWithoutTransaction {
      try $0.execute(
        """
        PRAGMA encoding = '\(unsafe: encoding)';
        CREATE TABLE Phrase (id INTEGER PRIMARY KEY, text TEXT NOT NULL,
          folded TEXT COLLATE NOCASE, trimmed TEXT COLLATE RTRIM);
        """)
    }
    #expect(try db.row("PRAGMA encoding")?[0] == .text(encoding))
    return db
  }

  /// A live query beside a fresh fetch.
  private struct Pair {
    let name: String
    let update: () async throws -> Void
    let live: () -> [Int]
    let fresh: () throws -> [Int]

    init(_ name: String, _ query: TableQuery<Phrase, Phrase>, in db: Database) {
      self.name = name
      let watch = QueryWatch(LiveSource(query.select(\.$id)), in: db)
      var last: [Int] = []
      var hasBegun = false
      update = {
        let results = hasBegun ? try await watch.update() : try await watch.next()
        hasBegun = true
        if let results { last = Array(results) }
      }
      live = { last }
      fresh = { try db.fetch(query.order(by: \.$id).select(\.$id)) }
    }
  }

  private func pairs(in db: Database) -> [Pair] {
    [
      Pair("by text", Phrase.order(by: \.$text), in: db),
      Pair("by text down", Phrase.order(by: \.$text, .descending).limit(5), in: db),
      Pair("without case", Phrase.order(by: \.$folded), in: db),
      Pair("without spaces", Phrase.order(by: \.$trimmed, .descending), in: db),
      Pair("less", Phrase.where { $0.$text < "\u{E000}" }, in: db),
      Pair("greater", Phrase.where { $0.$text > "𝄞" }.order(by: \.$text), in: db),
      Pair("equal", Phrase.where { $0.$text == "a\u{0}" }, in: db),
      Pair("folded", Phrase.where { $0.$folded == "A" }, in: db),
      Pair("in", Phrase.where { $0.$text.isIn(["é", "𝄞", "\u{0}"]) }, in: db),
      Pair("length", Phrase.all.order(by: { $0.$text.length() }, .ascending), in: db),
      Pair("hex", Phrase.all.order(by: { $0.$text.hex() }, .ascending).limit(6), in: db),
    ]
  }

  @Test("a maintained result equals a fresh fetch", arguments: encodings)
  func random(encoding: String) async throws {
    let db = try database(encoding)
    let seed = TestSeed.draw()
    var random = SeededGenerator(seed: seed)
    func text() -> String { Self.texts.randomElement(using: &random) ?? "" }
    let pairs = pairs(in: db)
    for pair in pairs { try await pair.update() }
    for round in 0..<TestSize.count(small: 30, full: 500) {
      let id = Int.random(in: 1...20, using: &random)
      let phrase = Phrase(id: id, text: text(), folded: text(), trimmed: text() + "  ")
      switch Int.random(in: 0..<4, using: &random) {
      case 0: try await db.execute("DELETE FROM Phrase WHERE id = \(id)")
      case 1: try await db.execute("UPDATE Phrase SET text = \(text()) WHERE id = \(id)")
      default:
        try await db.execute(
          """
          REPLACE INTO Phrase VALUES
            (\(id), \(phrase.text), \(phrase.folded), \(phrase.trimmed))
          """)
      }
      for pair in pairs {
        try await pair.update()
        let fresh = try pair.fresh()
        try #require(pair.live() == fresh, "seed \(seed), round \(round): \(pair.name)")
      }
    }
  }

  @Test("invalid text is sorted where SQLite sorts it", arguments: encodings)
  func invalid(encoding: String) async throws {
    let db = try database(encoding)
    let seed = TestSeed.draw()
    var random = SeededGenerator(seed: seed)
    // These queries select the keys, so they need not read the text.
    let pairs = pairs(in: db)
    for pair in pairs { try await pair.update() }
    let bytes = ["61FF", "FF", "C328", "EDA080", "00D8", "D800", "61D8", "FEFF", "FFFE", "6100"]
    for round in 0..<40 {
      let id = Int.random(in: 1...8, using: &random)
      let hex = bytes.randomElement(using: &random) ?? ""
      let value =
        Bool.random(using: &random)
        ? "CAST(x'\(hex)' AS TEXT)" : "'\(["a", "b", "é"].randomElement(using: &random) ?? "")'"
      try await db.execute(
        "REPLACE INTO Phrase VALUES (\(id), \(unsafe: value), \(unsafe: value), 'x')")
      for pair in pairs {
        try await pair.update()
        let fresh = try pair.fresh()
        try #require(pair.live() == fresh, "seed \(seed), round \(round): \(pair.name)")
      }
    }
  }

  @Test(
    "a filtered stream reports the rows that SQLite selects", .needs(.preUpdateHook),
    arguments: encodings)
  func changes(encoding: String) async throws {
    let db = try database(encoding)
    let changes = db.changes(of: Phrase.self) { $0.$text > "\u{E000}" }
    let greater = Phrase.where { $0.$text > "\u{E000}" }.select(\.$id)
    var iterator = changes.makeAsyncIterator()
    for (id, text) in Self.texts.enumerated() {
      try await db.execute("INSERT INTO Phrase (id, text) VALUES (\(id), \(text))")
    }
    // A row that is reported in any case, as the last one.
    try await db.execute("INSERT INTO Phrase (id, text) VALUES (1000, \("\u{FFFD}\u{FFFD}"))")
    var reported: [Int] = []
    while reported.last != 1000, let element = await iterator.next() {
      #expect(element.unfilteredReason == nil)
      reported += try element.rows.map { try $0.key }
    }
    let expected = try await db.fetch(greater)
    #expect(reported.sorted() == expected.sorted())
  }
}
