import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

private struct Sale: Model {
  @PrimaryKey var id: Int
  @Column var name: String
  @Column var price: Decimal
}

/// SQLite applies a COLLATE to the whole operand that contains it. A COLLATE in a condition of CASE
/// or iif must not decide how the result is compared.
@Suite("Collations inside expressions")
struct CollationSpecification {
  let db: Database

  init() throws {
    db = try Specification.database(models: [Sale.self])
    try db.insert([
      Sale(id: 1, name: "Abc", price: 2), Sale(id: 2, name: "aBC", price: 10),
      Sale(id: 3, name: "xyz", price: 1),
    ])
  }

  private func expect(
    where condition: String, _ ids: [Int], sourceLocation: SourceLocation = #_sourceLocation,
    _ predicate: (Columns<Sale>) -> SQLPredicate
  ) throws {
    let query = Sale.where { predicate($0) }.order(by: \.$id).select(\.$id)
    #expect(
      try query.sql.text == #"SELECT "id" FROM "Sale" WHERE \#(condition) ORDER BY "id""#,
      sourceLocation: sourceLocation)
    #expect(try db.fetch(query) == ids, sourceLocation: sourceLocation)
  }

  private static let search = """
    "name" COLLATE "NOCASE" >= ? AND "name" COLLATE "NOCASE" < ? AND \
    instr(apus_fold_ascii("name"), ?) = 1
    """

  @Test("a search without case in a condition of CASE or iif leaves the result's comparison alone")
  func search() throws {
    try expect(
      where: #"CASE WHEN \#(Self.search) THEN "name" ELSE ? END COLLATE "BINARY" = ?"#, [1]
    ) {
      Case(when: $0.$name.hasPrefix("AB", ignoringCase: .ascii), then: $0.$name).else("-") == "Abc"
    }
    try expect(
      where: #"CASE WHEN \#(Self.search) THEN "name" END COLLATE "BINARY" IS ?"#, [2]
    ) {
      Case(when: $0.$name.hasPrefix("AB", ignoringCase: .ascii), then: $0.$name).orNull == "aBC"
    }
    try expect(where: #"iif(\#(Self.search), "name", ?) COLLATE "BINARY" = ?"#, [1]) {
      iif($0.$name.hasPrefix("ab", ignoringCase: .ascii), $0.$name, SQLExpression("-")) == "Abc"
    }
    // Numbers have no collation.
    try expect(where: #"CASE WHEN \#(Self.search) THEN ? ELSE ? END = ?"#, [1, 2]) {
      Case(when: $0.$name.hasPrefix("ab", ignoringCase: .ascii), then: 1).else(0) == 1
    }
    // In the order and in DISTINCT as well.
    let kind = Sale.select {
      Case(when: $0.$name.hasPrefix("AB", ignoringCase: .ascii), then: $0.$name).else("ABC")
    }
    #expect(Set(try db.fetch(kind.distinct())) == ["Abc", "aBC", "ABC"])
  }

  @Test("a comparison of decimals in a condition does not compare texts as numbers")
  func decimals() throws {
    try expect(
      where: #"CASE WHEN "price" COLLATE "decimal" > ? THEN ? ELSE ? END COLLATE "BINARY" = ?"#,
      [1, 2]
    ) { Case(when: $0.$price > 1, then: "1.0").else("1") == "1.0" }
    try expect(
      where: #"CASE "price" COLLATE "decimal" WHEN ? THEN ? ELSE ? END COLLATE "BINARY" = ?"#, [3]
    ) { $0.$price.case(1, then: "1").else("1.0") == "1" }
    try expect(
      where: #"CAST(max("price" COLLATE "decimal", ?) AS TEXT) COLLATE "BINARY" = ?"#, []
    ) { $0.$price.max(with: 1).cast(to: String.self) == "2.0" }
    try expect(
      where: #"typeof(min("price" COLLATE "decimal", ?)) COLLATE "BINARY" = ?"#, [1, 2, 3]
    ) { $0.$price.min(with: 5).typeof() == "text" }
    // The result is a decimal, which always has its collation.
    try expect(
      where: """
        CASE WHEN "price" COLLATE "decimal" > ? THEN "price" ELSE ? END COLLATE "decimal" > ?
        """, [2]
    ) { Case(when: $0.$price > 1, then: $0.$price).else(0) > 9 }
  }

  @Test("a collation of a result, or of a text that a function changes, still applies")
  func kept() throws {
    try expect(
      where: #"CASE WHEN "id" < ? THEN "name" COLLATE "NOCASE" ELSE ? END = ?"#, [1, 2]
    ) { Case(when: $0.$id < 3, then: $0.$name.collated(.noCase)).else("-") == "abc" }
    try expect(
      where: """
        CASE WHEN "name" COLLATE "RTRIM" > ? THEN "name" COLLATE "NOCASE" ELSE ? END \
        COLLATE "NOCASE" = ?
        """, [1, 2]
    ) {
      Case(when: $0.$name.collated(.trimmed) > "", then: $0.$name.collated(.noCase)).else("-")
        == "abc"
    }
    try expect(where: #""name" COLLATE "NOCASE" || ? = ?"#, [1, 2]) {
      $0.$name.collated(.noCase).concat("!") == "ABC!"
    }
    // A subquery keeps its collations to itself.
    try expect(
      where: """
        (SELECT "Sale_2"."name" COLLATE "NOCASE" FROM "Sale" AS "Sale_2" WHERE "Sale_2"."id" = ?) IS ?
        """, []
    ) { _ in
      Sale.where { $0.$id == 1 }.select { $0.$name.collated(.noCase) }.subquery() == "abc"
    }
  }
}
