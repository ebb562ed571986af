import Foundation
import SQLCore
import SQLFunctions
import Testing

@Suite("Functions that SQLite's own library lacks")
struct SQLFunctionsTests {
  private let db: Database

  init() throws {
    db = try Database.temporary()
    try db.register(.allFunctions)
  }

  private func values(_ sql: SQL) throws -> [DatabaseValue] {
    try db.rows(sql).flatMap(\.values)
  }

  @Test("`generate_series` gives rows upwards, downwards and at the limits of integers")
  func series() throws {
    #expect(try values("SELECT value FROM generate_series(5, 25, 5)") == [5, 10, 15, 20, 25])
    #expect(try values("SELECT value FROM generate_series(1, 3)") == [1, 2, 3])
    #expect(try values("SELECT value FROM generate_series(3, 1, -1)") == [3, 2, 1])
    #expect(try values("SELECT value FROM generate_series(3, 1)") == [])
    #expect(try values("SELECT value FROM generate_series(7, 7, 0)") == [7])
    #expect(try values("SELECT value FROM generate_series WHERE start = 2 AND stop = 3") == [2, 3])
    #expect(try values("SELECT value FROM generate_series(1) LIMIT 2") == [1, 2])
    #expect(
      try values("SELECT value FROM generate_series(\(Int64.max - 1), \(Int64.max), 2)")
        == [.integer(.max - 1)])
    #expect(
      try values("SELECT value FROM generate_series(\(Int64.min + 1), \(Int64.min), -5)")
        == [.integer(.min + 1)])
    #expect(
      try values(
        "SELECT b.value FROM generate_series(1, 3) a, generate_series(1, a.value) b ORDER BY 1 DESC"
      )
        == [3, 2, 2, 1, 1, 1])
    // Also in a view, since the function is harmless.
    try db.execute("CREATE VIEW ten AS SELECT sum(value) AS s FROM generate_series(1, 10)")
    #expect(try values("SELECT s FROM ten") == [55])
  }

  @Test("the UUID functions create, print and convert UUIDs")
  func uuid() throws {
    let first = try db.row("SELECT uuid(), uuid()")
    let (a, b) = (try first?.get(UUID.self, at: 0), try first?.get(UUID.self, at: 1))
    #expect(a != nil && a != b)
    let text = "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"
    let bytes = try #require(UUID(uuidString: text)).databaseValue(as: .bytes)
    for form in [text, text.uppercased(), "{\(text)}", text.filter { $0 != "-" }] {
      #expect(try values("SELECT uuid_str(\(form)), uuid_blob(\(form))") == [.text(text), bytes])
    }
    #expect(try values("SELECT uuid_str(\(bytes)), uuid_blob(\(bytes))") == [.text(text), bytes])
    #expect(
      try values("SELECT uuid_str('x'), uuid_str(NULL), uuid_blob(x'00'), uuid_str(1)")
        == [nil, nil, nil, nil])
  }

  @Test(
    "sha3 of empty text is the digest that its standard gives",
    arguments: [
      (224, "6b4e03423667dbb73b6e15454f0eb1abd4597f9a1b078e3f5b5a6bc7"),
      (256, "a7ffc6f8bf1ed76651c14756a061d662f580ff4de43b49fa82d80a4b80f8434a"),
      (
        384,
        "0c63a75b845e4f7d01107d852e4c2485c51a50aaaa94fc61995e71bbee983a2ac3713831264adb47fb6bd1e058d5f004"
      ),
      (
        512,
        "a69f73cca23a9ac5c8b567dc185a756e97c982164fe25859e0d1dcc1475c80a615b2123af1f5f94c11e3e9402c3ac558f500199d95b6d3e301758586281dcd26"
      ),
    ])
  func sha3OfNothing(bits: Int, digest: String) throws {
    #expect(try values("SELECT lower(hex(sha3('', \(bits))))") == [.text(digest)])
  }

  @Test("sha3 hashes text, bytes and long input, and checks its size")
  func sha3() throws {
    let abc = "3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532"
    #expect(
      try values("SELECT lower(hex(sha3('abc'))), lower(hex(sha3(x'616263', 256)))")
        == [.text(abc), .text(abc)])
    let long = String(repeating: "a", count: 1_000_000)
    #expect(
      try values("SELECT lower(hex(sha3(\(long))))")
        == ["5c8875ae474a3634ba4fd55ec85bffd661f32aca75c6d699d0cdcb6c115891c1"])
    #expect(try values("SELECT sha3(NULL), sha3(12) = sha3('12')") == [nil, 1])
    #expect(throws: DatabaseError.self) { try values("SELECT sha3('a', 255)") }
  }

  @Test("sha3 hashes the bytes of text, and the text that SQLite makes of a number")
  func sha3OfBytes() throws {
    #expect(
      try values(
        """
        SELECT sha3(CAST(x'ff41' AS TEXT)) = sha3(x'ff41'), sha3(1.5e300) = sha3('1.5e+300'),
          sha3(-9e999) = sha3('-Inf'), sha3(0.1) = sha3('0.1'), sha3(-7) = sha3('-7'),
          sha3(1e16) = sha3(CAST(1e16 AS TEXT))
        """) == [1, 1, 1, 1, 1, 1])
  }

  @Test("`sha3_query` distinguishes results, and refuses to write")
  func sha3Query() throws {
    try db.execute("CREATE TABLE t (a); INSERT INTO t VALUES (1), ('1'), (1.0), (NULL), (x'31')")
    let one = try values("SELECT sha3_query('SELECT a FROM t')")
    #expect(try values("SELECT sha3_query('SELECT a FROM t')") == one)
    try db.execute("UPDATE t SET a = '1' WHERE rowid = 1")
    #expect(try values("SELECT sha3_query('SELECT a FROM t')") != one)
    let error = #expect(throws: DatabaseError.self) {
      try db.write { try $0.row("SELECT sha3_query('DELETE FROM t')") }
    }
    #expect(error?.message == "sha3_query cannot run a statement that writes: DELETE FROM t")
    #expect(try values("SELECT count(*) FROM t") == [5])
  }

  @Test("`sha3_agg` is the digest of the storage classes and values of a group")
  func sha3Aggregate() throws {
    try db.execute(
      "CREATE TABLE t (n, a); INSERT INTO t VALUES (1, 1), (1, '1'), (1, NULL), (1, 1.5)")
    #expect(
      try values("SELECT lower(hex(sha3_agg(a))), length(sha3_agg(a, 512)) FROM t") == [
        "0547971a2e9d31e21b35db9352b7e44e207df9d6f19d5aa29c1c21c5487e4161", 64,
      ])
    #expect(try values("SELECT sha3_agg(a) FROM t WHERE n = 2") == [nil])
    #expect(throws: DatabaseError.self) { try values("SELECT sha3_agg(a, 255) FROM t") }
  }

  @Test("the ieee754 functions convert bits, and step to the next numbers")
  func ieee754Bits() throws {
    #expect(
      try values(
        "SELECT ieee754_to_int(1.0), ieee754_to_int(1), ieee754_from_int(4607182418800017408)")
        == [4_607_182_418_800_017_408, nil, 1.0])
    #expect(
      try values("SELECT ieee754_inc(1.0, 1), ieee754_inc(1.0, -1), ieee754_inc(-1.0, 1)")
        == [.real(1.0.nextUp), .real(1.0.nextDown), .real((-1.0).nextDown)])
    // Bits that are no number give NULL, as SQLite stores them.
    #expect(
      try values("SELECT ieee754_from_int(-1), ieee754_from_int('x'), ieee754_inc(9e999, 1)")
        == [nil, nil, nil])
  }

  @Test("the ieee754 functions take numbers apart and put them together")
  func ieee754() throws {
    #expect(try values("SELECT ieee754(45.25), ieee754(181, -2)") == ["ieee754(181,-2)", 45.25])
    #expect(
      try values("SELECT ieee754_mantissa(-0.5), ieee754_exponent(-0.5), ieee754(0.0)")
        == [-1, -1, "ieee754(0,0)"])
    #expect(
      try values("SELECT hex(ieee754_to_blob(1)), ieee754_from_blob(x'3ff0000000000000')")
        == ["3FF0000000000000", 1.0])
    #expect(
      try values("SELECT ieee754(NULL), ieee754_from_blob('x'), ieee754(1, 9999)")
        == [nil, nil, .real(.infinity)])
    #expect(throws: DatabaseError.self) { try values("SELECT ieee754('x')") }
  }

  @Test(
    "each finite number is its mantissa times two to its exponent",
    arguments: [
      0.1, -123.456, .leastNonzeroMagnitude, .leastNormalMagnitude, .greatestFiniteMagnitude, .pi,
      1e300,
    ])
  func ieee754RoundTrip(number: Double) throws {
    #expect(
      try values("SELECT ieee754(ieee754_mantissa(\(number)), ieee754_exponent(\(number)))")
        == [.real(number)])
  }
}
