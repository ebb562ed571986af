import Apus
import DataFrames
import Foundation
import Testing

@Suite("Data frames as JSON")
struct JSONFrameTests {
  @Test("a frame becomes one object per row, with names in order and all digits")
  func writing() throws {
    var frame = DataFrame()
    try frame.append("title", ["a \"b\"\n\u{1}\\", nil] as [String?])
    try frame.append("count", [.max, .min] as [Int64?])
    try frame.append("share", [0.1, 3] as [Double?])
    try frame.append("isTame", [true, nil] as [Bool?])
    try frame.append("at", [Date(timeIntervalSince1970: 0), nil] as [Date?])
    try frame.append("bytes", [Data([1]), Data()] as [Data?])
    let text = try frame.json()
    #expect(
      text == #"""
        [
        {"title":"a \"b\"\n\u0001\\","count":9223372036854775807,"share":0.1,"isTame":true,\#
        "at":"1970-01-01T00:00:00.000000Z","bytes":"AQ=="},
        {"title":null,"count":-9223372036854775808,"share":3.0,"isTame":null,"at":null,"bytes":""}
        ]
        """#)
    let back = try DataFrame(json: text, types: ["at": Date.self, "bytes": Data.self])
    #expect(back == frame)
    #expect(try JSONSerialization.jsonObject(with: Data(text.utf8)) is [[String: Any]])
    #expect(try DataFrame().json() == "[]")
    let infinite = try DataFrame(columns: [.init("r", [.infinity] as [Double?])])
    #expect(throws: DataFrameError.self) { try infinite.json() }
  }

  @Test("columns come in the order of their first member, and a missing member is NULL")
  func reading() throws {
    let frame = try DataFrame(
      json: #"""
        [ {"b": 1, "a": "x\u00e4\ud83d\udc26\/"}, {},
          {"c": [1, {"d": "]"}], "b": 2.5, "a": null}, {"e": true, "f": 12345678901234567890} ]
        """#)
    #expect(frame.columnNames == ["b", "a", "c", "e", "f"])
    #expect(
      frame.columns[0].type == nil && frame.columns[0].values == [1, nil, 2.5, nil])
    #expect(frame.columns[1].values == ["xä🐦/", nil, nil, nil])
    #expect(frame.columns[2].values == [nil, nil, #"[1, {"d": "]"}]"#, nil])
    #expect(frame.columns[3].type == Bool.self)
    #expect(frame.columns[4].values.last == "12345678901234567890")
    let mixed = try DataFrame(json: #"[{"a": 1}, {"a": "x"}]"#)
    #expect(mixed.columns[0].type == nil && mixed.columns[0].values == [1, "x"])
    #expect(try DataFrame(json: " [] ").columns.isEmpty)
    let typed = try DataFrame(
      json: #"[{"m": "calm", "n": 3}]"#, types: ["M": Mood.self, "n": Double.self])
    #expect(try typed.values(of: "m") == [Mood.calm] && typed.columns[1].values == [3.0])
  }

  @Test("decimal numbers and ids are read from numbers and strings, with all their digits")
  func digits() throws {
    let types: [String: any ColumnValue.Type] = ["price": Decimal.self, "id": Unique64.self]
    let frame = try DataFrame(
      json: """
        [{"price": 12345678901234567890.12345678, "id": 3301234567890123456},
         {"price": "1.50", "id": "7"}, {"price": -0.0, "id": null}]
        """, types: types)
    #expect(frame["price"]?.values == ["12345678901234567890.12345678", "1.5", "0"])
    #expect(frame["id"]?.values == [3_301_234_567_890_123_456, 7, nil])
    // JavaScript rounds numbers above 2⁵³.
    #expect(
      try frame.json().hasPrefix(
        "[\n" + #"{"price":"12345678901234567890.12345678","id":"3301234567890123456"},"#))
    #expect(try DataFrame(json: frame.json(), types: types) == frame)
    #expect(throws: DataFrameError.self) { try DataFrame(json: #"[{"id": "x"}]"#, types: types) }
    #expect(throws: DataFrameError.self) {
      try DataFrame(json: #"[{"price": "12abc"}]"#, types: types)
    }
  }

  @Test("malformed JSON throws with its line or row")
  func mistakes() {
    let texts = [
      "", "{}", "[", "[1]", "[{]", #"[{"a"}]"#, #"[{"a":}]"#, #"[{"a":01}]"#, #"[{"a":1.}]"#,
      #"[{"a":"x}]"#, #"[{"a":tru}]"#, #"[{"a":"\x"}]"#, #"[{"a":"\ud800"}]"#, #"[{"a":1},]"#,
      #"[{"a":1}] x"#, "[{\"a\":\"\n\"}]", #"[{"a":-}]"#, #"[{"a":1e}]"#, #"[{"a":[1,}]"#,
      #"[{"a":"\u12"}]"#, #"[{"a":"# + String(repeating: "[", count: 100_000),
    ]
    for text in texts {
      let error = #expect(throws: DataFrameError.self, "\(text.prefix(20))") {
        try DataFrame(json: text)
      }
      #expect(error?.message.hasPrefix("the JSON, line ") == true)
    }
    let error = #expect(throws: DataFrameError.self) {
      try DataFrame(json: #"[{"a": 1}, {"a": "x"}]"#, types: ["a": Int.self])
    }
    #expect(error?.message == #"row 1 (line 1), a: "x" cannot be read as Int"#)
    let long = #expect(throws: DataFrameError.self) {
      try DataFrame(
        json: "[\n{\"a\": [\n1]},\n\n{\"a\": 9007199254740993}]", types: ["a": Double.self])
    }
    #expect(long?.message.hasPrefix("row 0 (line 2), a: ") == true)
    let twice = #expect(throws: DataFrameError.self) {
      try DataFrame(json: "[{},\n{\"a\": null, \"a\": 1}]")
    }
    #expect(twice?.message == "the JSON, line 2: the object has the member a twice")
  }

  @Test("numbers keep their value: as integers, reals, or the text of more digits than these hold")
  func numbers() throws {
    func column(_ numbers: String, _ type: (any ColumnValue.Type)? = nil) throws -> DataFrameColumn
    {
      let rows = numbers.split(separator: " ").map { #"{"a":\#($0)}"# }.joined(separator: ",")
      return try #require(DataFrame(json: "[\(rows)]", types: type.map { ["a": $0] } ?? [:])["a"])
    }
    let reals = try column("1.0 2.5 1.10 1e5 -0.0 1E+2 1.00")
    #expect(reals.type == Double.self && reals.values == [1.0, 2.5, 1.1, 1e5, -0.0, 100.0, 1.0])
    let mixed = try column("9007199254740993 1.5")
    #expect(mixed.type == nil && mixed.values == [.integer(9_007_199_254_740_993), 1.5])
    let long = try column("11898508762506083287 1 0.1234567890123456789 1e400 -1e400 1e-400")
    #expect(long.type == nil)
    #expect(
      long.values == [
        "11898508762506083287", 1, "0.1234567890123456789", "1e400", "-1e400", "1e-400",
      ])
    // All digits of a column whose type can hold them.
    let decimals = try column("11898508762506083287 1.10 0.1234567890123456789", Decimal.self)
    #expect(decimals.values == ["11898508762506083287", "1.1", "0.1234567890123456789"])
    let texts = try column("11898508762506083287 1.10 1e400", String.self)
    #expect(texts.values == ["11898508762506083287", "1.10", "1e400"])
    for number in ["9007199254740993", "1e400", "0.1234567890123456789"] {
      #expect(throws: DataFrameError.self, "\(number)") { try column(number, Double.self) }
    }
    #expect(throws: DataFrameError.self) { try column("11898508762506083287", Int64.self) }
    #expect(throws: DataFrameError.self) { try column("1.5", Int64.self) }
  }

  @Test("U+0000 in a name and in a text is written and read")
  func zero() throws {
    let frame = try DataFrame(columns: [.init("a\u{0}b", ["x\u{0}y", "\u{0}", nil])])
    let json = try frame.json()
    #expect(json.contains(#"{"a\u0000b":"x\u0000y"}"#))
    #expect(try DataFrame(json: json) == frame)
    #expect(try DataFrame(csv: frame.csv()) == frame)
    let db = try Database.inMemory()
    try db.execute("CREATE TABLE t (a TEXT)")
    let plain = try DataFrame(columns: [.init("a", ["x\u{0}y", "\u{0}", nil])])
    try db.write(plain, to: "t")
    #expect(try db.dataFrame("SELECT a FROM t ORDER BY rowid") == plain)
  }
}
