import QueryDSL
import SQLCore
import SchemaMigration
import TestRun
import Testing

@testable import QueryFixtures

@Suite("Unfinished words in an index of stems")
struct SearchBeginningTests {
  private struct Stemmed: Model {
    @PrimaryKey var id: Int
    @Column var text: String
    static var schema: Schema<Stemmed> { FullText(\.$text, tokenizer: .porter()) }
  }

  private struct Lean: Model {
    @PrimaryKey var id: Int
    @Column var text: String
    static var schema: Schema<Lean> {
      FullText(\.$text, tokenizer: .porter(.ascii()), detail: .none)
    }
  }

  private struct Existing: Model {
    @PrimaryKey var id: Int
    @Column var text: String
    static var schema: Schema<Existing> {
      ExistingFullText()
      Named(\.$id, "rowid")
    }
  }

  private static let words = """
    running runner ran runs hopping hoping hopes stopped agreed feed bled plastered sized falling \
    hissing fizzed failing filing happy happily happiness sky skies keyboard keys daily dying flies \
    relational relate conditional rational valency hesitancy digitizer conformably radically \
    differently vilely analogously vietnamization predication operator feudalism decisiveness \
    hopefulness callousness formality sensitivity sensibility possibilities triplicate formative \
    formalize electricity electrical hopeful goodness revival allowance inference airliner gyroscopic \
    adjustable defensible irritant replacement adjustment dependent adoption homologou communism \
    activate angularity homologous effective bowdlerize probate rate cease controll roll ecosystem \
    generalizations nationality internationally organizers authorization responsibilities using used \
    analysis theses caresses ponies ties cats motoring apologies geology compatibility absolutely
    """.split(separator: " ").map(String.init)

  private func database(_ texts: [String]) throws -> Database {
    let db = try Specification.database(models: [Stemmed.self, Lean.self])
    try db.execute("CREATE VIRTUAL TABLE Existing USING fts5(text, tokenize = porter)")
    try db.migrate([Existing.self])
    for (id, text) in texts.enumerated() {
      try db.insert(Stemmed(id: id, text: text))
      try db.insert(Lean(id: id, text: text))
      try db.execute("INSERT INTO Existing (rowid, text) VALUES (\(id), \(text))")
    }
    return db
  }

  @Test("each word is found by each of its beginnings, in every kind of index of stems")
  func beginnings() throws {
    let db = try database(Self.words.map { "the \($0), of course" })
    for (id, word) in Self.words.enumerated() {
      for count in 1...word.count {
        let typed = String(word.prefix(count))
        let message = Comment(rawValue: "\(word) by \(typed)")
        #expect(try db.fetch(Stemmed.search("the \(typed)").select(\.$id)).contains(id), message)
        #expect(try db.fetch(Lean.search("the \(typed)").select(\.$id)).contains(id), message)
        #expect(try db.fetch(Existing.search("the \(typed)").select(\.$id)).contains(id), message)
        let prefixes = SearchPattern<Stemmed>.prefixes("\(typed.uppercased()) cour")
        #expect(try db.fetch(Stemmed.search(prefixes).select(\.$id)).contains(id), message)
      }
    }
  }

  @Test("random words with random endings are found by each of their beginnings")
  func random() throws {
    let seed = TestSeed.draw()
    var random = SeededGenerator(seed: seed)
    let letters = Array("aeiouybcdfghlmnprstvwxz")
    let endings = """
      al ance ence er ic able ible ant ement ment ent ion ou ism ate iti ous ive ize ational tional \
      ency ancy izer logy bly ally ently ely ously ization ation ator alism iveness fulness ousness \
      ality ivity bility icate ative alize icity ical ful ness y ies s es ed ing ly sses e ll
      """.split(separator: " ").map(String.init)
    let words = (0..<TestSize.count(small: 150, full: 4_000)).map { _ in
      let base = (0..<Int.random(in: 1...6, using: &random)).map { _ in
        String(letters.randomElement(using: &random) ?? "a")
      }
      let ends = (0..<Int.random(in: 0...3, using: &random)).map { _ in
        endings.randomElement(using: &random) ?? ""
      }
      return (base + ends).joined()
    }
    let db = try database(words)
    for (id, word) in words.enumerated() {
      for count in 1...word.count {
        let typed = String(word.prefix(count))
        #expect(
          try db.fetch(Stemmed.search(typed).select(\.$id)).contains(id),
          "seed \(seed): \(word) by \(typed)")
      }
    }
  }

  @Test("signs between words are ignored, and a sign alone finds nothing")
  func signs() throws {
    let db = try database(["rock & roll", "rocking", "roll on"])
    func expect(_ text: String, _ expected: [Int]) throws {
      let message = Comment(rawValue: text)
      #expect(
        try db.fetch(Stemmed.search(text).order(by: \.$id).select(\.$id)) == expected, message)
      let found = try db.fetch(Lean.search(text).order(by: \.$id).select(\.$id))
      #expect(found == expected, message)
      #expect(
        try db.fetch(Existing.search(text).order(by: \.$id).select(\.$id)) == expected, message)
      let prefixes = SearchPattern<Stemmed>.prefixes(text)
      #expect(
        try db.fetch(Stemmed.search(prefixes).order(by: \.$id).select(\.$id)) == expected, message)
    }
    try expect("rock & rol", [0])
    try expect("rock & ", [0, 1])
    try expect("rock &", [0, 1])
    try expect("& roll", [0, 2])
    try expect("-- & roll - roc", [0])
    try expect("roll on !", [2])
    try expect("--", [])
    try expect("& --", [])
  }

  @Test("only words that begin with the text are found, and their stems; the found word is marked")
  func precision() throws {
    let db = try database(["running a race", "a runt", "the rune", "runic", "hops", "hopeless"])
    func ids(_ text: String) throws -> [Int] {
      try db.fetch(Stemmed.search(text).order(by: \.$id).select(\.$id))
    }
    #expect(try ids("run") == [0, 1, 2, 3])
    #expect(try ids("runn") == [0])
    #expect(try ids("runnin ra") == [])
    #expect(try ids("running ra") == [0])
    #expect(try ids("hopel") == [5])
    #expect(try ids("hopping ") == [4])
    #expect(try ids("") == [])
    #expect(try ids("\"*") == [])
    let hit = try #require(
      try db.first(Stemmed.search("runni").selectHit { _, hit in hit.highlight(of: \.$text) }))
    #expect(hit.description == "[running] a race")
    // Other words of the text are finished, and a pattern can be combined.
    #expect(try ids("runnin race") == [])
    let either = SearchPattern<Stemmed>.asYouType("runnin").or(.asYouType("hopel"))
    #expect(try db.fetch(Stemmed.search(either).order(by: \.$id).select(\.$id)) == [0, 5])
    #expect(try db.count(Stemmed.search(SearchPattern.asYouType("runnin").in(\.$text))) == 1)
  }
}
