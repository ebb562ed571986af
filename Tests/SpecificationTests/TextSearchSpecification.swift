import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

/// A text, with an index for each way of comparing it.
private struct Word: Model, Equatable {
  @PrimaryKey var id: Int
  @Column var text: String
  @Column var note: String?

  static var schema: Schema<Word> {
    Index(\.$text)
    Index { $0.$text.collated(.noCase) }
  }
}

private let allTexts = [
  "", "a", "ab", "abc", "aB", "Ab", "b", "b%", "b_", "a*b", "a?b", "a[b", "[ab]", "a\\b", "100%",
  "a\0b", "a\0c", "A\0B", "\0", "é", "e\u{301}", "É", "straße", "STRASSE", "Straße 1", "ΟΔΟΣ",
  "οδος", "😀", "a😀", "a😀b", "a\u{10FFFF}", "a\u{10FFFF}b", "\u{FF}x", "\u{100}x", "a\u{FFFF}x",
  "a\u{D7FF}x", "a\u{E000}x", "aZ", "az", "a[", "a@", "a@A", "a`", "aA", "a{",
].map(Specification.storable)
private let allParts =
  allTexts
  + ["B", "%", "_", "*", "?", "[", "\\", "ss", "ß", "σ", "ς", "c", "\0b", "b\0", "abcd"]
  .map(Specification.storable)

@Suite("Searching in texts")
struct TextSearchSpecification {
  let db: Database

  init() throws {
    db = try Specification.database(models: [Word.self])
    try db.insert(allTexts.enumerated().map { Word(id: $0, text: $1, note: $0 == 0 ? nil : $1) })
  }

  private func texts(
    _ condition: (Columns<Word>) -> SQLPredicate
  ) throws -> [String] {
    try db.fetch(Word.where { condition($0) }.order(by: \.$id).select(\.$text))
  }

  private static func scalars(_ text: String) -> [Unicode.Scalar] { Array(text.unicodeScalars) }

  /// The texts for which a test of scalars holds. It is Swift's test, without its equality of
  /// composed and decomposed characters.
  private func expected(
    _ part: String, folding: CaseFolding? = nil,
    _ test: ([Unicode.Scalar], [Unicode.Scalar]) -> Bool
  ) -> [String] {
    let part = Self.scalars(folding?.fold(part) ?? part)
    return allTexts.filter { test(Self.scalars(folding?.fold($0) ?? $0), part) }
  }

  private static func contains(_ text: [Unicode.Scalar], _ part: [Unicode.Scalar]) -> Bool {
    part.isEmpty || text.firstRange(of: part) != nil
  }

  private static func hasPrefix(_ text: [Unicode.Scalar], _ part: [Unicode.Scalar]) -> Bool {
    text.starts(with: part)
  }

  private static func hasSuffix(_ text: [Unicode.Scalar], _ part: [Unicode.Scalar]) -> Bool {
    text.reversed().starts(with: part.reversed())
  }

  @Test("contains, hasPrefix and hasSuffix find a text literally")
  func literals() throws {
    for part in allParts { try expectLiteral(part) }
  }

  private func expectLiteral(_ part: String) throws {
    let contains = expected(part, Self.contains)
    let prefixed = expected(part, Self.hasPrefix)
    let suffixed = expected(part, Self.hasSuffix)
    #expect(try texts { $0.$text.contains(part) } == contains, "\(part)")
    #expect(try texts { $0.$text.hasPrefix(part) } == prefixed, "\(part)")
    #expect(try texts { $0.$text.hasSuffix(part) } == suffixed, "\(part)")
    let expression = SQLExpression(part)
    #expect(try texts { $0.$text.contains(expression) } == contains, "\(part)")
    #expect(try texts { $0.$text.hasPrefix(expression) } == prefixed, "\(part)")
    #expect(try texts { $0.$text.hasSuffix(expression) } == suffixed, "\(part)")
    #expect(try texts { $0.$note.contains(part) } == contains.filter { !$0.isEmpty }, "\(part)")
    #expect(try texts { $0.$note.hasPrefix(part) } == prefixed.filter { !$0.isEmpty }, "\(part)")
    #expect(try texts { $0.$note.hasSuffix(part) } == suffixed.filter { !$0.isEmpty }, "\(part)")
  }

  @Test("with ignoringCase, letters match in either case", arguments: CaseFolding.allCases)
  func folded(_ folding: CaseFolding) throws {
    for part in allParts { try expectFolded(part, folding) }
  }

  private func expectFolded(_ part: String, _ folding: CaseFolding) throws {
    let contains = expected(part, folding: folding, Self.contains)
    let prefixed = expected(part, folding: folding, Self.hasPrefix)
    let suffixed = expected(part, folding: folding, Self.hasSuffix)
    #expect(try texts { $0.$text.contains(part, ignoringCase: folding) } == contains, "\(part)")
    #expect(try texts { $0.$text.hasPrefix(part, ignoringCase: folding) } == prefixed, "\(part)")
    #expect(try texts { $0.$text.hasSuffix(part, ignoringCase: folding) } == suffixed, "\(part)")
    let expression = SQLExpression(part)
    #expect(
      try texts { $0.$text.contains(expression, ignoringCase: folding) } == contains, "\(part)")
    #expect(
      try texts { $0.$text.hasPrefix(expression, ignoringCase: folding) } == prefixed, "\(part)")
    #expect(
      try texts { $0.$text.hasSuffix(expression, ignoringCase: folding) } == suffixed, "\(part)")
  }

  @Test("a parameter of a prepared query finds what the same value finds")
  func prepared() throws {
    let plain = try db.prepare { (part: SQLParameter<String>) in
      Word.where { $0.$text.hasPrefix(part) }.order(by: \.$id)
    }
    let folded = try db.prepare { (part: SQLParameter<String?>) in
      Word.where { $0.$text.hasPrefix(part, ignoringCase: .ascii) }.order(by: \.$id)
    }
    for part in allParts {
      #expect(try db.fetch(plain(part)).map(\.text) == expected(part, Self.hasPrefix), "\(part)")
      let matching = expected(part, folding: .ascii, Self.hasPrefix)
      #expect(try db.fetch(folded(part)).map(\.text) == matching, "\(part)")
    }
    #expect(try db.fetch(folded(nil)).isEmpty)
    let plan = try db.rows("EXPLAIN QUERY PLAN \(try plain("ab").sql)").map {
      try $0.get(String.self, named: "detail")
    }
    #expect(plan.first == "SEARCH Word USING INDEX Word_on_text (text>? AND text<?)")
  }

  @Test("the SQL and its values do not depend on the text")
  func sql() throws {
    func sql(_ condition: (Columns<Word>) -> SQLPredicate) throws -> String {
      let text = try Word.where { condition($0) }.sql.text
      return String(text.dropFirst(#"SELECT "id", "text", "note" FROM "Word" WHERE "#.count))
    }
    #expect(try sql { $0.$text.contains("%") } == #"instr("text", ?) > 0"#)
    #expect(try sql { $0.$text.contains("") } == #"instr("text", ?) > 0"#)
    #expect(try sql { $0.$note.contains($0.$text) } == #"instr("note", "text") > 0"#)
    let prefix = """
      "text" COLLATE "BINARY" >= ? AND "text" COLLATE "BINARY" < ? AND instr("text", ?) = 1
      """
    #expect(try sql { $0.$text.hasPrefix("a") } == prefix)
    #expect(try sql { $0.$text.hasPrefix("") } == prefix)
    #expect(try Word.where { $0.$text.hasPrefix("ab") }.sql.values == ["ab", "ac", "ab"])
    #expect(try sql { $0.$text.hasPrefix($0.$note) } == #"instr("text", "note") = 1"#)
    #expect(
      try sql { $0.$text.hasSuffix("é!") } == """
        substr(CAST("text" || '.' AS BLOB), -length(CAST(? AS BLOB))) = CAST(? AS BLOB)
        """)
    #expect(try Word.where { $0.$text.hasSuffix("é!") }.sql.values == ["é!.", "é!."])
    #expect(
      try sql { $0.$text.hasSuffix($0.$note) } == """
        substr(CAST("text" || '.' AS BLOB), -length(CAST("note" || '.' AS BLOB))) = \
        CAST("note" || '.' AS BLOB)
        """)
    #expect(
      try sql { $0.$text.contains("É", ignoringCase: .unicode) }
        == #"instr(apus_fold("text"), ?) > 0"#)
    #expect(
      try sql { $0.$text.hasPrefix("A", ignoringCase: .ascii) } == """
        "text" COLLATE "NOCASE" >= ? AND "text" COLLATE "NOCASE" < ? AND \
        instr(apus_fold_ascii("text"), ?) = 1
        """)
    #expect(
      try Word.where { $0.$text.hasPrefix("A@", ignoringCase: .ascii) }.sql.values
        == ["a@", "a[", "a@"])
    #expect(
      try sql { $0.$text.hasSuffix("É", ignoringCase: .unicode) }
        == """
        substr(CAST(apus_fold("text") || '.' AS BLOB), -length(CAST(? AS BLOB))) = CAST(? AS BLOB)
        """)
    #expect(try sql { !$0.$text.contains("a") } == #"NOT instr("text", ?) > 0"#)
    let without = allTexts.count - 1 - expected("a", Self.contains).count
    #expect(try db.count(Word.where { !$0.$note.contains("a") }) == without)
  }

  @Test("an index serves a prefix, and no other search")
  func plans() throws {
    func plan(_ condition: (Columns<Word>) -> SQLPredicate) throws -> String {
      let sql = try Word.where { condition($0) }.sql
      return try db.rows("EXPLAIN QUERY PLAN \(sql)").map {
        try $0.get(String.self, named: "detail")
      }.joined()
    }
    #expect(
      try plan { $0.$text.hasPrefix("ab") }
        == "SEARCH Word USING INDEX Word_on_text (text>? AND text<?)")
    let noCase = try plan { $0.$text.hasPrefix("ab", ignoringCase: .ascii) }
    #expect(noCase.hasPrefix("SEARCH Word USING INDEX") && noCase.hasSuffix("(text>? AND text<?)"))
    #expect(try plan { $0.$text.contains("ab") } == "SCAN Word")
    #expect(try plan { $0.$text.hasSuffix("ab") } == "SCAN Word")
    #expect(try plan { $0.$text.hasPrefix("ab", ignoringCase: .unicode) } == "SCAN Word")
  }

  @Test("a prefix is found in a column with another collation, and in a file of UTF-16")
  func foreign() throws {
    for encoding in ["UTF-8", "UTF-16le", "UTF-16be"] {
      let path = NSTemporaryDirectory() + "search-\(UUID()).sqlite"
      defer { try? FileManager.default.removeItem(atPath: path) }
      do {
        let plain = try Connection(path: path)
        try plain.execute("PRAGMA encoding = '\(unsafe: encoding)'")
        try plain.execute(
          """
          CREATE TABLE "Word" ("id" INTEGER PRIMARY KEY NOT NULL, \
          "text" TEXT NOT NULL COLLATE NOCASE, "note" TEXT)
          """)
        try plain.execute(#"CREATE INDEX "exact" ON "Word" ("text" COLLATE BINARY)"#)
      }
      let db = try Database(path: path, models: [])
      try db.insert(allTexts.enumerated().map { Word(id: $0, text: $1, note: nil) })
      for part in allParts {
        let found = try db.fetch(Word.where { $0.$text.hasPrefix(part) }.select(\.$text))
        #expect(found.count == expected(part, Self.hasPrefix).count, "\(encoding) \(part)")
        let ending = try db.fetch(Word.where { $0.$text.hasSuffix(part) }.select(\.$text))
        #expect(ending.count == expected(part, Self.hasSuffix).count, "\(encoding) \(part)")
        let folded = try db.fetch(
          Word.where { $0.$text.hasPrefix(part, ignoringCase: .ascii) }.select(\.$text))
        #expect(
          folded.count == expected(part, folding: .ascii, Self.hasPrefix).count,
          "\(encoding) \(part)")
      }
    }
  }

  @Test("a folded text is compared with a folded Swift text")
  func equality() throws {
    let name = "STRASSE"
    #expect(
      try texts { $0.$text.folded(.unicode) == CaseFolding.unicode.fold(name) }
        == ["straße", "STRASSE"])
    #expect(
      try texts { $0.$text.folded(.ascii) == CaseFolding.ascii.fold(name) } == ["STRASSE"])
    #expect(try db.fetch(Word.where { $0.$id == 0 }.select { $0.$note.folded(.ascii) }) == [nil])
  }
}
