import Foundation
import SQLCore
import TestRun
import Testing

@Suite("Exact decimals")
struct DecimalTests {
  private let connection: Connection

  init() throws {
    connection = try Connection()
  }

  private func values(_ sql: SQL) throws -> [DatabaseValue] {
    try connection.rows(sql).flatMap(\.values)
  }

  @Test("decimal arithmetic is exact, and its text is canonical")
  func arithmetic() throws {
    #expect(
      try values(
        """
        SELECT decimal_add('0.1', '0.2'), decimal_sub('1', '0.9'), decimal_mul('1.10', '-2.5'),
          decimal_add('999999999999999999999999999999.9', '0.1'), decimal_sub('1.5', '1.50'),
          decimal_mul('99999999999999999999', '99999999999999999999')
        """)
        == [
          "0.3", "0.1", "-2.75", "1000000000000000000000000000000", "0",
          "9999999999999999999800000000000000000001",
        ])
    #expect(
      try values(
        """
        SELECT decimal('+007.50'), decimal('1.5e3'), decimal('25E-3'), decimal('-0.0'), decimal('.5'),
          decimal(12), decimal(0.1), decimal(NULL), decimal(1e20)
        """)
        == ["7.5", "1500", "0.025", "0", "0.5", "12", "0.1", nil, "100000000000000000000"])
    #expect(
      try values(
        """
        SELECT decimal_cmp('10', '9'), decimal_cmp('-10', '-9'), decimal_cmp('1.0', '1'),
          decimal_cmp('0.001', '-5'), decimal_cmp(NULL, '1')
        """) == [1, -1, 0, 1, nil])
  }

  @Test("`decimal_exp` writes an exponent, and `decimal_pow2` gives exact powers of two")
  func exponents() throws {
    #expect(
      try values(
        """
        SELECT decimal_exp('123.45'), decimal_exp(-0.00120), decimal_exp(0), decimal_exp('1e150'),
          decimal_exp(100), decimal_exp(NULL)
        """)
        == ["+1.2345e+02", "-1.2e-03", "+0.0e+00", "+1.0e+150", "+1.0e+02", nil])
    #expect(
      try values(
        """
        SELECT decimal_pow2(0), decimal_pow2(10), decimal_pow2(-3), decimal_pow2(100),
          decimal_pow2(20001), decimal_pow2('1'), decimal_pow2(NULL),
          length(decimal_pow2(20000)), decimal_exp(decimal_mul(decimal_pow2(-600), decimal_pow2(600)))
        """)
        == [
          "1", "1024", "0.125", "1267650600228229401496703205376", nil, nil, nil, 6_021,
          "+1.0e+00",
        ])
  }

  @Test(
    "text that is not a decimal number, or has too many digits, is an error",
    arguments: [
      "", ".", "-", "1 ", " 1", "1e", "1e1.5", "0x10", "1e99999999999999999999", "1e10001",
      "1e-9223372036854775808",
      "Infinity",
      "1.2.3", "١",
    ])
  func invalid(text: String) throws {
    let error = #expect(throws: DatabaseError.self) { try values("SELECT decimal(\(text))") }
    #expect(error?.message == "argument 1: a value of TEXT cannot be read as a decimal number")
  }

  @Test("`decimal_sum` of ten times 0.1 is 1, and works over windows and empty sets")
  func sum() throws {
    try connection.execute("CREATE TABLE t (n TEXT)")
    for _ in 0..<10 { try connection.execute("INSERT INTO t VALUES ('0.1')") }
    try connection.execute("INSERT INTO t VALUES (NULL)")
    #expect(try values("SELECT decimal_sum(n) FROM t") == ["1"])
    #expect(try values("SELECT decimal_sum(n) FROM t WHERE n IS NULL") == [nil])
    #expect(
      try values(
        "SELECT decimal_sum(n) OVER (ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) FROM t LIMIT 4")
        == ["0.1", "0.2", "0.3", "0.3"])
  }

  @Test("the decimal collation orders text by its numeric value")
  func collation() throws {
    try connection.execute(
      """
      CREATE TABLE t (n TEXT COLLATE decimal);
      CREATE INDEX i ON t (n);
      INSERT INTO t VALUES ('10'), ('9'), ('-1'), ('-1.5'), ('0.25'), ('x'), ('1e2'), ('a'), ('9.0')
      """)
    #expect(
      try values("SELECT n FROM t ORDER BY n, rowid")
        == ["-1.5", "-1", "0.25", "9", "9.0", "10", "1e2", "a", "x"])
    #expect(try values("SELECT n FROM t WHERE n > '9' AND n < 'a'") == ["10", "1e2"])
    #expect(try values("SELECT max(n), min(n) FROM t WHERE n < 'a'") == ["1e2", "-1.5"])
  }

  @Test("the arithmetic agrees with Foundation's on random numbers")
  func model() throws {
    let seed = TestSeed.draw()
    var generator = SeededGenerator(seed: seed)
    func random() throws -> Decimal {
      let digits = (0..<Int.random(in: 1...17, using: &generator)).map { _ in
        String(Int.random(in: 0...9, using: &generator))
      }.joined()
      let number = try #require(
        Decimal(string: "\(digits)e-\(Int.random(in: 0...12, using: &generator))"))
      return Bool.random(using: &generator) ? number : -number
    }
    for _ in 0..<500 {
      let (a, b) = (try random(), try random())
      let row = try connection.row(
        """
        SELECT decimal_add(\(a), \(b)), decimal_sub(\(a), \(b)), decimal_mul(\(a), \(b)),
          decimal_cmp(\(a), \(b)), \(a) < \(b) COLLATE decimal
        """)
      let found = try #require(row)
      try #require(try found.get(Decimal.self, at: 0) == a + b, "\(a) + \(b), seed \(seed)")
      try #require(try found.get(Decimal.self, at: 1) == a - b, "\(a) - \(b), seed \(seed)")
      try #require(try found.get(Decimal.self, at: 2) == a * b, "\(a) * \(b), seed \(seed)")
      try #require(found[3] == .integer(a < b ? -1 : a > b ? 1 : 0), "\(a), \(b), seed \(seed)")
      try #require(found[4] == .integer(a < b ? 1 : 0), "\(a), \(b), seed \(seed)")
    }
  }
}
