import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

@Suite("Row values")
struct RowValueSpecification {
  struct Place: Model, Equatable {
    @PrimaryKey var id: Int
    @Column var region: String
    @Column var number: Int
    @Column var note: String?
    @Column var price: Decimal
    @Column var day: Date

    static var schema: Schema<Place> {
      Index(\.$region, \.$number)
      Index(\.$number)
      Stored(\.$day, as: .iso8601)
    }
  }

  let db: Database

  init() throws {
    db = try Specification.database(models: [Place.self])
    let rows = [("a", 1, nil), ("a", 2, "x"), ("b", 1, "x"), ("b", 3, nil), ("c", 2, "y")]
    try db.insert(
      rows.enumerated().map { index, row in
        Place(
          id: index + 1, region: row.0, number: row.1, note: row.2, price: Decimal(index * 7),
          day: Date(timeIntervalSince1970: Double(index) * 86_400))
      })
  }

  /// Expects the condition, and the keys of the rows for which it holds.
  private func expect(
    _ condition: String, _ ids: [Int], sourceLocation: SourceLocation = #_sourceLocation,
    @PredicateBuilder _ predicates: (Columns<Place>) -> PredicateLines
  ) throws {
    let query = Place.where(predicates).select(\.$id)
    #expect(
      try query.sql.text == #"SELECT "id" FROM "Place" WHERE "# + condition,
      sourceLocation: sourceLocation)
    #expect(try db.fetch(query).sorted() == ids, sourceLocation: sourceLocation)
    #expect(try db.count(query) == ids.count, sourceLocation: sourceLocation)
  }

  @Test("tuples of two or three expressions are compared as row values are")
  func tuples() throws {
    let two = ("b", 1)
    try expect(#"("region", "number") > (?, ?)"#, [4, 5]) { ($0.$region, $0.$number) > two }
    try expect(#"("region", "number") >= (?, ?)"#, [3, 4, 5]) {
      ($0.$region, $0.$number) >= ("b", 1)
    }
    try expect(#"("region", "number") < (?, ?)"#, [1, 2]) { ($0.$region, $0.$number) < ("b", 1) }
    try expect(#"("region", "number") <= (?, ?)"#, [1, 2, 3]) { ($0.$region, $0.$number) <= two }
    try expect(#"("region", "number") = (?, ?)"#, [3]) { ($0.$region, $0.$number) == ("b", 1) }
    try expect(#"("region", "note") IS NOT (?, ?)"#, [2, 3, 4, 5]) {
      ($0.$region, $0.$note) != ("a", nil)
    }
    try expect(#"("region", "number", "id") > (?, ?, ? COLLATE "BINARY") AND "id" < ?"#, [3, 4]) {
      ($0.$region, $0.$number, $0.$id) > ("b", 1, 2) && $0.$id < 5
    }
    try expect(#"("region", "number", "id") >= (?, ?, ? COLLATE "BINARY")"#, [3, 4, 5]) {
      ($0.$region, $0.$number, $0.$id) >= ("b", 1, 3)
    }
    try expect(#"("region", "number", "id") < (?, ?, ? COLLATE "BINARY")"#, [1, 2]) {
      ($0.$region, $0.$number, $0.$id) < ("b", 1, 3)
    }
    try expect(#"("region", "number", "id") <= (?, ?, ? COLLATE "BINARY")"#, [1, 2, 3]) {
      ($0.$region, $0.$number, $0.$id) <= ("b", 1, 3)
    }
    try expect(#"("region", "number", "id") = (?, ?, ?)"#, [3]) {
      ($0.$region, $0.$number, $0.$id) == ("b", 1, 3)
    }
    try expect(#"("region", "number", "id") <> (?, ?, ?)"#, [1, 2, 4, 5]) {
      ($0.$region, $0.$number, $0.$id) != ("b", 1, 3)
    }
  }

  @Test("row values are compared from the first expression to the last")
  func comparisons() throws {
    try expect(#"("region", "number") > (?, ?)"#, [4, 5]) {
      RowValue($0.$region, $0.$number) > ("b", 1)
    }
    try expect(#"("region", "number") >= (?, ?)"#, [3, 4, 5]) {
      RowValue($0.$region, $0.$number) >= ("b", 1)
    }
    try expect(#"("region", "number") < (?, ?)"#, [1, 2]) {
      RowValue($0.$region, $0.$number) < ("b", 1)
    }
    try expect(#"("region", "number") <= (?, ?)"#, [1, 2, 3]) {
      RowValue($0.$region, $0.$number) <= ("b", 1)
    }
    try expect(#"("region", "number") = (?, ?)"#, [3]) {
      RowValue($0.$region, $0.$number) == ("b", 1)
    }
    try expect(#"("region", "number") <> (?, ?)"#, [1, 2, 4, 5]) {
      RowValue($0.$region, $0.$number) != ("b", 1)
    }
  }

  @Test("nil equals nil in row values")
  func optionals() throws {
    try expect(#"("region", "note") IS (?, ?)"#, [1]) {
      RowValue($0.$region, $0.$note) == ("a", nil)
    }
    try expect(#"("region", "note") IS NOT (?, ?)"#, [1, 2, 4, 5]) {
      RowValue($0.$region, $0.$note) != ("b", "x")
    }
  }

  @Test("the expressions keep their collation and their stored form")
  func forms() throws {
    try expect(#"("price" COLLATE "decimal", "number") > (?, ?)"#, [3, 4, 5]) {
      RowValue($0.$price, $0.$number) > (Decimal(7), 2)
    }
    try expect(#"("day", "id" * ?) <= (?, ?)"#, [1, 2]) {
      RowValue($0.$day, $0.$id * 2) <= (Date(timeIntervalSince1970: 86_400), 4)
    }
  }

  @Test("isIn takes rows, and binds one array for each expression")
  func lists() throws {
    let list = """
      (SELECT k0.value, k1.value FROM apus_array(?) AS k0 JOIN apus_array(?) AS k1 \
      ON k1.rowid = k0.rowid)
      """
    try expect(#"("region", "number") IN \#(list)"#, [2, 4]) {
      RowValue($0.$region, $0.$number).isIn([("a", 2), ("b", 3), ("c", 3)])
    }
    try expect(#"("region", "number") IN \#(list)"#, []) {
      RowValue($0.$region, $0.$number).isIn([])
    }
    let exists = """
      EXISTS (SELECT 1 FROM apus_array(?) AS k0 JOIN apus_array(?) AS k1 ON k1.rowid = k0.rowid \
      WHERE "region" IS k0.value AND "note" IS k1.value)
      """
    try expect(exists, [1, 3]) { RowValue($0.$region, $0.$note).isIn([("a", nil), ("b", "x")]) }
    try expect("NOT (\(exists))", [2, 4, 5]) {
      !RowValue($0.$region, $0.$note).isIn([("a", nil), ("b", "x")])
    }
  }

  @Test("isIn takes a query of as many columns")
  func queries() throws {
    let query = Place.where { $0.$id > 3 }.select(\.$region, \.$number)
    try expect(
      """
      ("region", "number") IN (SELECT "Place_2"."region", "Place_2"."number" \
      FROM "Place" AS "Place_2" WHERE "Place_2"."id" > ?)
      """, [4, 5]
    ) { RowValue($0.$region, $0.$number).isIn(query) }
  }

  @Test("an index serves a comparison and a list of row values")
  func plans() throws {
    func plan(
      @PredicateBuilder _ predicates: (Columns<Place>) -> PredicateLines
    ) throws -> String {
      try db.explain(Place.where(predicates).select(\.$id)).description
    }
    #expect(
      try plan { RowValue($0.$region, $0.$number) > ("b", 1) }
        == "SEARCH Place USING COVERING INDEX Place_on_region_number ((region,number)>(?,?))")
    // The key is the rowid, which SQLite 3.40 compares in the index only with a collation.
    try expect(#"("number", "id") > (?, ? COLLATE "BINARY")"#, [4, 5]) {
      RowValue($0.$number, $0.$id) > (2, 2)
    }
    #expect(
      try plan { RowValue($0.$number, $0.$id) > (2, 2) }
        == "SEARCH Place USING COVERING INDEX Place_on_number ((number,rowid)>(?,?))")
    #expect(
      try plan { RowValue($0.$region, $0.$number).isIn([("a", 2)]) }
        .contains("USING COVERING INDEX Place_on_region_number (region=? AND number=?)"))
  }

  @Test("a query of other forms throws, and a value in it takes the form of its expression")
  func mistakes() throws {
    let days = Place.select { ($0.$id, SQLExpression<Date>(sql: "0")) }
    let query = Place.where { RowValue($0.$id, $0.$day).isIn(days) }
    #expect(throws: QueryError.self) { try query.sql }
    #expect(throws: QueryError.self) { try db.fetch(query) }
    let mapped = Place.where { RowValue($0.$id, $0.$day).isIn(days.map { ($0, $1) }) }
    let error = #expect(throws: QueryError.self) { try mapped.sql }
    #expect(error?.message.contains("`map`") == true)
    let first = Place.select { ($0.$id, SQLExpression(Date(timeIntervalSince1970: 0))) }
    #expect(try db.fetch(Place.where { RowValue($0.$id, $0.$day).isIn(first) }).map(\.id) == [1])
    let notes = Place.where { $0.$number == 1 }.select(\.$region, \.$note)
    let found = Place.where { RowValue($0.$region, $0.$note).isIn(notes) }
    #expect(try db.fetch(found.order(by: \.$id)).map(\.id) == [1, 3])
    #expect(try db.count(Place.where { !RowValue($0.$region, $0.$note).isIn(notes) }) == 3)
  }
}
