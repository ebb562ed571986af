import SQLCore
import Testing

@Suite("Stored forms: numbers")
struct NumbersTests {
  private func expectBounds<Value: ColumnValue & FixedWidthInteger>(_: Value.Type) throws {
    let greatest = Int64(exactly: Value.max).flatMap(Value.init(exactly:)) ?? Value(Int64.max)
    try expectRoundTrip([Value.min, greatest, 0, 1, greatest - 1, Value.min + 1], "\(Value.self)")
    #expect(Value.storageClass == .integer)
  }

  @Test("integers of every width round-trip at their bounds")
  func integerBounds() throws {
    try expectBounds(Int.self)
    try expectBounds(Int8.self)
    try expectBounds(Int16.self)
    try expectBounds(Int32.self)
    try expectBounds(Int64.self)
    try expectBounds(UInt.self)
    try expectBounds(UInt8.self)
    try expectBounds(UInt16.self)
    try expectBounds(UInt32.self)
    try expectBounds(UInt64.self)
  }

  @Test("an unsigned integer above Int64.max is refused when it is bound")
  func unsignedOverflow() {
    #expect(
      storingError(UInt64.max)?.description
        == "18446744073709551615 cannot be stored: SQLite's integers go up to 9223372036854775807")
    #expect(storingError(UInt(Int64.max) + 1) != nil)
    #expect(storingError(Optional(UInt64.max)) != nil)
  }

  @Test("an integer beyond the type's range throws and does not trap")
  func integerOverflow() throws {
    #expect(try readingError(Int8.self, "128")?.description == "value: 128 cannot be read as Int8")
    #expect(try readingError(Int8.self, "-129") != nil)
    #expect(try readingError(Int16.self, "32768") != nil)
    #expect(try readingError(Int32.self, "2147483648") != nil)
    #expect(try readingError(UInt8.self, "256") != nil)
    #expect(try readingError(UInt16.self, "65536") != nil)
    #expect(try readingError(UInt32.self, "4294967296") != nil)
    #expect(
      try readingError(UInt64.self, "-1")?.description == "value: -1 cannot be read as UInt64")
    #expect(try readingError(UInt.self, "\(Int64.min)") != nil)
    #expect(try readingError(UInt8?.self, "256") != nil)
  }

  @Test("an integer is read only from an INTEGER")
  func integerMismatch() throws {
    #expect(
      try readingError(Int.self, "'7'")?.description == "value: expected INTEGER, found TEXT")
    #expect(
      try readingError(Int.self, "7.0")?.reason == .mismatch(expected: "INTEGER", found: "REAL"))
    #expect(try readingError(Int.self, "x'07'") != nil)
  }

  @Test("a NULL throws and names the column unless the type is optional")
  func null() throws {
    #expect(
      try readingError(Int.self, "NULL")?.description
        == "value: expected INTEGER, found NULL; an optional type would accept it")
    #expect(try readingError(Double.self, "NULL")?.reason == .null(expected: "REAL"))
    #expect(try readingError(Bool.self, "NULL")?.column == "value")
  }

  @Test("a Bool is stored as 0 or 1, and no other value is read as one")
  func bool() throws {
    try expectRoundTrip([true, false])
    #expect(try roundTrip([true]).copied.first == true)
    #expect(try readingError(Bool.self, "2")?.description == "value: 2 cannot be read as Bool")
    #expect(try readingError(Bool.self, "-1") != nil)
    #expect(try readingError(Bool.self, "1.0") != nil)
    #expect(try readingError(Bool.self, "'true'") != nil)
  }

  @Test("floating-point numbers round-trip to the last bit")
  func reals() throws {
    try expectRoundTrip([
      0, 1, -1, 0.1, .pi, .greatestFiniteMagnitude, -.greatestFiniteMagnitude,
      .leastNonzeroMagnitude, .leastNormalMagnitude, .infinity, -.infinity, .ulpOfOne,
      9_007_199_254_740_992, 1e300, 9.223372036854776e18, -9.223372036854776e18,
    ])
    try expectRoundTrip([
      Float(0), 0.1, .pi, .greatestFiniteMagnitude, -.greatestFiniteMagnitude,
      .leastNonzeroMagnitude, .infinity, -.infinity,
    ])
  }

  @Test("−0.0 becomes 0.0 when it enters a column")
  func negativeZero() throws {
    #expect(Double.canonical(-0.0).sign == .plus)
    #expect(Float.canonical(-0.0).sign == .plus)
    #expect(try roundTrip([-0.0]).lent.map(\.sign) == [.plus])
    #expect(try roundTrip([Float(-0.0)]).lent.map(\.sign) == [.plus])
    // Also without the affinity of a column.
    #expect(try Connection().rows("SELECT \(-0.0)").first?.get(Double.self, at: 0).sign == .plus)
  }

  @Test("NaN is refused when it is bound")
  func notANumber() {
    #expect(storingError(Double.nan)?.description == "nan cannot be stored: SQLite has no NaN")
    #expect(storingError(Double.signalingNaN) != nil)
    #expect(storingError(Float.nan) != nil)
    #expect(storingError(Optional(Double.nan)) != nil)
  }

  @Test("a NaN in a DatabaseValue is refused too, since SQLite would store NULL")
  func notANumberUntyped() {
    #expect(throws: ColumnValueError.self) {
      try Connection().execute("SELECT \(DatabaseValue.real(.nan))")
    }
  }

  @Test("Double reads only an INTEGER that it holds exactly")
  func doubleFromInteger() throws {
    let row = try #require(try Connection().row("SELECT 7, 9007199254740992"))
    #expect(try row.get(Double.self, at: 0) == 7)
    #expect(try row.get(Double.self, at: 1) == 9_007_199_254_740_992)
    #expect(
      try readingError(Double.self, "9007199254740993")?.description
        == "value: 9007199254740993 cannot be read as Double")
    #expect(try readingError(Double.self, "'7.0'") != nil)
  }

  @Test("Float refuses a finite REAL that would become infinite")
  func floatOverflow() throws {
    #expect(
      try readingError(Float.self, "1e300")?.description == "value: 1e+300 cannot be read as Float")
    #expect(try readingError(Float.self, "-1e300") != nil)
  }

  @Test("Unique64 round-trips every integer except that of an exhausted generator")
  func unique64() throws {
    try expectRoundTrip([
      Unique64(rawValue: 0), Unique64(rawValue: .max), Unique64(rawValue: .min + 1), Unique64(),
      Unique64(tag: -1),
    ])
    #expect(
      storingError(Unique64.exhausted)?.description
        == "-9223372036854775808 cannot be stored: the generator has run out of ids (year 2072)")
  }
}
