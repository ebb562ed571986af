import Foundation
import QueryDSL
import SQLCore
import Testing

@testable import QueryFixtures

@Suite("Operators and functions of text")
struct TextSpecification {
  let music: Music

  init() throws { music = try Music() }

  @Test("functions change case, trim, replace, search and cut text")
  func functions() throws {
    try music.expect(#"lower("title")"#, ["alpha", "beta", "gamma", "delta 100%", "epsilon_"]) {
      $0.$title.lower()
    }
    try music.expect(#"upper("genre")"#, ["ROCK", "JAZZ", nil, "ROCK", nil]) { $0.$genre.upper() }
    try music.expect(#"length("title")"#, [5, 4, 5, 10, 8]) { $0.$title.length() }
    try music.expect(#"length("genre")"#, [4, 4, nil, 4, nil]) { $0.$genre.length() }
    try music.expect(#"trim("title")"#, Music.tracks.map(\.title)) { $0.$title.trim() }
    try music.expect(#"trim("title", ?)"#, ["lph", "Bet", "gamm", "Delta 100%", "Epsilon_"]) {
      $0.$title.trim("Aa")
    }
    try music.expect(#"ltrim("title", ?)"#, ["lpha", "Beta", "gamma", "Delta 100%", "Epsilon_"]) {
      $0.$title.ltrim("Aa")
    }
    try music.expect(#"rtrim("genre", ?)"#, ["ro", "jazz", nil, "ro", nil]) {
      $0.$genre.rtrim("kc")
    }
    try music.expect(#"ltrim("title")"#, Music.tracks.map(\.title)) { $0.$title.ltrim() }
    try music.expect(#"rtrim("title")"#, Music.tracks.map(\.title)) { $0.$title.rtrim() }
    try music.expect(
      #"replace("title", ?, ?)"#, ["Alph*", "Bet*", "g*mm*", "Delt* 100%", "Epsilon_"]
    ) { $0.$title.replace("a", with: "*") }
    try music.expect(#"substr("title", ?)"#, ["pha", "ta", "mma", "lta 100%", "silon_"]) {
      $0.$title.substr(3)
    }
    try music.expect(#"substr("title", ?, ?)"#, ["Al", "Be", "ga", "De", "Ep"]) {
      $0.$title.substr(1, 2)
    }
    try music.expect(#"length(CAST("title" AS BLOB))"#, [5, 4, 5, 10, 8]) {
      $0.$title.octetLength()
    }
    try music.expect(#"length(CAST("genre" AS BLOB))"#, [4, 4, nil, 4, nil]) {
      $0.$genre.octetLength()
    }
    try music.expect(#"length(CAST(? AS BLOB))"#, [11, 11, 11, 11, 11]) { _ in
      SQLExpression("ä\0🐦b\u{301}a").octetLength()
    }
    try music.expect("length(?)", [3, 3, 3, 3, 3]) { _ in
      SQLExpression(Data([1, 0, 2])).octetLength()
    }
    try music.expect("length(?)", [nil, nil, nil, nil, nil]) { _ in
      SQLExpression(nil as Data?).octetLength()
    }
    try music.expect(#"instr("title", ?)"#, [5, 4, 2, 5, 0]) { $0.$title.instr("a") }
    try music.expect(#"instr("title", lower("title"))"#, [0, 0, 1, 0, 0]) {
      $0.$title.instr($0.$title.lower())
    }
    try music.expect(#"unicode("title")"#, [65, 66, 103, 68, 69]) { $0.$title.unicode() }
    try music.expect(#"hex("genre")"#, ["726F636B", "6A617A7A", "", "726F636B", ""]) {
      $0.$genre.hex()
    }
  }

  @Test("texts are concatenated, and NULL gives NULL")
  func concat() throws {
    try music.expect(#""genre" || ?"#, ["rock!", "jazz!", nil, "rock!", nil]) {
      $0.$genre.concat("!")
    }
    try music.expect(
      #""title" || ? || "title""#,
      ["Alpha/Alpha", "Beta/Beta", "gamma/gamma", "Delta 100%/Delta 100%", "Epsilon_/Epsilon_"]
    ) { $0.$title.concat("/").concat($0.$title) }
  }

  @Test("LIKE ignores case, and takes an escape character or an expression as its pattern")
  func like() throws {
    try music.expect(where: #""title" LIKE ?"#, [2, 4]) { $0.$title.like("_E%") }
    try music.expect(where: #""genre" LIKE ?"#, [1, 4]) { $0.$genre.like("R%") }
    try music.expect(where: #"NOT "genre" LIKE ?"#, [2]) { !$0.$genre.like("R%") }
    try music.expect(where: #""title" LIKE ? ESCAPE ?"#, [4]) {
      $0.$title.like(#"%\%"#, escape: #"\"#)
    }
    try music.expect(where: #""title" LIKE ? ESCAPE ?"#, [5]) { $0.$title.like("%!_", escape: "!") }
    try music.expect(where: #""title" LIKE "title" || ?"#, [1, 2, 3, 4, 5]) {
      $0.$title.like(pattern: $0.$title.concat("%"))
    }
  }

  @Test("GLOB is case-sensitive and knows sets of characters")
  func glob() throws {
    try music.expect(where: #""title" GLOB ?"#, [1, 2, 4]) { $0.$title.glob("[A-D]*") }
    try music.expect(where: #""title" GLOB ?"#, [3]) { $0.$title.glob("g?mma") }
    try music.expect(where: #""genre" GLOB "genre" || ?"#, [1, 2, 4]) {
      $0.$genre.glob(pattern: $0.$genre.concat("*"))
    }
  }

  @Test("COLLATE applies to a comparison and to an order")
  func collate() throws {
    try music.expect(where: #""title" COLLATE "NOCASE" = ?"#, [3]) {
      $0.$title.collated(.noCase) == "GAMMA"
    }
    try music.db.run(Track.update { $0.$title = "zeta" }.where { $0.$id == 5 })
    try music.db.run(Track.update { $0.$title = "Zebra" }.where { $0.$id == 1 })
    try music.expect(
      Track.all.order { $0.$title.collated(.noCase) }.select(\.$id),
      #"SELECT "id" FROM "Track" ORDER BY "title" COLLATE "NOCASE""#, [2, 4, 3, 1, 5])
    try music.expect(
      Track.all.order { $0.$title.collated(.binary) }.select(\.$id),
      #"SELECT "id" FROM "Track" ORDER BY "title" COLLATE "BINARY""#, [2, 4, 1, 3, 5])
    try music.expect(
      Track.all.order(by: { $0.$genre.collated(.trimmed) }, .descending).order(by: \.$id).select(
        \.$id),
      #"SELECT "id" FROM "Track" ORDER BY "genre" COLLATE "RTRIM" DESC, "id""#, [1, 4, 2, 3, 5])
    let unknown = Track.all.order { $0.$title.collated("\" DESC; DROP TABLE Track") }
    let error = #expect(throws: DatabaseError.self) { try music.db.fetch(unknown) }
    #expect(error?.message.contains("no such collation sequence") == true)
  }
}
