import Foundation
import SQLCore
import Testing

@Suite("Prepared statements")
struct StatementTests {
  private let folder: TemporaryFolder
  private let connection: Connection

  init() throws {
    folder = try TemporaryFolder()
    connection = try folder.connection()
    try connection.execute("CREATE TABLE pair (a ANY, b ANY) STRICT")
  }

  private var pairs: [[DatabaseValue]] {
    get throws { try connection.rows("SELECT a, b FROM pair ORDER BY rowid").map(\.values) }
  }

  @Test("values are bound by position, from 1")
  func positions() throws {
    let insert = try connection.prepare("INSERT INTO pair VALUES (?, ?)")
    #expect(insert.parameterCount == 2)
    try insert.bind(33, at: 1)
    try insert.bind("lulu", at: 2)
    try insert.run()
    #expect(try pairs == [[33, "lulu"]])
    for index in [0, 3, -1, .max, .min] {
      let error = #expect(throws: DatabaseError.self) { try insert.bind(1, at: index) }
      #expect(error?.code.primary == .range)
    }
  }

  @Test("values are bound as a sequence, and a wrong number throws")
  func sequence() throws {
    let insert = try connection.prepare("INSERT INTO pair VALUES (?, ?)")
    try insert.bind([33, "lulu"])
    try insert.run()
    let few = #expect(throws: DatabaseError.self) { try insert.bind([1]) }
    #expect(few?.code == .range)
    #expect(few?.message == "the statement has 2 parameters, and 1 values were given")
    #expect(throws: DatabaseError.self) { try insert.bind([1, 2, 3]) }
    #expect(throws: DatabaseError.self) { try insert.bind([DatabaseValue]()) }
    #expect(try pairs == [[33, "lulu"]])
  }

  @Test(
    "values of different types and nil are bound in one call, and a wrong number throws")
  func variadic() throws {
    let insert = try connection.prepare("INSERT INTO pair VALUES (?, ?)")
    try insert.bind(33, "lulu")
    try insert.run()
    let number: Int? = nil
    try insert.bind(UUID(uuidString: "00000000-0000-0000-0000-000000000001"), number)
    try insert.run()
    try insert.bind(nil, 2.5)
    try insert.run()
    #expect(throws: DatabaseError.self) { try insert.bind(1) }
    #expect(throws: DatabaseError.self) { try insert.bind(1, 2, 3) }
    #expect(throws: ColumnValueError.self) { try insert.bind(1, Double.nan) }
    #expect(
      try pairs == [
        [33, "lulu"], ["00000000-0000-0000-0000-000000000001", nil], [nil, 2.5],
      ])
  }

  @Test("values are bound in the stored form that is given, by position, name or interpolation")
  func forms() throws {
    let date = Date(timeIntervalSince1970: 86_400)
    let text: DatabaseValue = "1970-01-02T00:00:00.000000Z"
    let select = try connection.prepare("SELECT ?, :day, typeof(?1)")
    try select.bind(date, at: 1, as: .iso8601)
    try select.bind(date, to: ":day", as: .unixSeconds)
    #expect(try select.step())
    #expect(try select.row().values == [text, 86_400.0, "text"])
    let none: Date? = nil
    let row = try connection.row(
      """
      SELECT \(date, as: .iso8601), \(Optional(date), as: .referenceSeconds),
        \(none, as: .iso8601), \(date, as: .standard)
      """)
    #expect(row?.values == [text, .real(86_400 - 978_307_200), nil, 86_400_000_000])
    #expect(throws: ColumnValueError.self) { try select.bind("text", at: 1, as: .iso8601) }
    #expect(throws: ColumnValueError.self) {
      try connection.row("SELECT \("text", as: .iso8601)")
    }
  }

  @Test("values are bound by name, and missing, extra and unknown names throw")
  func names() throws {
    let insert = try connection.prepare("INSERT INTO pair VALUES (:a, $b)")
    try insert.bind([":a": 100, "$b": 404])
    try insert.run()
    try insert.bind("x", to: ":a")
    try insert.bind(Data([1]), to: "$b")
    try insert.run()
    #expect(try pairs == [[100, 404], ["x", .blob(Data([1]))]])
    #expect(throws: DatabaseError.self) { try insert.bind([":a": 1]) }
    #expect(throws: DatabaseError.self) { try insert.bind([":a": 1, "$b": 2, ":c": 3]) }
    let unknown = #expect(throws: DatabaseError.self) { try insert.bind([":a": 1, ":b": 2]) }
    #expect(unknown?.message == "there is no parameter :b")
    #expect(unknown?.code == .range)
    for name in ["a", ":A", "", ":a\u{0}", "?1"] {
      #expect(throws: DatabaseError.self) { try insert.bind(1, to: name) }
    }
  }

  @Test("parameters of every storable type are bound in their storage class")
  func types() throws {
    let select = try connection.prepare("SELECT ?, typeof(?1)")
    func type(_ value: some ColumnValue) throws -> String {
      try select.bind(value, at: 1)
      #expect(try select.step())
      return try select.get(at: 1)
    }
    #expect(try type(7) == "integer")
    #expect(try type("lulu") == "text")
    #expect(try type(Data()) == "blob")
    #expect(try type(true) == "integer")
    #expect(try type(1.0) == "real")
    #expect(try type(UUID()) == "text")
    #expect(try type(try #require(URL(string: "https://example.com"))) == "text")
    #expect(try type(Date()) == "integer")
    #expect(try type(JSON(["a": 1])) == "text")
    #expect(try type(Int?.none) == "null")
    #expect(throws: ColumnValueError.self) { try select.bind(Double.nan, at: 1) }
    #expect(throws: ColumnValueError.self) { try select.bind(databaseValue: .real(.nan), at: 1) }
  }

  @Test("a statement prepared once runs five times, and cleared values are NULL")
  func fiveRuns() throws {
    let insert = try connection.prepare("INSERT INTO pair VALUES (?, ?)")
    #expect(try insert.runCount == 0)
    for number in 0..<5 {
      try insert.bind([.integer(Int64(number)), "x"])
      try insert.run()
      try insert.reset()
      if number == 2 { try insert.clearBindings() }
    }
    #expect(try insert.runCount == 5)
    #expect(try connection.value(Int.self, "SELECT count(*) FROM pair") == 5)
    try insert.clearBindings()
    try insert.run()
    #expect(try pairs.last == [nil, nil])
  }

  @Test("bound values stay for the next run")
  func valuesStay() throws {
    let insert = try connection.prepare("INSERT INTO pair VALUES (?, ?)")
    try insert.bind([1, 2])
    try insert.run()
    try insert.run()
    #expect(try pairs == [[1, 2], [1, 2]])
  }

  @Test("a statement steps from row to row, ends, and starts again")
  func stepping() throws {
    let select = try connection.prepare("SELECT value AS n FROM json_each(\("[1,2]"))")
    for _ in 0..<2 {
      #expect(try select.step())
      #expect(try select.get(Int.self, at: 0) == 1)
      #expect(try select.step())
      #expect(try select.get(Int.self, named: "N") == 2)
      #expect(try select.row().values == [2])
      #expect(try !select.step())
    }
    #expect(try select.step())
    try select.reset()
    #expect(try select.step())
    #expect(try select.get(Int.self, at: 0) == 1)
    #expect(try select.columnNames == ["n"])
    #expect(select.sql == "SELECT value AS n FROM json_each(?)")
  }

  @Test("reading without a current row throws misuse")
  func noRow() throws {
    let select = try connection.prepare("SELECT 1 AS n")
    func expectMisuse() {
      for read: () throws -> Void in [
        { _ = try select.get(Int.self, at: 0) }, { _ = try select.get(Int.self, named: "n") },
        { _ = try select.row() },
      ] {
        let error = #expect(throws: DatabaseError.self) { try read() }
        #expect(error?.code == .misuse)
      }
    }
    expectMisuse()
    #expect(try select.step())
    #expect(try select.get(Int.self, at: 0) == 1)
    #expect(try !select.step())
    expectMisuse()
    #expect(try select.step())
    try select.reset()
    expectMisuse()
  }

  @Test("an error while stepping is thrown, and the statement can be used again")
  func errorWhileStepping() throws {
    let select = try connection.prepare("SELECT abs(?)")
    try select.bind(Int64.min, at: 1)
    let error = #expect(throws: DatabaseError.self) { try select.step() }
    #expect(error?.message == "integer overflow")
    try select.bind(-7, at: 1)
    #expect(try select.step())
    #expect(try select.get(Int.self, at: 0) == 7)
  }

  @Test("a text with no statement or with several is refused")
  func notOne() throws {
    for sql: SQL in ["", "  ", "-- nothing", ";", "SELECT 1; SELECT 2"] {
      let error = #expect(throws: DatabaseError.self) { try connection.prepare(sql) }
      #expect(error?.code == .misuse)
    }
    #expect(try connection.prepare("SELECT 1; -- one").step())
    #expect(throws: DatabaseError.self) { try connection.prepare("SELECT 1; nonsense") }
  }

  @Test("a statement kept past its closure throws misuse and pins no snapshot")
  func keptPastClosure() throws {
    let db = try Database.temporary(configuration: .with { $0.maximumReaders = 1 })
    try db.execute("CREATE TABLE note (n INTEGER); INSERT INTO note VALUES (1), (2)")
    var kept: Statement?
    try db.read { connection in
      let select = try connection.prepare("SELECT n FROM note")
      #expect(try select.step())
      kept = select
    }
    let statement = try #require(kept)
    for use: () throws -> Void in [
      { _ = try statement.step() }, { _ = try statement.get(Int.self, at: 0) },
      { try statement.reset() }, { try statement.bind([1]) }, { try statement.bind([":a": 1]) },
      { try statement.bind(1, at: 1) }, { try statement.bind(1, to: ":a") },
      { try statement.clearBindings() }, { try statement.run() }, { _ = try statement.row() },
      { _ = try statement.columnNames }, { _ = try statement.runCount },
    ] {
      let error = #expect(throws: DatabaseError.self) { try use() }
      #expect(error?.code == .misuse || error?.code == .range)
    }
    #expect(statement.sql == "SELECT n FROM note")
    // The reader's next snapshot is a new one.
    try db.execute("INSERT INTO note VALUES (3)")
    #expect(try db.row("SELECT count(*) FROM note")?[0] == 3)
    kept = nil
  }
}
