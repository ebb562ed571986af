import QueryDSL
import SQLCore
import Testing

@testable import QueryFixtures

extension Music {
  /// Expects the SQL of a query and its rows, in their order.
  func expect<Row: Equatable>(
    _ query: some Fetchable<Row>, _ sql: String, _ rows: [Row],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    #expect(try query.sql.text == sql, sourceLocation: sourceLocation)
    let found = try db.fetch(query)
    #expect(found == rows, sourceLocation: sourceLocation)
    #expect(try db.count(query) == rows.count, sourceLocation: sourceLocation)
    // The second fetch uses the cached statement.
    #expect(try db.fetch(query) == rows, sourceLocation: sourceLocation)
  }

  /// Expects the SQL of a query and its rows, compared by a key because they are not Equatable.
  func expect<Row, Key: Equatable>(
    _ query: some Fetchable<Row>, _ sql: String, _ rows: [Key],
    sourceLocation: SourceLocation = #_sourceLocation, by key: (Row) -> Key
  ) throws {
    #expect(try query.sql.text == sql, sourceLocation: sourceLocation)
    #expect(try db.fetch(query).map(key) == rows, sourceLocation: sourceLocation)
    #expect(try db.count(query) == rows.count, sourceLocation: sourceLocation)
    #expect(try db.fetch(query).map(key) == rows, sourceLocation: sourceLocation)
  }

  /// Expects the SQL of a selected expression, and its value for each track in the order of their
  /// keys.
  func expect<Value: ColumnValue & Equatable>(
    _ sql: String, _ values: [Value], sourceLocation: SourceLocation = #_sourceLocation,
    select expression: (Columns<Track>) -> SQLExpression<Value>
  ) throws {
    try expect(
      Track.select(expression).order(by: \.$id), #"SELECT \#(sql) FROM "Track" ORDER BY "id""#,
      values, sourceLocation: sourceLocation)
  }
}
