import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

@Suite("Table-valued functions")
struct TableFunctionSpecification {
  struct Note: Model, Equatable {
    struct Part: Codable, Equatable, Sendable { var name: String }

    @PrimaryKey var id: Int
    @Column var title: String
    @Column var tags: JSON<[String]>
    @Column var scores: JSON<[String: Double]>?
    @Column var parts: JSON<[Part]>
  }

  let db: Database

  init() throws {
    db = try Specification.database(models: [Note.self])
    try db.insert([
      Note(
        id: 1, title: "one two", tags: ["a", "b"], scores: JSON(["x": 1, "y": 2.5]),
        parts: [Note.Part(name: "p")]),
      Note(id: 2, title: "three", tags: [], scores: nil, parts: []),
      Note(id: 3, title: "", tags: ["b"], scores: JSON([:]), parts: []),
    ])
  }

  /// Expects the SQL of a query, and its rows in their order.
  func expect<Row>(
    _ query: some Fetchable<Row>, _ sql: String, _ rows: [String],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    #expect(try query.sql.text == sql, sourceLocation: sourceLocation)
    for _ in 1...2 {
      let found = try db.fetch(query).map { "\($0)" }
      #expect(found == rows, sourceLocation: sourceLocation)
    }
    #expect(try db.count(query) == rows.count, sourceLocation: sourceLocation)
  }

  @Test("`jsonEach` of a column is evaluated for each row of the table before it")
  func elements() throws {
    try expect(
      Query { (note: Columns<Note>, tag: Columns<JSONElement<String>>) in
        From(note)
        Join(jsonEach(note.$tags).as(tag))
        OrderBy(note.$id)
        OrderBy(tag.$index, .descending)
        Select(note.$id, tag.$index, tag.$value)
      },
      #"""
      SELECT "Note"."id", "apus_json_each"."key", "apus_json_each"."value" FROM "Note" \#
      JOIN "apus_json_each"("Note"."tags", 'String') \#
      ORDER BY "Note"."id", "apus_json_each"."key" DESC
      """#, [#"(1, 1, "b")"#, #"(1, 0, "a")"#, #"(3, 0, "b")"#])
    try expect(
      Query { (note: Columns<Note>, tag: Columns<JSONElement<String>>) in
        From(note)
        Join(jsonEach(note.$tags).as(tag), on: tag.$value == "b" && note.$id > 1)
        Select(note.$id, tag.$value)
      },
      #"""
      SELECT "Note"."id", "apus_json_each"."value" FROM "Note" \#
      JOIN "apus_json_each"("Note"."tags", 'String') \#
      ON "apus_json_each"."value" = ? AND "Note"."id" > ?
      """#, [#"(3, "b")"#])
  }

  @Test("a left join keeps the rows for which the function has none")
  func leftJoin() throws {
    try expect(
      Query { (note: Columns<Note>, tag: OptionalColumns<JSONElement<String>>) in
        From(note)
        LeftJoin(jsonEach(note.$tags).as(tag))
        OrderBy(note.$id)
        OrderBy(tag.$index)
        Select(note.$id, tag.$value)
      },
      #"""
      SELECT "Note"."id", "apus_json_each"."value" FROM "Note" \#
      LEFT JOIN "apus_json_each"("Note"."tags", 'String') \#
      ORDER BY "Note"."id", "apus_json_each"."key"
      """#,
      [#"(1, Optional("a"))"#, #"(1, Optional("b"))"#, "(2, nil)", #"(3, Optional("b"))"#])
    let whole = Query { (note: Columns<Note>, tag: OptionalColumns<JSONElement<String>>) in
      From(note)
      LeftJoin(jsonEach(note.$tags).as(tag), on: tag.$value == "a")
      OrderBy(note.$id)
      Select(tag)
    }
    #expect(try db.fetch(whole) == [JSONElement(index: 0, value: "a"), nil, nil])
  }

  @Test("objects have members, NULL has no rows, and elements that are objects are JSON")
  func members() throws {
    try expect(
      Query { (note: Columns<Note>, score: Columns<JSONMember<Double>>) in
        From(note)
        Join(jsonEach(note.$scores).as(score))
        OrderBy(score.$value, .descending)
        Select(note.$id, score.$key, score.$value)
      },
      #"""
      SELECT "Note"."id", "apus_json_each"."key", "apus_json_each"."value" FROM "Note" \#
      JOIN "apus_json_each"("Note"."scores", 'Double') ORDER BY "apus_json_each"."value" DESC
      """#, [#"(1, "y", 2.5)"#, #"(1, "x", 1.0)"#])
    let parts = Query { (note: Columns<Note>, part: Columns<JSONElement<JSON<Note.Part>>>) in
      From(note)
      Join(jsonEach(note.$parts).as(part))
      Select(part.$value)
    }
    #expect(try db.fetch(parts).map(\.value) == [Note.Part(name: "p")])
  }

  @Test("a correlated subquery reads the elements of its row")
  func subquery() throws {
    try expect(
      Note.where { note in jsonEach(note.$tags).where { $0.$value == "b" }.exists() }
        .order(by: \.$id).select { note in
          (note.$id, jsonEach(note.$tags).all.select { $0.count() }.subquery().ifNull(0))
        },
      #"""
      SELECT "id", ifnull((SELECT count(*) FROM "apus_json_each"("Note"."tags", 'String')), ?) \#
      FROM "Note" WHERE EXISTS (SELECT "apus_json_each"."key", "apus_json_each"."value" \#
      FROM "apus_json_each"("Note"."tags", 'String') WHERE "apus_json_each"."value" = ?) \#
      ORDER BY "id"
      """#, ["(1, 2)", "(3, 1)"])
  }

  @Test("`jsonEach` reads a place inside JSON into a row type of the program")
  func rowType() throws {
    struct Member: ResultRow {
      @Column var fullkey: String
      @Column var value: String
      @Column var type: String
    }
    try expect(
      Query { (note: Columns<Note>, member: Columns<Member>) in
        From(note)
        Join(jsonEach(note.$parts, at: 0, as: Member.self).as(member))
        Select(member.$fullkey, member.$value, member.$type)
      },
      #"""
      SELECT "json_each"."fullkey", "json_each"."value", "json_each"."type" FROM "Note" \#
      JOIN "json_each"(apus_json_nodes("Note"."parts"), ?)
      """#, [#"("$[0].name", "p", "text")"#])
    #expect(throws: QueryError.self) {
      try jsonEach(SQLExpression(JSON(["a"])), at: "a\"b", as: Member.self).sql
    }
  }

  @Test("`jsonTree` has a row for every value at any depth")
  func tree() throws {
    try expect(
      Query { (note: Columns<Note>, node: Columns<JSONNode>) in
        From(note)
        Join(jsonTree(note.$parts).as(node))
        Where { note.$id == 1 }
        OrderBy(node.$id)
        Select(node.$key, node.$type, node.$atom, node.$fullKey, node.$path)
      },
      #"""
      SELECT "json_tree"."key", "json_tree"."type", "json_tree"."atom", "json_tree"."fullkey", \#
      "json_tree"."path" FROM "Note" JOIN "json_tree"(apus_json_nodes("Note"."parts")) \#
      WHERE "Note"."id" = ? ORDER BY "json_tree"."id"
      """#,
      [
        #"(nil, "array", nil, "$", "$")"#, #"(Optional(0), "object", nil, "$[0]", "$")"#,
        #"(Optional(name), "text", Optional(p), "$[0].name", "$[0]")"#,
      ])
  }

  @Test("every connection has `generateSeries`, as a query and in a join")
  func series() throws {
    try expect(
      generateSeries(0, through: 30, by: 10).all.select(\.$value),
      #"SELECT "value" FROM "generate_series"(?, ?, ?)"#, ["0", "10", "20", "30"])
    #expect(try db.fetch(generateSeries(3, through: 1, by: -1)).map(\.value) == [3, 2, 1])
    #expect(try db.fetch(generateSeries(3, through: 1)) == [])
    #expect(try db.first(generateSeries(1, through: .max)) == SeriesElement(value: 1))
    try expect(
      Query { (note: Columns<Note>, number: Columns<SeriesElement>) in
        From(note)
        Join(generateSeries(2, through: note.$id).as(number))
        OrderBy(note.$id)
        Select(note.$id, number.$value)
      },
      #"""
      SELECT "Note"."id", "generate_series"."value" FROM "Note" \#
      JOIN "generate_series"(?, "Note"."id", ?) ORDER BY "Note"."id"
      """#, ["(2, 2)", "(3, 2)", "(3, 3)"])
  }

  @Test("a function that is used twice gets an alias, and joins with tables before and after it")
  func aliases() throws {
    try expect(
      Query { (a: Columns<SeriesElement>, b: Columns<SeriesElement>, note: Columns<Note>) in
        From(generateSeries(1, through: 3).as(a))
        Join(generateSeries(a.$value, through: SQLExpression(3)).as(b), on: b.$value > a.$value)
        Join(note, on: note.$id == b.$value)
        OrderBy(a.$value)
        OrderBy(b.$value)
        Select(a.$value, b.$value)
      },
      #"""
      SELECT "generate_series"."value", "generate_series_2"."value" \#
      FROM "generate_series"(?, ?, ?) \#
      JOIN "generate_series"("generate_series"."value", ?, ?) AS "generate_series_2" \#
      ON "generate_series_2"."value" > "generate_series"."value" \#
      JOIN "Note" ON "Note"."id" = "generate_series_2"."value" \#
      ORDER BY "generate_series"."value", "generate_series_2"."value"
      """#, ["(1, 2)", "(1, 3)", "(2, 3)"])
  }

  @Test("`pragmaTableInfo` describes the columns of a table")
  func tableInfo() throws {
    try expect(
      pragmaTableInfo("Note").all.order(by: \.$position).select(\.$name, \.$type, \.$isNotNull),
      #"SELECT "name", "type", "notnull" FROM "pragma_table_info"(?) ORDER BY "cid""#,
      [
        #"("id", "INTEGER", true)"#, #"("title", "TEXT", true)"#, #"("tags", "TEXT", true)"#,
        #"("scores", "TEXT", false)"#, #"("parts", "TEXT", true)"#,
      ])
    #expect(try db.fetch(pragmaTableInfo("none")) == [])
  }

  @Test("a function of the program is declared with its row and its arguments")
  func ownFunction() throws {
    struct Word: ResultRow, Equatable {
      @Column var word: String
      @Column var place: Int
    }
    try db.tableFunction("words", columns: ["word", "place"]) { (text: String) in
      text.split(separator: " ").enumerated().lazy.map {
        [.text(String($0.element)), .integer(Int64($0.offset))]
      }
    }
    let words = SQLTableFunction<Word, String>("words")
    try expect(
      Query { (note: Columns<Note>, word: Columns<Word>) in
        From(note)
        Join(words(note.$title).as(word))
        OrderBy(note.$id)
        Select(note.$id, word.$word)
      },
      #"""
      SELECT "Note"."id", "words"."word" FROM "Note" JOIN "words"("Note"."title") \#
      ORDER BY "Note"."id"
      """#, [#"(1, "one")"#, #"(1, "two")"#, #"(2, "three")"#])
    #expect(try db.fetch(words("x y")).map(\.word) == ["x", "y"])
    #expect(
      try words("x y").where { $0.$place == 1 }.sql.text
        == #"SELECT "word", "place" FROM "words"(?) WHERE "place" = ?"#)
    let tables = SQLTableFunction<PragmaTableInfo>("pragma_nothing")
    #expect(throws: DatabaseError.self) { try db.fetch(tables()) }
  }

  @Test("a function on the right side of a RIGHT or FULL JOIN is refused, and its query is not")
  func outerJoins() throws {
    #expect(throws: QueryError.self) {
      try db.fetch(
        Query { (note: OptionalColumns<Note>, number: Columns<SeriesElement>) in
          From(note)
          RightJoin(
            generateSeries(1, through: 4).as(number), on: number.$value.optional == note.$id)
          Select(number.$value, note.$id)
        })
    }
    let query = Query { (note: OptionalColumns<Note>, number: Columns<SeriesElement>) in
      From(note)
      RightJoin(
        generateSeries(3, through: 4).query.as(number), on: number.$value.optional == note.$id)
      OrderBy(number.$value)
      Select(number.$value, note.$id)
    }
    #expect(try db.fetch(query).map { "\($0)" } == ["(3, Optional(3))", "(4, nil)"])
  }
}
