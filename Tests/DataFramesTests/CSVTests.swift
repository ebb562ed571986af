import Apus
import DataFrames
import Foundation
import TestRun
import Testing

@Suite("Data frames as CSV")
struct CSVTests {
  @Test("a frame becomes a line of names and a line per row, and ambiguous fields are quoted")
  func writing() throws {
    var frame = DataFrame()
    try frame.append("id", [1, 2, nil] as [Int?])
    try frame.append("a,b", ["plain", "with \"quotes\", and", "two\nlines"] as [String?])
    try frame.append("text", ["", nil, "12"] as [String?])
    try frame.append("isTame", [true, false, nil] as [Bool?])
    try frame.append("weight", [2, 0.1, -1e300] as [Double?])
    try frame.append("born", [Date(timeIntervalSince1970: 0.25), nil, nil] as [Date?])
    try frame.append("bytes", [Data([0, 255]), Data(), nil] as [Data?])
    let text = try frame.csv()
    #expect(
      text == """
        id,"a,b",text,isTame,weight,born,bytes\r
        1,plain,"",true,2.0,1970-01-01T00:00:00.250000Z,AP8=\r
        2,"with ""quotes"", and",,false,0.1,,""\r
        ,"two\nlines",12,,-1e+300,,\r

        """)
    let back = try DataFrame(csv: text, types: ["id": Int.self, "BYTES": Data?.self])
    #expect(back == frame)
  }

  @Test("empty bytes and NULL stay distinct through a CSV file and a table")
  func emptyBytes() throws {
    let db = try Database.temporary()
    try db.execute("CREATE TABLE files (name TEXT, content BLOB, bytes BLOB) STRICT")
    try db.execute("INSERT INTO files VALUES ('empty', x'', x''), ('none', NULL, NULL)")
    let frame = try db.dataFrame("SELECT * FROM files ORDER BY name")
    let csv = try frame.csv()
    #expect(csv == "name,content,bytes\r\nempty,\"\",\"\"\r\nnone,,\r\n")
    let back = try DataFrame(csv: csv, types: ["content": Data.self, "bytes": [UInt8].self])
    #expect(try back.values(of: "content", as: Data.self) == [Data(), nil])
    #expect(try back.values(of: "bytes", as: [UInt8].self) == [[], nil])
    try db.write(back, to: "copied")
    let types = try db.rows("SELECT typeof(content), typeof(bytes) FROM copied ORDER BY name")
    #expect(try types.map { try $0.get(String.self, at: 0) } == ["blob", "null"])
    #expect(try types.map { try $0.get(String.self, at: 1) } == ["blob", "null"])
    // An unquoted empty field is NULL, whatever the type.
    let single = try DataFrame(csv: "a\n\n\"\"\n", types: ["a": Data.self])
    #expect(try single.values(of: "a", as: Data.self) == [nil, Data()])
  }

  @Test("extreme numbers, Floats, zeros and decimal numbers are read back unchanged")
  func numbers() throws {
    var frame = DataFrame()
    try frame.append(
      "double",
      [.infinity, -.infinity, -0.0, .leastNonzeroMagnitude, .greatestFiniteMagnitude] as [Double?])
    try frame.append("float", [0.1, .infinity, -0.0, .leastNonzeroMagnitude, nil] as [Float?])
    try frame.append(
      "decimal",
      ["1.5", "-0.001", "0", "99999999999999999999999999999999999999", "1"].map {
        Decimal(string: $0)
      })
    try frame.append("text", ["inf", "-inf", "nan", "1.50", ""] as [String?])
    let types: [String: any ColumnValue.Type] = ["float": Float.self, "decimal": Decimal.self]
    #expect(try DataFrame(csv: frame.csv(), types: types) == frame)
    // Also without types, as far as CSV can express them.
    let plain = try DataFrame(csv: frame.csv())
    #expect(plain["double"] == frame["double"] && plain["text"] == frame["text"])
    #expect(plain["decimal"]?.type == String.self)
    #expect(plain["decimal"]?.values == frame["decimal"]?.values)
    // The spellings of other programs become the value's own form.
    let foreign = try DataFrame(
      csv: "price,share\n1.50,-0.0\n+1E2,1e0\n",
      types: ["price": Decimal.self, "share": Double.self])
    #expect(foreign["price"]?.values == ["1.5", "100"])
    #expect(foreign["share"]?.values.map(\.description) == ["0.0", "1.0"])
    for text in ["1,5", "12abc", "nan", "1.2.3", String(repeating: "9", count: 39)] {
      #expect(throws: DataFrameError.self, "\(text)") {
        try DataFrame(csv: "a\n\"\(text)\"\n", types: ["a": Decimal.self])
      }
    }
    #expect(throws: DataFrameError.self) {
      try DataFrame(csv: "a\nnan\n", types: ["a": Double.self])
    }
  }

  @Test("CSV is read with any line end, a byte order mark, and no end of the last line")
  func reading() throws {
    func cells(_ text: String) throws -> [[DatabaseValue]] {
      let frame = try DataFrame(csv: text)
      return try (0..<frame.rowCount).map { try frame.row(at: $0) }
    }
    let expected: [[DatabaseValue]] = [["x", 1], ["y", 2]]
    #expect(try cells("a,b\r\nx,1\r\ny,2\r\n") == expected)
    #expect(try cells("a,b\nx,1\ny,2") == expected)
    #expect(try cells("a,b\rx,1\ry,2\r") == expected)
    #expect(try cells("\u{FEFF}a,b\nx,1\ny,2\n") == expected)
    #expect(
      try cells("a\n\"x\"\"y\"\n\"\r\n\"\n\"\"\n\n z \n") == [
        ["x\"y"], ["\r\n"], [""], [nil], [" z "],
      ])
    #expect(try cells("a,b\n") == [])
    #expect(try DataFrame(csv: "").columns.isEmpty)
    #expect(try DataFrame(csv: "a;b\n1;\"x;y\"", separator: ";").row(at: 0) == [1, "x;y"])
    #expect(try DataFrame(csv: "1,2", names: ["p", "q"]).row(at: 0) == [1, 2])
    #expect(try cells("a,b\nä日\"本,2\n") == [["ä日\"本", 2]])
  }

  @Test("a type that is not given is inferred from all fields if none is quoted")
  func inference() throws {
    func column(_ fields: String...) throws -> (type: String, values: [DatabaseValue]) {
      let frame = try DataFrame(csv: (["a,b"] + fields.map { "\($0),1" }).joined(separator: "\n"))
      return (frame.columns[0].type.map { "\($0)" } ?? "none", frame.columns[0].values)
    }
    #expect(try column("1", "-2", "") == ("Int64", [1, -2, nil]))
    #expect(try column("1.0", "2.5", "1e+300") == ("Double", [1.0, 2.5, 1e300]))
    #expect(try column("9223372036854775807") == ("Int64", [.integer(.max)]))
    #expect(try column("1", "\"2\"") == ("String", ["1", "2"]))
    #expect(try column("007", "1") == ("String", ["007", "1"]))
    // Each cell keeps its own kind of number, and is read as a Double as well.
    #expect(try column("1", "2.5", "") == ("none", [1, 2.5, nil]))
    #expect(
      try column("9007199254740993", "1.5") == ("none", [.integer(9_007_199_254_740_993), 1.5]))
    let mixed = try DataFrame(csv: "a\n1\n2.5\n")
    #expect(try mixed.values(of: "a", as: Double.self) == [1, 2.5])
    #expect(try column("true", "false") == ("Bool", [true, false]))
    #expect(try column("true", "1") == ("String", ["true", "1"]))
    #expect(try column("nan") == ("String", ["nan"]))
    #expect(try column("", "") == ("none", [nil, nil]))
    #expect(try column("+1") == ("String", ["+1"]))
    #expect(
      try column("1970-01-01T00:00:01.000000Z", "") == ("Date", [.integer(1_000_000), nil]))
  }

  @Test("a text that no number is written as stays a text, and all texts are written as they were")
  func texts() throws {
    let texts = [
      "11898508762506083287", "9223372036854775808", "1.10", "1557E9", "1e5", "1e400", "-1e400",
      "1e-400", "-0", "-0.0", "007", "00601", "+5", "0x10", " 5", "5 ", "1_000", "1,000", "NaN",
      "nan", "Infinity", "infinity", ".5", "5.", "1.0e5", "0.1234567890123456789", "٣", "1.5.0",
      "9007199254740993.0", "True", "2026-11-26", "2026-11-26T10:50:00Z", "x\u{0}y", "\u{0}",
    ]
    for text in texts {
      let line = text.contains(",") ? "\"\(text)\"" : text
      // Also beside a field that is a number: the whole column is text then.
      for other in ["", "3", "2.5"] {
        let csv = "a,b\r\n\(line),x\r\n\(other),y\r\n"
        let frame = try DataFrame(csv: csv)
        #expect(frame["a"]?.type == String.self, "\(text)")
        #expect(frame["a"]?.values == [.text(text), other.isEmpty ? nil : .text(other)], "\(text)")
        #expect(try frame.csv() == csv, "\(text)")
      }
    }
    for text in [
      "0", "-1", "1.5", "0.1", "1e+300", "5e-324", "inf", "true", "-9223372036854775808",
    ] {
      let csv = "2026\r\n\(text)\r\n"
      #expect(try DataFrame(csv: csv).csv() == csv)
      // Quotation marks make the whole column a text.
      let texts = try DataFrame(columns: [DataFrameColumn("2026", [text, text])])
      #expect(try texts.csv() == "2026\r\n\"\(text)\"\r\n\"\(text)\"\r\n")
      #expect(try DataFrame(csv: texts.csv()) == texts)
    }
  }

  @Test("a Double of a given type reads a number in any spelling, if it loses no digits")
  func givenDoubles() throws {
    func read(_ text: String) throws -> Double? {
      try DataFrame(csv: "a\n\(text)\n", types: ["a": Double.self]).values(of: "a")[0]
    }
    for (text, value) in [
      ("1.10", 1.1), ("007", 7), ("1557E9", 1_557e9), ("+5", 5), ("0.10000000000000001", 0.1),
      ("9007199254740992", 9_007_199_254_740_992), ("18446744073709551616", 0x1p64),
      ("0.1000000000000000055511151231257827021181583404541015625", 0.1), ("-0", 0),
      ("5e-324", .leastNonzeroMagnitude),
      ("0.000", 0), ("100000000000000000000000", 1e23),
      ("1.7976931348623157e308", .greatestFiniteMagnitude),
      ("inf", .infinity), ("0e99999999999999999999", 0),
    ] {
      #expect(try read(text) == value, "\(text)")
    }
    for text in [
      "9007199254740993", "11898508762506083287", "0.1234567890123456789", "1e400", "-1e400",
      "1e-400", "4e-324", "1e99999999999999999999", "10e9223372036854775807",
      "10e-9223372036854775808", "9007199254740993.5", "1.7976931348623159e308",
    ] {
      let error = #expect(throws: DataFrameError.self, "\(text)") { try read(text) }
      #expect(
        error?.message
          == "line 2, a: \"\(text)\" cannot be read as Double, which does not hold its "
          + "digits; give the column the type Decimal or String")
    }
    #expect(throws: DataFrameError.self) {
      try DataFrame(csv: "a\n11898508762506083287\n", types: ["a": Int.self])
    }
  }

  @Test("random CSV is written back as it was, and random columns are written the same way again")
  func writtenBack() throws {
    let seed = TestSeed.draw()
    var random = Generator(state: seed)
    let pieces = [
      "0", "1", "9", "12345678", "-", "+", ".", "e", "E", "5", "_", " ", "x", "\u{0}", "ä",
    ]
    let db = try Database.inMemory()
    try db.execute("CREATE TABLE cells (a)")
    let whole = ["", "1", "2.5", "inf", "true", "1970-01-01T00:00:01.000000Z", "9007199254740993"]
    for round in 0..<TestSize.count(small: 500, full: 20_000) {
      let count = Int.random(in: 1..<4, using: &random)
      func text() -> String {
        if Bool.random(using: &random) { return whole.randomElement(using: &random) ?? "" }
        return (0..<Int.random(in: 0..<6, using: &random)).map { _ in
          pieces.randomElement(using: &random) ?? ""
        }.joined()
      }
      let lines = (0..<count).map { _ in "\(text()),\(text())\r\n" }
      let csv = "a,b\r\n" + lines.joined()
      #expect(try DataFrame(csv: csv).csv() == csv, "seed \(seed), round \(round): \(csv)")
      // Cells of any kind, also in one column, as raw SQL gives them.
      let values = (0..<count).map { _ -> DatabaseValue in
        switch Int.random(in: 0..<5, using: &random) {
        case 0: .null
        case 1: .integer(Int64.random(in: -3...3, using: &random))
        case 2: .real(Double(Int.random(in: -9...9, using: &random)) / 4)
        case 3: .blob(Data(text().utf8))
        default: .text(text())
        }
      }
      try db.execute("DELETE FROM cells")
      for value in values { try db.execute("INSERT INTO cells VALUES (\(value))") }
      let frame = try db.dataFrame("SELECT a FROM cells ORDER BY rowid")
      let written = try frame.csv()
      #expect(try DataFrame(csv: written).csv() == written, "seed \(seed), round \(round)")
      let json = try frame.json()
      #expect(try DataFrame(json: json).json() == json, "seed \(seed), round \(round)")
    }
  }

  @Test("given types are read: enumerations, dates in other spellings, UUIDs and flags")
  func types() throws {
    let text = "mood,at,id,flag\ncalm,2026-11-21T10:50:00Z,0102,1\n,,0304,false\n"
    let frame = try DataFrame(
      csv: text,
      types: ["mood": Mood?.self, "at": Date.self, "id": String.self, "flag": Bool.self])
    #expect(try frame.values(of: "mood") == [Mood.calm, nil])
    #expect(
      try frame.values(of: "at", as: Date.self) == [
        Date(timeIntervalSince1970: 1_795_258_200), nil,
      ])
    #expect(try frame.values(of: "id") == ["0102", "0304"])
    #expect(try frame.values(of: "flag") == [true, false])
  }

  @Test("malformed CSV throws with its line")
  func mistakes() {
    func message(_ text: String, _ types: [String: any ColumnValue.Type] = [:]) -> String {
      #expect(throws: DataFrameError.self) { try DataFrame(csv: text, types: types) }?.message ?? ""
    }
    #expect(message("a,b\n1,2\n3\n") == "line 3 has 1 fields, but there are 2 columns")
    #expect(message("a,b\n\"x\ny\",1\n1,2,3") == "line 4 has 3 fields, but there are 2 columns")
    #expect(message("a\n\"x") == "line 2: a quoted field has no closing quotation mark")
    #expect(message("a\n\"x\"y\n").hasPrefix("line 2: a quoted field must be followed"))
    #expect(message("a,A\n1,2") == "there are two columns named A")
    #expect(message("a\n1\nx\n", ["a": Int.self]) == #"line 3, a: "x" cannot be read as Int"#)
    #expect(message("m\nmad\n", ["m": Mood.self]) == #"line 2, m: "mad" cannot be read as Mood"#)
    #expect(message("a\n300\n", ["a": Int8.self]) == #"line 2, a: "300" cannot be read as Int8"#)
    #expect(throws: DataFrameError.self) { try DataFrame(csv: "a", separator: "\"") }
    #expect(throws: DataFrameError.self) { try DataFrame(csv: "a", separator: "ä") }
  }

  @Test("random frames are read back unchanged, as CSV and as JSON")
  func random() throws {
    let seed = TestSeed.draw()
    var random = Generator(state: seed)
    let pieces = [
      "", "a", "\"", ",", "\n", "\r\n", "\r", " ", "1", "007", "true", "ä", "日本", "e\u{301}",
      "1970-01-01T00:00:01.000000Z", "\\", "{}", "[1]", "null", "\u{1}", "\u{FEFF}", "-1e5", "🐦",
    ]
    func text(_ random: inout Generator) -> String {
      (0..<Int.random(in: 0..<4, using: &random)).map { _ in
        pieces[Int.random(in: 0..<pieces.count, using: &random)]
      }.joined()
    }
    for round in 0..<TestSize.count(small: 200, full: 2_000) {
      let count = Int.random(in: 0..<5, using: &random)
      func cells<Value>(_ make: (inout Generator) -> Value) -> [Value?] {
        (0..<count).map { _ in
          Int.random(in: 0..<4, using: &random) == 0 ? nil : make(&random)
        }
      }
      var frame = DataFrame()
      try frame.append("t", cells(text))
      try frame.append("i", cells { Int64.random(in: .min ... .max, using: &$0) })
      try frame.append(
        "r",
        cells { random in
          let drawn = Double(bitPattern: random.next())
          return drawn.isNaN ? .infinity : drawn
        })
      try frame.append("b", cells { Bool.random(using: &$0) })
      try frame.append(
        "d",
        cells { Date(timeIntervalSince1970: Double(Int.random(in: 0..<4_000_000_000, using: &$0))) }
      )
      try frame.append(
        "x",
        cells { random in
          let count = Int.random(in: 0...3, using: &random)
          return Data((0..<count).map { _ in UInt8.random(in: 0...255, using: &random) })
        })
      let types: [String: any ColumnValue.Type] = [
        "t": String.self, "i": Int64.self, "r": Double.self, "b": Bool.self, "d": Date.self,
        "x": Data.self,
      ]
      let csv = try DataFrame(csv: frame.csv(), types: types)
      #expect(csv == frame, "seed \(seed), round \(round), CSV")
      let semicolons = try DataFrame(csv: frame.csv(separator: ";"), types: types, separator: ";")
      #expect(semicolons == frame, "seed \(seed), round \(round), CSV with semicolons")
      let isFinite = frame["r"]?.values.allSatisfy {
        $0 != .real(.infinity) && $0 != .real(-.infinity)
      }
      if count > 0, isFinite == true {
        let json = try DataFrame(json: frame.json(), types: types)
        #expect(json == frame, "seed \(seed), round \(round), JSON")
      }
      // Also without types if a column has a value, since none of its texts looks like a number.
      let plain = try DataFrame(csv: frame.csv())
      for name in ["t", "i", "r", "b", "d"]
      where frame[name]?.values.contains(where: { !$0.isNull }) == true {
        #expect(plain[name] == frame[name], "seed \(seed), round \(round), \(name)")
      }
    }
  }
}

private struct Generator: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
