import Apus
import DataFrames
import Foundation
import Testing

enum Mood: String, ColumnValue { case calm, wild }

struct Animal: Model {
  @PrimaryKey var id: Int
  @Column var name: String
  @Column var mood: Mood?
  @Column var isTame: Bool
  @Column var weight: Double
  @Column var born: Date
  @Column var chip: UUID
  @Column var picture: Data?

  static var schema: Schema<Animal> {
    Stored(\.$born, as: .iso8601)
    Stored(\.$chip, as: .bytes)
  }
}

@Suite("Data frames")
struct DataFrameTests {
  private let db: Database
  private let chip = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))

  init() throws {
    db = try Database.temporary(models: [Animal.self])
    try db.insert([
      Animal(
        id: 1, name: "Rex", mood: .wild, isTame: false, weight: 30.5,
        born: Date(timeIntervalSince1970: 0.5), chip: chip, picture: Data([1, 2])),
      Animal(
        id: 2, name: "Tom", isTame: true, weight: 4, born: Date(timeIntervalSince1970: 60),
        chip: chip),
    ])
  }

  @Test("a typed query gives names, types without optionals, and values in standard form")
  func typed() throws {
    let frame = try db.dataFrame(Animal.order(by: \.$id))
    #expect(
      frame.columnNames == ["id", "name", "mood", "isTame", "weight", "born", "chip", "picture"])
    let types: [any ColumnValue.Type] = [
      Int.self, String.self, Mood.self, Bool.self, Double.self, Date.self, UUID.self, Data.self,
    ]
    #expect(zip(frame.columns, types).allSatisfy { $0.type == $1 })
    #expect(frame.rowCount == 2)
    #expect(try frame.values(of: "ID", as: Int.self) == [1, 2])
    #expect(try frame.values(of: "mood") == [Mood.wild, nil])
    #expect(try frame.values(of: "isTame", as: Bool.self) == [false, true])
    #expect(
      try frame.values(of: "born") == [
        Date(timeIntervalSince1970: 0.5), Date(timeIntervalSince1970: 60),
      ])
    #expect(try frame.row(at: 0)[5] == .integer(500_000))
    #expect(try frame.values(of: "chip") == [chip, chip])
    #expect(try frame.values(of: "picture") == [Data([1, 2]), nil])
    #expect(throws: ColumnValueError.self) { try frame.values(of: "name", as: Int.self) }
    #expect(throws: DataFrameError.self) { try frame.values(of: "nothing", as: Int.self) }
    #expect(throws: DataFrameError.self) { try frame.row(at: 2) }
  }

  @Test("expressions are named by `as`, and the later of two equal names gets a number")
  func names() async throws {
    let groups = try await db.dataFrame(
      Animal.select { ($0.$isTame, $0.count().as("animals"), $0.$weight.max().as("most")) }
        .group(by: \.$isTame).order(by: \.$isTame))
    #expect(groups.columnNames == ["isTame", "animals", "most"])
    #expect(try groups.values(of: "most", as: Double.self) == [30.5, 4])
    let twice = try await db.dataFrame("SELECT id, name, id, 'x' AS ID_2 FROM Animal WHERE id = 1")
    #expect(twice.columnNames == ["id", "name", "id_2", "ID_2_2"])
  }

  @Test("a query with `map` gives the columns that its SQL selects")
  func mapped() throws {
    let frame = try db.dataFrame(
      Animal.order(by: \.$id).select { ($0.$name, $0.$weight.as("kg")) }.map { "\($0): \($1)" })
    #expect(frame.columnNames == ["name", "kg"])
    #expect(try frame.values(of: "kg", as: Double.self) == [30.5, 4])
    let models = try db.dataFrame(Animal.where { $0.$isTame.isTrue }.map(\.name))
    #expect(models.columnNames.first == "id")
    #expect(models.rowCount == 1)
  }

  @Test("a raw column has its declared type, or that of its first value, or none")
  func raw() throws {
    try db.execute("CREATE TABLE loose (a INTEGER, b, c REAL, d TEXT)")
    try db.execute("INSERT INTO loose VALUES (1, NULL, 2, 'x'), ('one', 3, 2.5, NULL)")
    let frame = try db.dataFrame("SELECT a, b, c, d, b + 0.5, NULL FROM loose ORDER BY rowid")
    let types: [(any ColumnValue.Type)?] = [
      nil, Int64.self, Double.self, String.self, Double.self, nil,
    ]
    #expect(zip(frame.columns, types).allSatisfy { $0.type == $1 })
    #expect(frame.columns[2].values == [2.0, 2.5])
    #expect(frame.columns[0].values == [1, "one"])
    let exact = try db.dataFrame("SELECT 1.5 AS a, 1.5 AS b UNION ALL SELECT 9007199254740993, 2")
    #expect(exact.columns[0].type == nil && exact.columns[1].type == Double.self)
    #expect(exact.columns[0].values == [1.5, .integer(9_007_199_254_740_993)])
    #expect(exact.columns[1].values == [1.5, 2.0])
    let none = try db.dataFrame("SELECT id, name FROM Animal WHERE id > 9")
    #expect(none.rowCount == 0 && none.columnNames == ["id", "name"])
    #expect(none.columns[0].type == Int64.self)
  }

  @Test("a table by its name is a frame, with a number of rows, and a row is read by key paths")
  func named() throws {
    let animals: TableName = "Animal"
    let frame = try db.dataFrame(from: animals, limit: 1)
    #expect(frame.rowCount == 1 && frame.columnNames.prefix(2) == ["id", "name"])
    #expect(try db.dataFrame(from: animals).rowCount == 2)
    #expect(try db.read { try $0.dataFrame(from: animals, limit: 0) }.rowCount == 0)
    // A column is read in the form that the model declares.
    let row = try #require(try db.row("SELECT name, born, chip, mood FROM \(animals) WHERE id = 2"))
    #expect(try row[\Animal.$born] == Date(timeIntervalSince1970: 60))
    #expect(try row[\Animal.$chip] == chip && row[\Animal.$mood] == nil)
    #expect(throws: DatabaseError.self) { try row[\Animal.$weight] }
  }

  @Test("a frame prints as a table")
  func printing() throws {
    let frame = try db.dataFrame(
      Animal.order(by: \.$id).select(\.$name, \.$mood, \.$isTame, \.$picture))
    #expect(
      frame.description == """
        ┏━━━┳━━━━━━━━━━┳━━━━━━━━┳━━━━━━━━┳━━━━━━━━━┓
        ┃   ┃ name     ┃ mood   ┃ isTame ┃ picture ┃
        ┃   ┃ <String> ┃ <Mood> ┃ <Bool> ┃ <Data>  ┃
        ┡━━━╇━━━━━━━━━━╇━━━━━━━━╇━━━━━━━━╇━━━━━━━━━┩
        │ 0 │ Rex      │ wild   │ false  │ 2 bytes │
        │ 1 │ Tom      │ nil    │ true   │ nil     │
        └───┴──────────┴────────┴────────┴─────────┘
        2 rows, 4 columns
        """)
  }

  @Test("a frame is written to a table that is created, and read back unchanged")
  func writing() async throws {
    let frame = try await db.dataFrame(Animal.order(by: \.$id))
    #expect(try await db.write(frame, to: "copy") == 2)
    #expect(
      try await db.row("SELECT sql FROM sqlite_schema WHERE name = 'copy'")?.get(
        String.self, at: 0)
          == #"""
          CREATE TABLE "copy" ("id" INTEGER, "name" TEXT, "mood" TEXT, "isTame" INTEGER, \#
          "weight" REAL, "born" INTEGER, "chip" TEXT, "picture" BLOB) STRICT
          """#)
    let back = try await db.dataFrame("SELECT * FROM copy ORDER BY id")
    #expect(back.columns.map(\.values) == frame.columns.map(\.values))
    #expect(try back.values(of: "born") == frame.values(of: "born", as: Date.self))
    // Appended to the existing rows, with columns in another order, and only some of them.
    var some = try DataFrame(columns: [.init("NAME", ["Zoe", nil] as [String?])])
    try some.append("id", [8, 9] as [Int?])
    #expect(try await db.write(some, to: "copy") == 2)
    #expect(
      try await db.fetch((Int, String?).self, "SELECT id, name FROM copy WHERE id > 7").map(\.1)
        == ["Zoe", nil])
  }

  @Test("a row that the table refuses throws with its number, and nothing is written")
  func refused() throws {
    var frame = DataFrame()
    try frame.append("id", [7, 1] as [Int?])
    try frame.append("name", ["x", "y"] as [String?])
    try frame.append("isTame", [true, false] as [Bool?])
    try frame.append("weight", [1, 2] as [Double?])
    try frame.append("born", ["a", "b"] as [String?])
    try frame.append("chip", [Data(), Data()] as [Data?])
    let error = #expect(throws: DatabaseError.self) { try db.write(frame, to: "Animal") }
    #expect(error?.message.contains("(row 1)") == true)
    #expect(try db.count(Animal.all) == 2)
    try frame.append("unknown", [1, 2] as [Int?])
    #expect(throws: DatabaseError.self) { try db.write(frame, to: "Animal") }
    #expect(throws: DataFrameError.self) { try db.write(DataFrame(), to: "empty") }
    #expect(throws: ColumnValueError.self) { try frame.append("nan", [.nan, 1] as [Double?]) }
  }

  @Test("a frame of a model with a value that its type cannot read throws with the key of the row")
  func unreadable() throws {
    try db.execute("UPDATE Animal SET mood = 'odd' WHERE id = 2")
    let error = #expect(throws: ColumnValueError.self) {
      try db.dataFrame(Animal.order(by: \.$id))
    }
    #expect(error?.table == "Animal" && error?.column == "mood" && error?.key == [2])
  }

  @Test(
    "a text that is not UTF-8 is a cell with its bytes, and throws where it is read or exported")
  func invalidText() throws {
    try db.execute("UPDATE Animal SET name = CAST(x'ff41' AS TEXT) WHERE id = 2")
    let broken = DatabaseValue.invalidText(Data([0xFF, 0x41]))
    let frames = [
      try db.dataFrame(Animal.order(by: \.$id).select(\.$id, \.$name)),
      try db.dataFrame("SELECT id, name FROM Animal ORDER BY id"),
    ]
    for frame in frames {
      #expect(frame["name"]?.values == ["Rex", broken])
      #expect(frame["name"]?.type == String.self)
      #expect(frame.table.rows == [["1", "Rex"], ["2", "CAST(x'FF41' AS TEXT)"]])
      let exports: [() throws -> Void] = [
        { _ = try frame.csv() }, { _ = try frame.json() },
        { _ = try frame.values(of: "name", as: String.self) },
      ]
      for export in exports {
        let error = #expect(throws: ColumnValueError.self) { try export() }
        #expect(error?.column == "name" && error?.row == 1)
        #expect(error?.description.contains("CAST(column AS BLOB)") == true)
      }
    }
    #expect(
      try db.table(Animal.order(by: \.$id).select(\.$name)).rows
        == [["Rex"], ["CAST(x'FF41' AS TEXT)"]])
    try db.write(frames[1], to: "copy")
    #expect(
      try db.fetch(String.self, "SELECT typeof(name) || hex(name) FROM copy WHERE id = 2")
        == ["textFF41"])
    let bytes = try db.dataFrame("SELECT CAST(name AS BLOB) AS name FROM Animal WHERE id = 2")
    #expect(try bytes.csv() == "name\r\n/0E=\r\n")
  }

  @Test("a number whose digits a column of an existing table would lose throws with its row")
  func digits() throws {
    let db = try Database.temporary()
    try db.execute(
      """
      CREATE TABLE n (i INTEGER, r REAL, d DECIMAL(20, 2), t TEXT, p);
      CREATE TABLE s (a ANY) STRICT;
      CREATE VIEW v AS SELECT i FROM n;
      CREATE TRIGGER added INSTEAD OF INSERT ON v BEGIN INSERT INTO n (p) VALUES (new.i); END
      """)
    func write(_ column: String, _ texts: [String?], to table: TableName = "n") throws {
      try db.write(DataFrame(columns: [.init(column, ["1"] + texts)]), to: table)
    }
    let long = "11898508762506083287"
    for column in ["i", "r", "d", "I"] {
      let error = #expect(throws: DataFrameError.self) { try write(column, [long]) }
      #expect(error?.message.hasPrefix("row 1: \(column.lowercased()) is ") == true)
      #expect(error?.message.contains("would lose digits of \(long); a column of TEXT") == true)
    }
    #expect(throws: DataFrameError.self) { try write("r", ["9007199254740993"]) }
    #expect(throws: DataFrameError.self) { try write("i", [" 1e400"]) }
    let integers = try DataFrame(columns: [.init("r", [9_007_199_254_740_993] as [Int?])])
    #expect(throws: DataFrameError.self) { try db.write(integers, to: "n") }
    #expect(try db.fetch(Int.self, "SELECT count(*) FROM n") == [0])

    func stored(_ column: SQL) throws -> [DatabaseValue?] {
      defer { try? db.execute("DELETE FROM n") }
      return try db.rows("SELECT \(column) FROM n ORDER BY rowid").map { $0[0] }
    }
    try write("i", [" 007", "1.50", "abc", "9223372036854775807"])
    #expect(try stored("i") == [1, 7, 1.5, "abc", .integer(.max)])
    try write("r", ["0.1"])
    #expect(try stored("r") == [1.0, 0.1])
    for column in ["t", "p"] {
      try write(column, [long])
      #expect(try stored("\(identifier: column)") == ["1", .text(long)])
    }
    try write("a", [long], to: "s")
    #expect(try db.rows("SELECT a FROM s").map { $0[0] } == ["1", .text(long)])
    // The columns of a view have no affinity.
    try write("i", [long], to: "v")
    #expect(try stored("p") == ["1", .text(long)])
    try db.write(DataFrame(columns: [.init("t", [0.1 + 0.2] as [Double?])]), to: "n")
    #expect(try stored("t") == ["0.30000000000000004"])
  }

  @Test("rows that SQLite ignores are not counted, and a row that it refuses undoes the others")
  func ignored() throws {
    let db = try Database.temporary()
    try db.execute("CREATE TABLE code (a INTEGER UNIQUE ON CONFLICT IGNORE CHECK (a > 0))")
    let frame = try DataFrame(columns: [.init("a", [1, 2, 1] as [Int?])])
    #expect(try db.write(frame, to: "code") == 2)
    let refused = try DataFrame(columns: [.init("a", [3, 4, 0] as [Int?])])
    try db.write { tx in
      #expect(throws: DatabaseError.self) { try tx.write(refused, to: "code") }
      try tx.execute("INSERT INTO code VALUES (9)")
    }
    #expect(try db.fetch(Int.self, "SELECT a FROM code ORDER BY a") == [1, 2, 9])
    try db.execute(
      """
      CREATE VIEW codes AS SELECT a FROM code;
      CREATE TRIGGER added INSTEAD OF INSERT ON codes BEGIN INSERT INTO code VALUES (new.a); END
      """)
    let more = try DataFrame(columns: [.init("a", [5, 6] as [Int?])])
    #expect(try db.write(more, to: "codes") == 2)
  }

  @Test(
    "a schema that may not change does not let a frame create a table",
    arguments: [.validated, .locked, .lockedTables(["made"])] as [SchemaPolicy])
  func locked(policy: SchemaPolicy) throws {
    var configuration = Configuration()
    configuration.schemaPolicy = policy
    let db = try Database.temporary(configuration: configuration)
    let frame = try DataFrame(columns: [.init("a", [1] as [Int?])])
    let error = #expect(throws: MigrationError.self) { try db.write(frame, to: "made") }
    #expect(error?.plan.steps.map(\.sql) == [#"CREATE TABLE "made" ("a" INTEGER) STRICT"#])
    #expect(try db.row("SELECT count(*) FROM sqlite_schema")?.get(Int.self, at: 0) == 0)
  }

  @Test("a frame is written to the main database, also beside a temporary table of the same name")
  func temporaryTable() throws {
    try db.write { connection in
      try connection.execute("CREATE TABLE code (a INTEGER); CREATE TEMP TABLE code (b TEXT)")
      let frame = try DataFrame(columns: [.init("a", ["1", "2"] as [String?])])
      let found = try connection.write(frame, to: "code")
      #expect(found == 2)
      let found2 = try connection.fetch(Int.self, "SELECT a FROM main.code ORDER BY a")
      #expect(found2 == [1, 2])
      let found3 = try connection.fetch(Int.self, "SELECT count(*) FROM temp.code")
      #expect(found3 == [0])
    }
  }

  @Test("a column of optionals has the type that they wrap")
  func optionals() throws {
    var frame = try DataFrame(columns: [.init("a", [true, nil] as [Bool?])])
    try frame.append("b", frame.values(of: "a", as: Bool?.self))
    #expect(frame["b"]?.type == Bool.self && frame["b"]?.values == frame["a"]?.values)
    let found = try frame.csv()
    #expect(found == "a,b\r\ntrue,true\r\n,\r\n")
  }

  @Test("columns have one length and unique names")
  func columns() throws {
    var frame = try DataFrame(columns: [.init("a", [1, 2] as [Int?])])
    #expect(throws: DataFrameError.self) { try frame.append("A", [3, 4] as [Int?]) }
    #expect(throws: DataFrameError.self) { try frame.append("b", [3] as [Int?]) }
    try frame.append("b", ["x", nil] as [String?])
    #expect(frame.remove("A")?.values == [1, 2])
    #expect(frame.remove("a") == nil && frame.columnNames == ["b"])
    let same = try DataFrame(columns: [.init("b", ["x", nil] as [String?])])
    #expect(frame == same)
    #expect(frame != DataFrame())
  }
}
