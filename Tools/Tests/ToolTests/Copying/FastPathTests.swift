import Apus
@_spi(Tools) import DataFrames
import Foundation
@_spi(Tools) import SQLCore
import Testing

@testable import RowImport
@testable import ToolOutput

/// The fast ways of reading and writing, which make no String for each cell, beside the code for every form.
@Suite("Fast reading and writing agrees with the slow one")
struct FastPathTests {
  /// Calls a closure with the bytes of a text.
  func withBytes<Result>(_ text: String, _ body: (Bytes) throws -> Result) rethrows -> Result {
    var text = text
    return try text.withUTF8(body)
  }

  /// A source that gives a few bytes at each read.
  func source(_ text: String, pieces: Int) -> ByteSource {
    var rest = Array(text.utf8)[...]
    return ByteSource { room in
      let piece = rest.prefix(min(pieces, room.count))
      room.copyBytes(from: piece)
      rest = rest.dropFirst(piece.count)
      return piece.count
    }
  }

  @Test("a number of CSV is the one that the column would hold, or is left to the slow reading")
  func numbers() throws {
    let database = try Database.inMemory()
    try database.execute("CREATE TABLE t (i INTEGER, r REAL)")
    let columns = try database.read { try $0.columns(ofTable: "t") }
    var random = SeededGenerator(seed: TestSeed.draw())
    let parts = ["0", "1", "9", "12", "007", "5", ".", "-", "+", "e", "1e5", "123456789", " ", "x"]
    var texts = [
      "9007199254740993", "0.1", "-0", "-0.0", "1e300", "1e400", "0.30000000000000004", "", "-",
      ".5",
      "5.", "999999999999999999", "9223372036854775807", "-9223372036854775808", "inf", "nan",
      "1e-05",
    ]
    for _ in 0..<TestSize.count(small: 5_000, full: 100_000) {
      texts.append(
        (0..<Int.random(in: 1...5, using: &random)).map { _ in
          parts[Int.random(in: parts.indices, using: &random)]
        }.joined())
      texts.append("\(Double.random(in: -1e3...1e3, using: &random))")
      texts.append("\(Double(bitPattern: random.next()))")
    }
    for text in texts {
      let (integer, real) = withBytes(text) { ($0.certainInteger, $0.certainReal) }
      if let integer {
        #expect(
          try columns[0].exactValue(of: .text(text), isStrict: false) == .integer(integer),
          "\(text)")
      }
      if let real {
        let exact = try columns[1].exactValue(of: .text(text), isStrict: false)
        #expect(exact == .real(real), "\(text)")
      }
    }
    for text in ["1", "-17", "56.92", "0.30000000000000004", "1700086400"] {
      #expect(withBytes(text) { $0.certainInteger != nil || $0.certainReal != nil }, "\(text)")
    }
  }

  @Test("an object of JSON has the members that a data frame has, or is left to it")
  func objects() throws {
    var random = SeededGenerator(seed: TestSeed.draw())
    func pick(_ choices: [String]) -> String {
      choices[Int.random(in: choices.indices, using: &random)]
    }
    let values = [
      "1", "-0", "01", "1.50", "1e3", "1e400", "9007199254740993.0", "0.30000000000000004", "-",
      "true",
      "false", "null", "nul", #""""#, #""a""#, #""é\n\"\\""#, #""\u00e9""#, "\"\u{1}\"", #""\x""#,
      "[1]",
      "{}", "11898508762506083287",
    ]
    let members = JSONMembers()
    var knownCount = 0
    for _ in 0..<TestSize.count(small: 3_000, full: 50_000) {
      let object =
        "{"
        + (0..<Int.random(in: 0...3, using: &random)).map { _ in
          "\"\(pick(["a", "b", "c", "d é", "e\\n"]))\"\(pick(["", " "])):\(pick(["", " \n"]))\(pick(values))"
        }.joined(separator: pick([",", ", ", ",", " ,"])) + pick(["}", " }"])
      let known = withBytes(object) { bytes -> [(String, DatabaseValue)]? in
        guard members.read(bytes) != nil else { return nil }
        return zip(members.names, members.values).map { name, value in
          switch value {
          case .null: (name, .null)
          case .integer(let integer): (name, .integer(integer))
          case .real(let real): (name, .real(real))
          case .text(let bytes): (name, .text(String(decoding: bytes, as: UTF8.self)))
          }
        }
      }
      guard let known else {
        members.reset()
        continue
      }
      knownCount += 1
      let frame = try DataFrame(json: "[\(object)]")
      #expect(known.map(\.0) == frame.columns.map(\.name), "\(object)")
      #expect(known.map(\.1) == frame.columns.map { $0.values.first ?? .null }, "\(object)")
    }
    #expect(knownCount > 100)
  }

  @Test("records are the same wherever the pieces of the file end")
  func records() throws {
    var random = SeededGenerator(seed: TestSeed.draw())
    let parts = ["a", "é", ",", ",", "\n", "\r\n", "\r", "\"\"", "\"x,\ny\"\"z\"", " ", "日本"]
    for _ in 0..<TestSize.count(small: 500, full: 10_000) {
      let text = (0..<Int.random(in: 0...12, using: &random)).map { _ in
        parts[Int.random(in: parts.indices, using: &random)]
      }.joined()
      func read(_ pieces: Int) -> [String] {
        var lines: [String] = []
        do {
          let records = try CSVRecords(source(text, pieces: pieces))
          while try records.next() {
            let fields = try records.fields.map { try records.text($0) + ($0.isQuoted ? "q" : "") }
            lines.append("\(records.line): \(fields)")
          }
        } catch { lines.append("\(error)") }
        return lines
      }
      let whole = read(1 << 20)
      for pieces in 1...5 { #expect(read(pieces) == whole, "\(text.debugDescription)") }
    }
    // A record that is longer than what is in memory at once.
    let long = String(repeating: "x", count: 700_000)
    let records = try CSVRecords(source("a,\"\(long)\"\nb,c\n", pieces: 100_000))
    #expect(try records.next())
    #expect(try records.text(records.fields[1]) == long)
    #expect(try records.next())
    #expect(try records.fields.map { try records.text($0) } == ["b", "c"])
    #expect(try !records.next())
  }

  @Test("rows are the same text as values that are written one by one", arguments: ["csv", "json"])
  func rows(name: String) throws {
    let format = try #require(OutputFormat(rawValue: name))
    var random = SeededGenerator(seed: TestSeed.draw())
    let parts = [
      "a", "é", " ", ",", "\"", "\n", "\r", "\\", "\t", "\u{7F}", "\u{9B}", "\u{2028}", "\u{202E}",
      "日本", "😀", "\0", "CAST(x'", "\u{61C}", "e\u{301}",
    ]
    var rows: [[DatabaseValue]] = [
      [.null, .integer(.min), .real(.infinity)], [.blob(Data()), .integer(.max), .real(-0.0)],
      [.blob(Data([0, 255])), .integer(-10), .real(.leastNonzeroMagnitude)],
    ]
    for _ in 0..<TestSize.count(small: 1_000, full: 20_000) {
      rows.append(
        (0..<3).map { _ in
          .text(
            (0..<Int.random(in: 0...4, using: &random)).map { _ in
              parts[Int.random(in: parts.indices, using: &random)]
            }.joined())
        })
    }
    let database = try Database.inMemory()
    try database.execute("CREATE TABLE t (a, b, \"c\"\"\")")
    try database.write { connection in
      for row in rows {
        try connection.execute("INSERT INTO t VALUES (\(row[0]), \(row[1]), \(row[2]))")
      }
    }
    func written(_ body: (Output) throws -> Void) throws -> String {
      var text = ""
      let output = Output(
        format: format, width: nil, isColored: false, isTerminal: false, write: { text += $0 })
      try body(output)
      output.flush()
      return text
    }
    let fast = try written { output in
      try database.read { connection in
        let count = try output.rows(of: "SELECT * FROM t", in: connection)
        #expect(count == rows.count)
      }
    }
    let slow = try written { try $0.rows(["a", "b", "c\""], rows) }
    #expect(fast == slow)
    let none = try written { output in
      try database.read { _ = try output.rows(of: "SELECT * FROM t WHERE 0", in: $0) }
    }
    #expect(none == (try written { try $0.rows(["a", "b", "c\""], []) }))
  }
}
