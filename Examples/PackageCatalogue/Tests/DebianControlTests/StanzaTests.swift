import DebianControl
import Testing

@Suite("Stanzas of a control file")
struct StanzaTests {
  @Test("a field has a value, and its name is found in any case")
  func fields() throws {
    let stanza = try #require(try stanzas("Package: a\nInstalled-Size:  12 \t\n").first)
    #expect(stanza["package"] == "a")
    #expect(stanza["INSTALLED-size"] == "12")
    #expect(stanza["Installed"] == nil)
    #expect(stanza.fieldNames == ["package", "installed-size"])
    #expect(stanza.line(of: "Installed-Size") == 2)
  }

  @Test("a value may contain colons or be empty")
  func values() throws {
    let stanza = try #require(try stanzas("Version: 1:2:3\nEmpty:\nBlank: \t \nLast:x").first)
    #expect(stanza["Version"] == "1:2:3")
    #expect(stanza["Empty"] == "")
    #expect(stanza["Blank"] == "")
    #expect(stanza["Last"] == "x")
  }

  @Test("lines that begin with white space continue the field before them")
  func continuation() throws {
    let text = "Conffiles:\n /etc/a 1  \n /etc/b 2\nDescription: one\n two\n .\n\t  three\nZ: z"
    let stanza = try #require(try stanzas(text).first)
    #expect(stanza["Conffiles"] == "\n/etc/a 1\n/etc/b 2")
    #expect(stanza["Description"] == "one\ntwo\n.\n  three")
    #expect(stanza["Z"] == "z")
    #expect(stanza.line(of: "Z") == 8)
  }

  @Test("blank lines may separate stanzas, precede the first and follow the last")
  func blankLines() throws {
    let all = try stanzas("\n \n\nA: 1\nB: 2\n\n\t\n\nA: 3\n\n\n")
    #expect(all.map { $0["A"] } == ["1", "3"])
    #expect(all.map(\.line) == [4, 9])
  }

  @Test(
    "lines may end in LF or CRLF, and the last one without a line end", arguments: ["\n", "\r\n"])
  func lineEnds(end: String) throws {
    let text = ["A: 1", "B: 2", " more", " ", "A: 3", "", "A: 4"].joined(separator: end)
    let all = try stanzas(text)
    #expect(all.map { $0["A"] } == ["1", "3", "4"])
    #expect(all[0]["B"] == "2\nmore")
    #expect(all.map(\.line) == [1, 5, 7])
  }

  @Test("text without fields gives no stanzas", arguments: ["", "\n", "\r\n \n\t\n", " "])
  func empty(text: String) throws {
    #expect(try stanzas(text).isEmpty)
  }

  @Test("text is UTF-8, with characters of any size")
  func characters() throws {
    let stanza = try #require(try stanzas("Maintainer: Jörg 雨燕 🐦\n").first)
    #expect(stanza["Maintainer"] == "Jörg 雨燕 🐦")
  }

  @Test("a line may be longer than any buffer")
  func longLine() throws {
    let value = String(repeating: "x", count: 3_000_000)
    let all = try stanzas("A: \(value)\n\nA: 2\n")
    #expect(all.map { $0["A"]?.utf8.count } == [3_000_000, 1])
  }

  @Test("a stanza may have many fields")
  func manyFields() throws {
    let text = (0..<50_000).map { "Field-\($0): \($0)\n" }.joined()
    let stanza = try #require(try stanzas(text).first)
    #expect(stanza.fieldNames.count == 50_000)
    #expect(stanza["field-49999"] == "49999")
  }
}
