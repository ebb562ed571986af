/// A column as another program declares it, and whether its table is STRICT.
struct ForeignColumn: Sendable, CustomStringConvertible {
  let type: String
  let isStrict: Bool

  static let all =
    [
      "INTEGER", "INT", "BIGINT", "BOOLEAN", "REAL", "DOUBLE", "FLOAT", "NUMERIC", "DECIMAL(10,2)",
      "TEXT", "VARCHAR(40)", "CLOB", "DATETIME", "DATE", "TIMESTAMP", "BLOB", "UUID", "JSON", "",
    ].map { ForeignColumn(type: $0, isStrict: false) }
    + ["INTEGER", "REAL", "TEXT", "BLOB", "ANY"].map { ForeignColumn(type: $0, isStrict: true) }

  var description: String { "\(type.isEmpty ? "no type" : type)\(isStrict ? " STRICT" : "")" }
}

/// Values as other programs write them, in SQL: GRDB, SwiftData and Core Data, Blackbird, Django
/// and Python, SQLite's own functions, spreadsheets, and files that were edited by hand.
enum ForeignValues {
  static let all = [
    "NULL",
    // Numbers, and values that are stored as numbers.
    "0", "1", "2", "-1", "7", "255", "256", "300", "65536", "2147483648", "4294967296",
    "9007199254740993", "9223372036854775807", "-9223372036854775808",
    "0.0", "1.0", "-0.0", "1.5", "0.1", "19.99", "3.141592653589793", "1e20", "1e308", "-9e999",
    "9e999", "5e-324",
    // Dates as numbers: seconds, milliseconds and microseconds since 1970, seconds since 2001, and
    // Julian days.
    "1258000000", "1258000000.5", "1258000000123", "1258000000123456", "279692800.0",
    "279692800.25", "2455147.6851851852", "253402300800000000", "-62135596800",
    // Dates as text: GRDB, SQLite, ISO 8601 with and without fraction and zone.
    "'2009-11-12 04:26:40.123'", "'2009-11-12 04:26:40'", "'2009-11-12'", "'2009-11-12T04:26:40Z'",
    "'2009-11-12T04:26:40.123456Z'", "'2009-11-12T04:26:40.123Z'", "'2009-11-12T06:26:40+02:00'",
    "'2009-11-12T04:26:40'", "'2009-02-30 00:00:00'", "'soon'", "'12.11.2009'", "'04:26:40'",
    "'20091112T042640Z'",
    // UUIDs: as Foundation, as Python, as bytes.
    "'E621E1F8-C36C-495A-93FC-0C247A3E6E5F'", "'e621e1f8-c36c-495a-93fc-0c247a3e6e5f'",
    "'e621e1f8c36c495a93fc0c247a3e6e5f'", "x'E621E1F8C36C495A93FC0C247A3E6E5F'", "x'E621E1F8'",
    "CAST('E621E1F8-C36C-495A-93FC-0C247A3E6E5F' AS BLOB)",
    // Bool and numbers as text.
    "'true'", "'FALSE'", "'yes'", "'0'", "'1'", "'05'", "'+7'", "' 7'", "'7 '", "'1.50'", "'1.5'",
    "'1,5'", "'1e3'", "'0x10'", "'NaN'", "'9007199254740993'", "'9223372036854775808'",
    "'0.12345678901234567890'", "'-0'", "'½'",
    // Text and bytes.
    "''", "' '", "'small'", "'calm'", "'Müller'", "'e' || char(769)", "'a' || char(0) || 'b'",
    "'1' || char(0) || '2'", "'https://example.org/a?b=c'", "'no url'", "'[\"a\",\"b\"]'",
    "'{\"a\": 1}'", "'[1, 2]'", "'[\"a\"'", "'null'", "x''", "x'00'", "x'FF00FE'", "x'31'",
    "x'C3A9'",
  ]
}
