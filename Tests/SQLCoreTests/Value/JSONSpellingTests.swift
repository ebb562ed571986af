import Foundation
import TestRun
import Testing

@testable import SQLCore

/// Random JSON whose keys and texts are escaped at random, as several encoders do it.
@Suite("Keys of JSON in random spellings")
struct JSONSpellingTests {
  private let scalars: [Unicode.Scalar] = [
    "a", "\"", "\\", "/", "ö", "日", "😀", "\u{0}", "\n", "\u{1F}", "\u{7F}", ":", "{", ",", " ", "u",
    "0", "\u{2028}",
  ]

  private func text(_ random: inout SeededGenerator) -> String {
    var text = ""
    for _ in 0..<Int.random(in: 0...4, using: &random) {
      text.unicodeScalars.append(scalars.randomElement(using: &random) ?? "a")
    }
    return text
  }

  /// Returns a text as JSON. A character that need not be escaped may be.
  private func spelled(_ text: String, _ random: inout SeededGenerator) -> String {
    var json = "\""
    for scalar in text.unicodeScalars {
      let mustEscape = scalar.value < 0x20 || scalar == "\"" || scalar == "\\"
      switch Int.random(in: mustEscape ? 1...2 : 0...2, using: &random) {
      case 1 where scalar == "\"" || scalar == "\\" || scalar == "/":
        json += "\\"
        json.unicodeScalars.append(scalar)
      case 0: json.unicodeScalars.append(scalar)
      default:
        for unit in String(scalar).utf16 {
          let digits = String(unit, radix: 16, uppercase: Bool.random(using: &random))
          json += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
      }
    }
    return json + "\""
  }

  @Test("the JSON stays the same, and a path finds each key that it can name")
  func random() throws {
    let seed = TestSeed.draw()
    var random = SeededGenerator(seed: seed)
    let db = try Database.inMemory()
    for _ in 0..<TestSize.count(small: 300, full: 5_000) {
      var members: [String: [String]] = [:]
      for _ in 0..<3 { members[text(&random)] = [text(&random), text(&random)] }
      let space = ["", " ", "\n\t"].randomElement(using: &random) ?? ""
      let json =
        "{"
        + members.map { key, texts in
          spelled(key, &random) + space + ":" + space + "["
            + texts.map { spelled($0, &random) }.joined(separator: ",") + "]"
        }.joined(separator: "," + space) + "}"
      let plain = try db.fetch(String.self, "SELECT apus_json(\(json))")[0]
      let decoded = try JSONDecoder().decode([String: [String]].self, from: Data(plain.utf8))
      #expect(decoded == members, "seed \(seed): \(json)")
      #expect(JSONSpelling.plainKeys(of: plain) == plain, "seed \(seed): \(json)")
      for (key, texts) in members {
        guard !key.unicodeScalars.contains(where: { $0.value < 0x20 || $0 == "\"" || $0 == "\\" })
        else { continue }
        // From version 3.45 on, SQLite's paths take a key for the part before its U+0000.
        let isTaken = members.keys.contains {
          $0.unicodeScalars.starts(with: (key + "\0").unicodeScalars)
        }
        guard SQLiteLibrary.versionNumber < 3_045_000 || !isTaken else { continue }
        let found = try db.fetch(
          (String?, String?).self,
          """
          SELECT apus_json_value(apus_json(\(json)) -> \("$.\"\(key)\"[0]"), 'String'),
            apus_json_value(apus_json(\(json)) -> \("$.\"\(key)\"[1]"), 'String')
          """)[0]
        #expect([found.0, found.1] == texts, "seed \(seed): \(json)")
      }
    }
  }

  @Test("text that is not JSON is returned as it is")
  func invalid() {
    for text in ["\"\\u00f6", "\\", "{\"\\ud83d\":1}", "{\"\\u00zz\":1}", "{\"\\", "\"\\\""] {
      #expect(JSONSpelling.plainKeys(of: text) == text)
    }
  }
}
