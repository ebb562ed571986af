import DebianControl
import Testing

@Suite("Errors about malformed control files")
struct MalformedStanzaTests {
  @Test(
    "a line without a field is an error with its number and text",
    arguments: ["foo", "foo bar: baz", ": value", "#comment: no", "-x: y", "fö: x", "a\u{7F}: x"]
  )
  func noField(line: String) {
    let found = failure { _ = try stanzas("A: 1\n\nA: 2\r\n\(line)\r\nB: 3\n") }
    #expect(found == .malformed(line: 4, .noField(text: line)))
  }

  @Test("messages name the line, the text and the remedy")
  func message() {
    let found = failure { _ = try stanzas("A: 1\nfoo\n") }
    #expect(
      found?.description == """
        malformed stanza at line 2: "foo" is not a "Field: value" line; \
        begin it with a field name and a colon, or with a space if it continues the previous line
        """
    )
  }

  @Test("long and unprintable text is cut and escaped in messages")
  func messageText() {
    let found = failure { _ = try stanzas("\u{1B}[2J" + String(repeating: "x", count: 1000)) }
    let message = found?.description ?? ""
    #expect(message.contains(#""\u{1B}[2Jxxx"#))
    #expect(message.contains("x…\""))
    #expect(message.utf8.count < 250)
  }

  @Test("a continuation without a field is an error")
  func strayContinuation() {
    let found = failure { _ = try stanzas("A: 1\n\n more\nB: 2\n") }
    #expect(found == .malformed(line: 3, .strayContinuation(text: " more")))
  }

  @Test("a duplicate field is an error, whatever the case of its name", arguments: [0, 100])
  func duplicate(others: Int) {
    let fields = (0..<others).map { "F\($0): x\n" }.joined()
    let found = failure { _ = try stanzas("Section: a\n\(fields)SECTION: b\n") }
    #expect(
      found == .malformed(line: others + 2, .duplicateField(name: "section", firstLine: 1))
    )
  }

  @Test(
    "bytes that are not UTF-8 are an error at their line",
    arguments: [
      [0xFF], [0xC3], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80], [0x80],
    ]
  )
  func invalidUTF8(bytes: [UInt8]) {
    let text = Array("A: 1\nB: é\n é\nC: ".utf8) + bytes + Array("\nD: 2\n".utf8)
    #expect(failure { _ = try stanzas(text) } == .malformed(line: 4, .invalidUTF8))
    let inName = Array("A: 1\n".utf8) + bytes + Array(": 2\n".utf8)
    #expect(failure { _ = try stanzas(inName) } == .malformed(line: 2, .invalidUTF8))
  }

  @Test("a NUL byte is an error at its line")
  func nul() {
    #expect(failure { _ = try stanzas("A: 1\nB: \0\n") } == .malformed(line: 2, .nulByte))
    #expect(failure { _ = try stanzas("\0") } == .malformed(line: 1, .nulByte))
  }

  @Test("a stanza beyond the limit is an error, by many lines or by one long line")
  func tooLong() throws {
    let manyLines = String(repeating: "A: 1\n", count: 10)
    let longLine = "A: " + String(repeating: "x", count: 50)
    for text in [manyLines, longLine] {
      var reader = StanzaReader(bytes: Array("B: 0\n\n\(text)\n\nB: 1\n".utf8), stanzaLimit: 40)
      #expect(try reader.next()?["B"] == "0")
      let found = failure { _ = try reader.next() }
      #expect(found == .malformed(line: 3, .stanzaTooLong(limit: 40)))
      #expect(try reader.next() == nil)
    }
  }

  @Test("reading goes on after a malformed stanza")
  func goingOn() throws {
    var reader = StanzaReader(bytes: Array("A: 1\n\nfoo\nA: 2\n\nA: 3\n".utf8))
    #expect(try reader.next()?["A"] == "1")
    #expect(throws: ControlError.malformed(line: 3, .noField(text: "foo"))) {
      try reader.next()
    }
    let last = try #require(try reader.next())
    #expect(last["A"] == "3")
    #expect(last.line == 6)
    #expect(try reader.next() == nil)
  }

  @Test("random bytes never end the process, and all of them are consumed")
  func randomBytes() {
    var random = SystemRandomNumberGenerator()
    let alphabet = Array("Package: a\nVersion|(>=),\r\t \0\u{7F}é".utf8) + [0xFF, 0xC3]
    for _ in 0..<2_000 {
      let bytes = (0..<Int.random(in: 0...80, using: &random)).map { _ in
        alphabet.randomElement(using: &random) ?? 0
      }
      let lines = Array("Package: a\nVersion: 1\nArchitecture: all\nDepends: ".utf8)
      for text in [bytes, lines + bytes] {
        var reader = StanzaReader(bytes: text)
        var isDone = false
        while !isDone {
          do { isDone = try reader.nextPackage() == nil } catch {}
        }
        #expect(reader.bytesConsumed == text.count, "\(text)")
      }
    }
  }
}
