import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

@Suite("Keys and texts of JSON in every spelling")
struct JSONSpellingSpecification {
  struct Document: Model, Equatable {
    @PrimaryKey var id: Int
    @Column var members: JSON<[String: Int]>
    @Column var texts: JSON<[String: String]> = JSON([:])
    @Column var list: JSON<[String]> = []
  }

  private let db: Database
  private let keys = ["größe", "日本", "text/html", "a&b", "😀", "<x>"]

  init() throws {
    db = try Specification.database(models: [Document.self])
    // As the encoders of Python, PHP and Go write them.
    let escaped = #"""
      {"gr\u00f6\u00DFe": 0, "\u65e5\u672c":1, "text\/html" :2, "a\u0026b":3, "\ud83d\ude00":4,
       "\u003cx\u003e":5, "inner":{"gr\u00f6\u00dfe":"\u00f6:"}, "\u0061\"\\\n":7}
      """#
    try db.execute(
      "INSERT INTO Document (id, members, texts, list) VALUES (1, \(escaped), '{}', '[]')")
  }

  private func members() throws -> [String: DatabaseValue] {
    let rows = try db.rows("SELECT key, value FROM Document, json_each(members)")
    return try Dictionary(
      uniqueKeysWithValues: rows.map {
        (try $0.get(String.self, at: 0), $0[1] ?? .null)
      })
  }

  @Test("a key is found, replaced and removed, however the JSON spells it")
  func escapedKeys() throws {
    for (number, key) in keys.enumerated() {
      let step = JSONStep.key(key)
      #expect(
        try db.fetch(
          Document.select {
            ($0.$members.value(at: step, as: Int.self), $0.$members.type(at: step))
          }
        ).map { "\($0)" } == ["(Optional(\(number)), Optional(\"integer\"))"], "\(key)")
      #expect(
        try db.count(Document.where { $0.$members.value(at: step, as: Int.self) == number }) == 1)
      try db.run(Document.update { $0.$members = $0.$members.insert(9, at: step) })
      #expect(try members()[key] == .integer(Int64(number)))
      try db.run(Document.update { $0.$members = $0.$members.replace(at: step, with: 10) })
      try db.run(Document.update { $0.$members = $0.$members.set(at: step, to: 20 + number) })
      #expect(try members()[key] == .integer(Int64(20 + number)))
      #expect(try members().count == 8)
    }
    #expect(
      try db.fetch(Document.select { $0.$members.value(at: "inner", "größe", as: String.self) })
        == ["ö:"])
    try db.run(Document.update { $0.$members = $0.$members.patch(["größe": 1, "日本": nil]) })
    #expect(try members()["größe"] == 1)
    #expect(try members()["日本"] == nil)
    for key in keys where key != "日本" {
      try db.run(Document.update { $0.$members = $0.$members.remove(at: .key(key)) })
      #expect(try members()[key] == nil)
    }
    #expect(Set(try members().keys) == ["inner", "a\"\\\n"])
  }

  @Test("U+0000 survives in texts and keys")
  func zeros() throws {
    let text = Specification.storable("a\0b")
    try db.run(Document.update { $0.$members = JSON([:]) })
    try db.run(
      Document.update {
        $0.$texts = JSON([text: text, "k": text]); $0.$list = [text, "\\u0000"]
      })
    #expect(try db.fetch(Document.select { $0.$texts.value(at: "k", as: String.self) }) == [text])
    #expect(try db.count(Document.where { $0.$texts.value(at: "k", as: String.self) == text }) == 1)
    let members = Query { (document: Columns<Document>, member: Columns<JSONMember<String>>) in
      From(document)
      Join(jsonEach(document.$texts).as(member))
      Select(member.$key, member.$value)
    }
    #expect(try db.fetch(members).map { [$0.0, $0.1] } == [[text, text], ["k", text]])
    let elements = Query { (document: Columns<Document>, element: Columns<JSONElement<String>>) in
      From(document)
      Join(jsonEach(document.$list).as(element))
      Where { element.$value == text }
      Select(element.$value)
    }
    #expect(try db.fetch(elements) == [text])
    try db.run(
      Document.update {
        $0.$texts = $0.$texts.set(at: "new", to: text)
        $0.$list = $0.$list.append(text)
      })
    let document = try #require(try db.first(Document.all))
    #expect(document.texts.value == [text: text, "k": text, "new": text])
    #expect(document.list.value == [text, "\\u0000", text])
    let made = Query { (element: Columns<JSONElement<String>>) in
      From(jsonEach(SQLExpression(JSON([text, "x"]))).as(element))
      Select(
        element.$value.jsonGroupArray(), element.$value.jsonGroupObject(element.$value),
        jsonArray(text.expression))
    }
    let (array, object, single) = try #require(try db.first(made))
    #expect(array.value == [text, "x"])
    #expect(object.value == [text: text, "x": "x"])
    #expect(single.value == [text])
    let escaped = jsonTree(SQLExpression(JSON(["\\u0000"]))).all.select(\.$atom)
    #expect(try db.fetch(escaped).compactMap { $0 } == [.text("\\u0000")])
    // SQLite's own tables of JSON cut texts before version 3.45; the library refuses that.
    let nodes = jsonTree(SQLExpression(JSON([text]))).all.select(\.$atom)
    do {
      #expect(try db.fetch(nodes).compactMap { $0 } == [.text(text)])
    } catch let error as DatabaseError {
      #expect(error.message.contains("U+0000"))
    }
    let parts = jsonEach(SQLExpression(JSON([text: JSON([1])]))).all.select(\.$key)
    do {
      let names = try db.fetch(parts)
      #expect(names == [text])
    } catch let error as DatabaseError {
      #expect(error.message.contains("U+0000"))
    }
  }

  @Test("an object of a group is made over a window and with a filter, and is empty without rows")
  func groupedObjects() throws {
    let rows = generateSeries(1, through: 3)
    func key(_ number: Columns<SeriesElement>) -> SQLExpression<String> {
      number.$value.cast(to: String.self)
    }
    let empty = Query { (number: Columns<SeriesElement>) in
      From(rows.as(number))
      Select(key(number).jsonGroupObject(number.$value).filter(number.$value > 5))
    }
    #expect(try db.fetch(empty).map(\.value) == [[:]])
    let sliding = Query { (number: Columns<SeriesElement>) in
      From(rows.as(number))
      OrderBy(number.$value)
      Select(
        key(number).jsonGroupObject(number.$value)
          .over(.order(by: number.$value).rows(.preceding(1), .currentRow)))
    }
    #expect(try db.fetch(sliding).map(\.value) == [["1": 1], ["1": 1, "2": 2], ["2": 2, "3": 3]])
  }
}

extension String {
  fileprivate var expression: SQLExpression<String> { SQLExpression(self) }
}
