import Foundation
import SQLCore
import Testing

@Suite("Stored forms: text")
struct TextTests {
  @Test("text round-trips byte by byte, including U+0000")
  func strings() throws {
    let values = [
      "", "lulu", "a\u{0}b", "\u{0}", "'; DROP TABLE stored; --", "é", "e\u{301}", "👩‍👩‍👧‍👦",
      "\u{FEFF}bom", "\u{10FFFF}", String(repeating: "x", count: 100_000), "\r\n", "\u{202E}rtl",
    ]
    try expectRoundTrip(values)
    let (lent, copied) = try roundTrip(values)
    #expect(lent.map { Array($0.utf8) } == values.map { Array($0.utf8) })
    #expect(copied.map { Array($0.utf8) } == values.map { Array($0.utf8) })
  }

  @Test("composed and decomposed letters are stored as different text")
  func storedAlike() {
    #expect("é" == "e\u{301}")
    #expect(!String.isStoredAlike("é", "e\u{301}"))
    #expect(!Optional<String>.isStoredAlike("é", "e\u{301}"))
    #expect(DatabaseValue.text("é") != .text("e\u{301}"))
  }

  @Test(
    "bytes that are not UTF-8 throw",
    arguments: ["FF", "C3", "C0AF", "EDA080", "F4908080", "61FF62"])
  func invalidUTF8(bytes: String) throws {
    let db = try Database.temporary()
    try db.execute("CREATE TABLE note (text TEXT) STRICT")
    try db.execute("INSERT INTO note VALUES (CAST(x'\(unsafe: bytes)' AS TEXT))")
    let lent = #expect(throws: ColumnValueError.self) {
      try db.fetch((String).self, "SELECT text FROM note")
    }
    #expect(
      lent?.description.hasPrefix("text, row 0: text with broken bytes cannot be read as UTF-8: ")
        == true)
    #expect(throws: ColumnValueError.self) { try db.fetch((String?).self, "SELECT text FROM note") }
    #expect(try db.row("SELECT text FROM note")?.description == "text: CAST(x'\(bytes)' AS TEXT)")
    #expect(throws: ColumnValueError.self) { try db.fetch((UUID).self, "SELECT text FROM note") }
    // The connection stays usable.
    #expect(try db.row("SELECT count(*) FROM note")?.get(Int.self, at: 0) == 1)
  }

  @Test("text is read only from TEXT")
  func mismatch() throws {
    #expect(
      try readingError(String.self, "7")?.description == "value: expected TEXT, found INTEGER")
    #expect(
      try readingError(String.self, "x'61'")?.reason == .mismatch(expected: "TEXT", found: "BLOB"))
    #expect(
      try readingError(String.self, "NULL")?.description
        == "value: expected TEXT, found NULL; an optional type would accept it")
  }

  @Test("URLs round-trip")
  func urls() throws {
    let texts = [
      "https://example.com", "https://example.com/a%20b?q=%C3%A9#top", "mailto:a@b.c",
      "file:///tmp/x", "relative/path", "?query", "http://[::1]:80/", "data:,x",
    ]
    try expectRoundTrip(try texts.map { try #require(URL(string: $0)) })
  }

  @Test("a relative URL is stored and read back as an absolute one")
  func relativeURL() throws {
    let base = try #require(URL(string: "https://example.com/a/b"))
    let url = try #require(URL(string: "../c", relativeTo: base))
    try expectRoundTrip([url])
    #expect(try roundTrip([url]).lent == [URL.canonical(url)])
    #expect(URL.canonical(url).absoluteString == "https://example.com/c")
  }

  @Test("text that is not a URL throws")
  func invalidURL() throws {
    #expect(try readingError(URL.self, "''")?.description == "value:  cannot be read as URL")
    #expect(
      try readingError(URL.self, "'a b'")?.description == "value: a b cannot be read as URL")
    #expect(try readingError(URL.self, "'http://[::1'") != nil)
    #expect(try readingError(URL.self, "7") != nil)
  }

  @Test("Decimal is stored as its canonical text")
  func decimals() throws {
    let texts = [
      "0", "1", "-1", "0.1", "-0.000001", "12345678901234567890.123456789012345678",
      "99999999999999999999999999999999999999", "1000000000000000000000000",
    ]
    let values = try texts.map { try #require(Decimal(string: $0)) }
    #expect(try values.map { try $0.databaseValue(as: .standard) } == texts.map { .text($0) })
    try expectRoundTrip(values + [Decimal.greatestFiniteMagnitude, .leastFiniteMagnitude])
    try expectRoundTrip([
      Decimal.leastNonzeroMagnitude, .pi, Decimal(sign: .plus, exponent: -100, significand: 7),
    ])
  }

  @Test("equal Decimals become equal text, however they were made")
  func decimalCanonicalText() throws {
    let made = [
      Decimal(sign: .plus, exponent: -2, significand: 150), try #require(Decimal(string: "1.50")),
      try #require(Decimal(string: "15e-1")), Decimal(1.5), Decimal(3) / 2,
    ]
    #expect(
      try made.map { try $0.databaseValue(as: .standard) }
        == Array(repeating: .text("1.5"), count: made.count))
    #expect(
      try Decimal(sign: .plus, exponent: 3, significand: 1_000).databaseValue(as: .standard)
        == .text("1000000"))
    #expect(
      try Decimal(sign: .minus, exponent: 5, significand: 0).databaseValue(as: .standard)
        == .text("0"))
  }

  @Test("a decimal number is read with any spelling of its zeros and sign")
  func spelledDecimal() throws {
    for (text, number) in [
      ("1.50", "1.5"), ("01", "1"), ("+1", "1"), ("-0", "0"), (".5", "0.5"), ("1.", "1"),
      ("-0012.3400", "-12.34"), ("0.00", "0"), ("100", "100"),
    ] {
      #expect(try DatabaseValue.text(text).read(Decimal.self) == Decimal(string: number), "\(text)")
    }
  }

  @Test("a NaN Decimal and text that is not a decimal number are refused")
  func invalidDecimal() throws {
    #expect(
      storingError(Decimal.nan)?.description == "NaN cannot be stored: NaN is not a number")
    for text in [
      "", "1e3", "NaN", "12abc", " 1", "1 ", "-", ".", "1.5.0", "--1",
      "0.1234567890123456789012345678901234567890123",
    ] {
      #expect(
        try readingError(Decimal.self, "\(text)")?.description
          == "value: \(text) cannot be read as Decimal", "\(text)")
    }
    #expect(try readingError(Decimal.self, "1") != nil)
  }

  @Test("text that is not UTF-8 can be read with marks in place of the broken bytes")
  func repaired() throws {
    struct Repaired: ColumnValue {
      let text: String
      static var storageClass: StorageClass { .text }
      init(_ cell: borrowing Cell) throws { text = try cell.repairedText() }
      func databaseValue(as form: StoredForm) throws -> DatabaseValue { .text(text) }
    }
    let db = try Database.inMemory()
    let texts = try db.read { connection in
      try ["'aé'", "CAST(x'41FF42' AS TEXT)", "'a' || char(0) || 'b'"].map { sql in
        try connection.prepare("SELECT \(unsafe: sql)").firstText(Repaired.self)?.text
      }
    }
    #expect(texts == ["aé", "A\u{FFFD}B", "a\0b"])
    #expect(try DatabaseValue.text("x").read(Repaired.self).text == "x")
    #expect(throws: ColumnValueError.self) { try DatabaseValue.integer(1).read(Repaired.self) }
  }
}

extension Statement {
  fileprivate func firstText<Value: ColumnValue>(_ type: Value.Type) throws -> Value? {
    try step() ? try get(type, at: 0) : nil
  }
}
