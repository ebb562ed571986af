import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

/// The stored form of a column, for a model that is generic over the column's type.
protocol ColumnForm: Sendable {
  static var form: StoredForm { get }
}

@Suite("Values that cannot be read, which a migration refuses and never turns into NULL")
struct KeptValueTests {
  enum Standard: ColumnForm { static let form = StoredForm.standard }
  enum Bytes: ColumnForm { static let form = StoredForm.bytes }
  enum ISO8601: ColumnForm { static let form = StoredForm.iso8601 }
  enum UnixSeconds: ColumnForm { static let form = StoredForm.unixSeconds }

  enum Level: Int, ColumnValue { case low = 1, high }

  struct Note<Value: ColumnValue, Form: ColumnForm>: Model {
    static var tableName: String { "Note" }
    @PrimaryKey var id: Int
    @Column var d: Value
    static var schema: Schema<Self> { Stored(\.$d, as: Form.form) }
  }

  struct RenamedNote<Value: ColumnValue, Form: ColumnForm>: Model {
    static var tableName: String { "Note" }
    @PrimaryKey var id: Int
    @Column var e: Value
    static var schema: Schema<Self> {
      Stored(\.$e, as: Form.form)
      Renamed(\.$e, from: "d")
    }
  }

  struct Facet: Model {
    static let tableName = "note"
    @PrimaryKey var id: Int
  }

  /// A value in a column of a declared type that a Swift type, optional or not, cannot read.
  struct Pair: Sendable, CustomTestStringConvertible {
    let declared: String
    let value: String
    let name: String
    let required: any Model.Type
    let optional: any Model.Type
    let renamed: any Model.Type

    init<Value: ColumnValue, Form: ColumnForm>(
      _ declared: String, _ value: String, _ type: Value.Type, _ form: Form.Type
    ) {
      self.declared = declared
      self.value = value
      name = "\(type) \(Form.form)"
      required = Note<Value, Form>.self
      optional = Note<Value?, Form>.self
      renamed = RenamedNote<Value?, Form>.self
    }

    init(_ declared: String, _ value: String, _ type: (some ColumnValue).Type) {
      self.init(declared, value, type, Standard.self)
    }

    /// Whether the value is a date in a form of the library that the model does not declare.
    var isReadable: Bool { declared == "INTEGER" && value.hasPrefix("1258000000") }

    var testDescription: String { "\(declared) \(value) as \(name)" }
  }

  static let pairs = [
    Pair("TEXT", "'soon'", Date.self),
    Pair("TEXT", "''", Date.self),
    Pair("TEXT", "'soon'", Date.self, UnixSeconds.self),
    Pair("DATETIME", "'soon'", Date.self),
    Pair("", "'soon'", Date.self),
    Pair("INTEGER", "9223372036854775807", Date.self, ISO8601.self),
    // Seconds and milliseconds, as other programs store dates.
    Pair("INTEGER", "1258000000", Date.self, ISO8601.self),
    Pair("INTEGER", "1258000000123", Date.self, UnixSeconds.self),
    Pair("TEXT", "'no UUID'", UUID.self, Bytes.self),
    Pair("BLOB", "x'0102'", UUID.self),
    Pair("BLOB", "'no UUID'", UUID.self),
    Pair("REAL", "2.5", UUID.self),
    Pair("TEXT", "'five'", Int.self),
    Pair("TEXT", "''", Int64.self),
    Pair("TEXT", "'9223372036854775808'", Int64.self),
    Pair("TEXT", "'300'", UInt8.self),
    Pair("TEXT", "'2'", Bool.self),
    Pair("TEXT", "'true'", Bool.self),
    Pair("TEXT", "'7'", Level.self),
    Pair("REAL", "1.5", Int.self),
    Pair("REAL", "9e999", Int.self),
    Pair("NUMERIC", "'five'", Double.self),
    Pair("BLOB", "x'31'", Int.self),
    Pair("BLOB", "x'FF'", String.self),
    Pair("INTEGER", "5", Data.self),
    Pair("INTEGER", "5", JSON<[String]>.self),
    Pair("REAL", "9e999", Decimal.self),
    Pair("BLOB", "x''", URL.self),
  ]

  func database(_ pair: Pair, isStrict: Bool = false) throws -> Database {
    let db = try Specification.database()
    try db.execute(
      """
      CREATE TABLE Note (id INTEGER PRIMARY KEY NOT NULL, d \(unsafe: pair.declared)) \
      \(unsafe: isStrict ? "STRICT" : "");
      INSERT INTO Note VALUES (1, \(unsafe: pair.value))
      """)
    return db
  }

  func dump(_ db: Database) throws -> [[DatabaseValue]] {
    try db.rows("SELECT sql FROM sqlite_schema").map(\.values)
      + db.rows("SELECT *, typeof(d), hex(d) FROM Note").map(\.values)
  }

  @Test(
    "an unreadable value is refused with the same reason whether or not the new type is optional",
    arguments: pairs)
  func optional(_ pair: Pair) throws {
    let db = try database(pair)
    let before = try dump(db)
    let required = try db.migrationPlan(for: [pair.required]).refusals
    let optional = try db.migrationPlan(for: [pair.optional]).refusals
    func reasons(_ steps: [MigrationPlan.Step], _ model: any Model.Type) -> [String] {
      steps.map { $0.reason.replacing("\(model)", with: "the model") }
    }
    #expect(optional.count == 1)
    #expect(reasons(optional, pair.optional) == reasons(required, pair.required))
    for model in [pair.optional, pair.renamed] {
      #expect(throws: MigrationError.self) { try db.migrate([model]) }
      #expect(throws: MigrationError.self) { try db.migrate([model, Facet.self]) }
    }
    #expect(try dump(db) == before)
  }

  @Test(
    "deleting rows with unreadable values keeps rows with NULL",
    arguments: pairs.filter { !$0.isReadable })
  func deleted(_ pair: Pair) throws {
    let db = try database(pair)
    try db.execute("INSERT INTO Note VALUES (2, NULL)")
    try db.migrate([pair.renamed], MigrationOptions(invalidValues: .deleted))
    #expect(try db.rows("SELECT id, e FROM Note").map(\.values) == [[2, nil]])
  }

  @Test(
    "rows whose values another stored form could read are not deleted",
    arguments: pairs.filter(\.isReadable))
  func notDeleted(_ pair: Pair) throws {
    let db = try database(pair)
    let before = try dump(db)
    #expect(throws: MigrationError.self) {
      try db.migrate([pair.renamed], MigrationOptions(invalidValues: .deleted))
    }
    #expect(try dump(db) == before)
  }

  @Test("text becomes an optional date only if every value can be read")
  func dates() throws {
    let db = try Specification.database()
    try db.execute(
      """
      CREATE TABLE Note (id INTEGER PRIMARY KEY NOT NULL, d TEXT);
      INSERT INTO Note VALUES (1, '2009-01-01 00:00:00'), (2, 'soon'), (3, NULL)
      """)
    let before = try dump(db)
    let error = #expect(throws: MigrationError.self) {
      try db.migrate([Note<Date?, Standard>.self])
    }
    #expect(error?.plan.steps.contains { $0.action == .rebuildTable } == false)
    #expect(try dump(db) == before)
    try db.execute(
      """
      DELETE FROM Note WHERE id < 3;
      INSERT INTO Note VALUES (4, '2009-01-01T00:00:00.000000Z')
      """)
    try db.migrate([Note<Date?, Standard>.self])
    #expect(
      try db.fetch(Note<Date?, Standard>.order(by: \.$id)).map(\.d) == [
        nil, Date(timeIntervalSince1970: 1_230_768_000),
      ])
  }

  @Test("numbers in a column of no definite type are not read as microseconds")
  func anyNumber() throws {
    for declared in ["DATETIME", "TIMESTAMP", "", "NUMERIC"] {
      for value in ["694224000", "694224000.5"] {
        let db = try database(Pair(declared, value, Date.self))
        let before = try dump(db)
        #expect(throws: MigrationError.self) { try db.migrate([Note<Date?, Standard>.self]) }
        #expect(try dump(db) == before)
      }
    }
  }

  @Test("numbers in a column of type TIMESTAMP are read in the declared REAL form")
  func declaredNumber() throws {
    for value in ["694224000", "694224000.0"] {
      let db = try database(Pair("TIMESTAMP", value, Date.self))
      try db.migrate([Note<Date?, UnixSeconds>.self])
      #expect(
        try db.fetch(Note<Date?, UnixSeconds>.all).map(\.d) == [
          Date(timeIntervalSince1970: 694_224_000)
        ])
    }
  }

  @Test("text becomes bytes and back in UTF-8, whatever the encoding of the file")
  func encodings() throws {
    for encoding in ["UTF-8", "UTF-16le", "UTF-16be"] {
      let db = try Database.inMemory()
      try db.writeWithoutTransaction {
        try $0.execute("PRAGMA encoding = '\(unsafe: encoding)'")
      }
      try db.execute(
        """
        CREATE TABLE Note (id INTEGER PRIMARY KEY NOT NULL, d TEXT);
        INSERT INTO Note VALUES (1, 'é' || char(0) || '😀')
        """)
      #expect(try db.row("PRAGMA encoding")?[0] == .text(encoding))
      try db.migrate([Note<Data?, Standard>.self])
      #expect(try db.fetch(Note<Data?, Standard>.all).map(\.d) == [Data("é\0😀".utf8)])
      // Going back is what an older program would do, so it must be requested.
      try db.migrate([Note<String?, Standard>.self], MigrationOptions(newerSchema: .replaced))
      #expect(try db.fetch(Note<String?, Standard>.all).map(\.d) == ["é\0😀"])
    }
  }
}
