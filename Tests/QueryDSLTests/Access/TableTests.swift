import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

private enum Mien: String, ColumnValue { case calm, wild }

private struct Owner: Model {
  @PrimaryKey var id: Int64
  @Column var name: String
}

private struct Animal: Model {
  @PrimaryKey var id: Int64
  @Column var ownerID: Int64?
  @Column var name: String
  @Column var mood: Mien?
  @Column var born: Date
  @Column var tags: JSON<[String]> = []
  @Column var picture: Data?

  static var schema: Schema<Animal> { Stored(\.$born, as: .iso8601) }
}

@Suite("Typed queries as a printed table")
struct TableTests {
  private let db: Database

  init() throws {
    db = try Specification.database(models: [Owner.self, Animal.self])
    try db.insert(Owner(id: 1, name: "Jane"))
    try db.insert([
      Animal(
        id: 1, ownerID: 1, name: "Rex", mood: .wild, born: Date(timeIntervalSince1970: 0),
        tags: ["dog"], picture: Data(count: 16)),
      Animal(id: 2, name: "Tom", born: Date(timeIntervalSince1970: 60)),
    ])
  }

  @Test("a table of models has their columns, and prints values as Swift does")
  func models() throws {
    #expect(
      try db.table(Animal.select(\.$id, \.$name, \.$mood, \.$born)).description == """
        ┏━━━┳━━━━━━━━━┳━━━━━━━━━━┳━━━━━━━━┳━━━━━━━━━━━━━━━━━━━━━━━━━━━┓
        ┃   ┃ id      ┃ name     ┃ mood   ┃ born                      ┃
        ┃   ┃ <Int64> ┃ <String> ┃ <Mien> ┃ <Date>                    ┃
        ┡━━━╇━━━━━━━━━╇━━━━━━━━━━╇━━━━━━━━╇━━━━━━━━━━━━━━━━━━━━━━━━━━━┩
        │ 0 │ 1       │ Rex      │ wild   │ 1970-01-01 00:00:00 +0000 │
        │ 1 │ 2       │ Tom      │ nil    │ 1970-01-01 00:01:00 +0000 │
        └───┴─────────┴──────────┴────────┴───────────────────────────┘
        2 rows, 4 columns
        """)
    let table = try db.table(Animal.order(by: \.$id))
    #expect(
      table.columns.map(\.name) == ["id", "ownerID", "name", "mood", "born", "tags", "picture"])
    #expect(
      table.columns.map(\.type) == [
        "Int64", "Int64", "String", "Mien", "Date", "JSON<Array<String>>", "Data",
      ])
    #expect(table.rows[0].suffix(2) == [#"["dog"]"#, "16 bytes"])
    #expect(table.rows[1].suffix(2) == ["[]", nil])
  }

  @Test("a table of a join has the columns of both sides, and nil where a left join found no row")
  func joins() throws {
    let query = Query { (animal: Columns<Animal>, owner: OptionalColumns<Owner>) in
      From(animal)
      LeftJoin(owner, on: animal.$ownerID == owner.$id)
      OrderBy(animal.$id)
      Select(animal.$name, owner)
    }
    let table = try db.table(query)
    #expect(table.columns.map(\.name) == ["name", "id", "name"])
    #expect(table.columns.map(\.type) == ["String", "Int64", "String"])
    #expect(table.rows == [["Rex", "1", "Jane"], ["Tom", nil, nil]])
  }

  @Test("`as` names an expression in the SQL and in the table")
  func aliases() throws {
    let query = Animal.select { ($0.count().as("animals"), $0.$born.max().as(#"last "born""#)) }
    #expect(
      try query.sql.text
        == #"SELECT count(*) AS "animals", max("born") AS "last ""born""" FROM "Animal""#)
    let table = try db.table(query)
    #expect(table.columns.map(\.name) == ["animals", #"last "born""#])
    #expect(table.columns.map(\.type) == ["Int", "Date"])
    #expect(table.rows == [["2", "1970-01-01 00:01:00 +0000"]])
    #expect(try db.fetch(query).first?.1 == Date(timeIntervalSince1970: 60))
  }

  @Test("queries that differ only in their aliases are different statements")
  func aliasesAreShape() throws {
    try db.read { connection in
      let first = try connection.table(Animal.select { $0.$name.as("a") })
      let second = try connection.table(Animal.select { $0.$name.as("b") })
      #expect(first.columns.map(\.name) + second.columns.map(\.name) == ["a", "b"])
    }
  }

  @Test("min and max of an optional column are optional only once")
  func optionalAggregates() throws {
    let query = Animal.select { ($0.$ownerID.min().as("a"), $0.$ownerID.max().as("b")) }
    let row: (Int64?, Int64?)? = try db.first(query)
    #expect(row?.0 == 1)
    let table = try db.table(query)
    #expect(table.columns.map(\.type) == ["Int64", "Int64"])
    #expect(table.rows == [["1", "1"]])
  }

  @Test("a query with map is shown as the columns that it selects")
  func mapped() throws {
    let query = Animal.select(\.$id, \.$name).order(by: \.$id).limit(1)
    #expect(try db.table(query.map { "\($0.0)" }) == db.table(query))
  }

  @Test("an unnamed expression is titled by its SQL")
  func unnamed() throws {
    #expect(try db.table(Animal.select { $0.count() }).columns.map(\.name) == ["count(*)"])
  }

  @Test("a table without rows still has the names and types of its columns")
  func noRows() async throws {
    let table = try await db.table(Animal.where { $0.$id > 9 }.select(\.$id, \.$mood))
    #expect(table.columns.map(\.type) == ["Int64", "Mien"])
    #expect(table.rows.isEmpty)
  }

  @Test("a value that its type cannot read throws with its table, column and key")
  func wrongValue() throws {
    try db.execute("UPDATE \(Animal.self) SET mood = 'sleepy' WHERE id = 2")
    do {
      _ = try db.table(Animal.order(by: \.$id))
      Issue.record("an unknown case was printed")
    } catch let error as ColumnValueError {
      #expect(error.column == "mood")
      #expect(error.row == 1)
      #expect(error.table == "Animal" && error.key == [2])
    }
  }

  @Test("counting a query with an aliased aggregate counts its one row")
  func counting() throws {
    #expect(try db.count(Animal.select { $0.count().as("n") }) == 1)
    #expect(try db.count(Animal.select { $0.$name.as("n") }) == 2)
  }
}
