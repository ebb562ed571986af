import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

private struct Writer: Model, Equatable {
  @PrimaryKey var id: Int
  @Column var name: String
}

private struct Work: Model, Equatable {
  @PrimaryKey var id: Int
  @Column var writerID: Int
  @Column var title: String
}

/// A view without a key.
private struct WorkCount: SQLView, Equatable {
  @Column var name: String
  @Column var works: Int

  static var definition: some Fetchable {
    Query { (writer: Columns<Writer>, work: Columns<Work>) in
      From(writer)
      Join(work, on: work.$writerID == writer.$id)
      GroupBy(writer.$id)
      Select(writer.$name, work.$id.count())
    }
  }
}

/// A view with a key, which triggers write.
private struct WriterName: Model, SQLView, Equatable {
  @PrimaryKey var id: Int
  @Column var name: String

  static var definition: some Fetchable { Writer.select(\.$id, \.$name) }

  static var schema: Schema<WriterName> {
    Trigger("WriterName_insert", insteadOf: .insert) { new in
      Writer.insert {
        $0.$id = new.$id
        $0.$name = new.$name
      }
    }
    Trigger("WriterName_update", insteadOf: .update) { old, new in
      Writer.update { $0.$name = new.$name }.where { $0.$id == old.$id }
    }
    Trigger("WriterName_delete", insteadOf: .delete) { old in
      Writer.delete().where { $0.$id == old.$id }
    }
  }
}

@Suite("Views with and without a key")
struct ViewSpecification {
  let db: Database

  init() throws {
    db = try Specification.database(
      models: [Writer.self, Work.self, WorkCount.self, WriterName.self])
    try db.insert([Writer(id: 1, name: "Jane"), Writer(id: 2, name: "Ann")])
    try db.insert([
      Work(id: 1, writerID: 1, title: "a"), Work(id: 2, writerID: 1, title: "b"),
      Work(id: 3, writerID: 2, title: "c"),
    ])
  }

  @Test("a view without a key is read like a table")
  func keyless() throws {
    let busy = WorkCount.where { $0.$works > 1 }.order(by: \.$name)
    #expect(
      try busy.sql.text
        == #"SELECT "name", "works" FROM "WorkCount" WHERE "works" > ? ORDER BY "name""#)
    #expect(try db.fetch(busy) == [WorkCount(name: "Jane", works: 2)])
    #expect(try db.count(WorkCount.all) == 2)
    let joined = Query { (writer: Columns<Writer>, count: Columns<WorkCount>) in
      From(writer)
      Join(count, on: count.$name == writer.$name)
      OrderBy(writer.$id)
      Select(writer, count)
    }
    let rows = try db.fetch(joined)
    #expect(rows.map(\.1) == [WorkCount(name: "Jane", works: 2), WorkCount(name: "Ann", works: 1)])
    // Without a trigger SQLite says which view cannot be written.
    let error = #expect(throws: DatabaseError.self) {
      try db.run(WorkCount.delete().where { $0.$works == 0 })
    }
    #expect(error?.message == "cannot modify WorkCount because it is a view")
  }

  @Test("a view with a key is also found and read in pages, and commands write it")
  func keyed() throws {
    #expect(try db.find(WriterName.self, 2) == WriterName(id: 2, name: "Ann"))
    #expect(try db.fetch(WriterName.page(by: .key).limit(1)).map(\.id) == [1])
    try db.run(WriterName.insert(WriterName(id: 3, name: "Eve")))
    try db.run(WriterName.update { $0.$name = "Anna" }.where { $0.$id == 2 })
    try db.run(WriterName.delete().where { $0.$id == 1 })
    #expect(
      try db.fetch(Writer.order(by: \.$id)) == [
        Writer(id: 2, name: "Anna"), Writer(id: 3, name: "Eve"),
      ])
  }

  @Test("the methods that take a model name the view and the commands that write it")
  func models() throws {
    var name = try #require(try db.find(WriterName.self, 1))
    name.name = "Janet"
    let names = [name]
    let message = """
      WriterName is a view, which has no rows of its own: write its tables; or declare INSTEAD OF \
      triggers, `Trigger(_:insteadOf:)`, and run the commands WriterName.insert(row), \
      WriterName.update { … } and WriterName.delete()
      """
    func expect(
      sourceLocation: SourceLocation = #_sourceLocation, _ body: (Connection) throws -> Void
    ) {
      let error = #expect(throws: QueryError.self, sourceLocation: sourceLocation) {
        try db.write { try body($0) }
      }
      #expect(error?.message == message, sourceLocation: sourceLocation)
    }
    expect { try $0.insert(name) }
    expect { try $0.insert(names) }
    expect { try $0.insert(Array(repeating: name, count: 100)) }
    expect { try $0.update(name) }
    expect { try $0.update(names) }
    expect { try $0.update(WriterName.self, 1) { $0.name = "Janet" } }
    expect { try $0.save(name) }
    expect { try $0.delete(name) }
    expect { try $0.delete(WriterName.self, 1) }
    #expect(throws: QueryError.self) { try db.insert(WorkCount(name: "Eve", works: 0)) }
    #expect(throws: QueryError.self) { try db.update(name) }
    #expect(throws: (any Error).self) { try db.upsert(name, onConflict: \.$id) }
    #expect(try db.fetch(Writer.order(by: \.$id)).map(\.name) == ["Jane", "Ann"])
  }
}
