import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

@Suite("The layout of a model, which is read from its type")
struct ModelLayoutTests {
  /// Expects that a model is refused with these words wherever it is first used.
  func expectRefused<M: Model>(
    _ model: M.Type, _ words: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let error = #expect(throws: ModelError.self, sourceLocation: sourceLocation) {
      try Database.inMemory(models: [model])
    }
    #expect(error?.model == String(describing: model), sourceLocation: sourceLocation)
    #expect(
      error?.message.contains(words) == true, "\(error?.message ?? "")",
      sourceLocation: sourceLocation)
    let db = try Database.inMemory()
    #expect(throws: ModelError.self, sourceLocation: sourceLocation) {
      try db.migrationPlan(for: [model])
    }
    #expect(throws: (any Error).self, sourceLocation: sourceLocation) {
      try db.fetch(M.all)
    }
  }

  @Test("the table has the name of a private or nested type without its outer types")
  func namesOfTypes() {
    #expect(Hidden.tableName == "Hidden")
    #expect(Outer<Int>.Inner.tableName == "Inner")
  }

  @Test("classes and enumerations are refused as models")
  func notAStruct() throws {
    final class Thing: Model {
      let id = 1
    }
    enum Choice: Model {
      case one
      var id: Int { 1 }
    }
    try expectRefused(Thing.self, "a model must be a struct")
    try expectRefused(Choice.self, "a model must be a struct")
  }

  @Test("a stored property that is not a column is refused by name")
  func plainProperty() throws {
    struct Plain: Model {
      @PrimaryKey var id: Int
      var note = ""
    }
    struct Constant: Model {
      @PrimaryKey var id: Int
      let kind = 3
    }
    struct Lazy: Model {
      @PrimaryKey var id: Int
      lazy var cached: [Int] = []
    }
    try expectRefused(Plain.self, "note: String is not a column")
    try expectRefused(Constant.self, "kind: Int is not a column")
    try expectRefused(Lazy.self, "cached")
  }

  @Test("computed and static properties are ignored")
  func calculated() throws {
    struct Fine: Model {
      static let kind = 3
      @PrimaryKey var id: Int
      @Column var first: String
      var upper: String { first.uppercased() }
      static var schema: Schema<Fine> { Index(\.$first) }
    }
    let db = try Database.inMemory(models: [Fine.self])
    try db.insert(Fine(id: 1, first: "a"))
    #expect(try db.find(Fine.self, 1)?.upper == "A")
  }

  @Test("a model needs a primary key, and only a single integer key may be optional")
  func keys() throws {
    struct NoKey: Model {
      @Column var id: Int
    }
    struct Composite: Model {
      struct ID: Hashable, Sendable {
        var a: Int?
        var b: Int
      }
      @PrimaryKey var a: Int?
      @PrimaryKey var b: Int
      var id: ID { ID(a: a, b: b) }
    }
    struct OptionalText: Model {
      @PrimaryKey var id: String?
    }
    try expectRefused(NoKey.self, "it has no primary key")
    try expectRefused(Composite.self, "a: only a single key of an integer type may be optional")
    try expectRefused(OptionalText.self, "id: only a single key")
  }

  @Test("an ID without a property for each key column, of the same type, is refused")
  func identifiers() throws {
    struct Lacking: Model {
      struct ID: Hashable, Sendable {
        var a: Int
      }
      @PrimaryKey var a: Int
      @PrimaryKey var b: Int
      var id: ID { ID(a: a) }
    }
    struct OtherType: Model {
      struct ID: Hashable, Sendable {
        var a: Int
        var b: Int32
      }
      @PrimaryKey var a: Int
      @PrimaryKey var b: Int
      var id: ID { ID(a: a, b: 0) }
    }
    struct Single: Model {
      @PrimaryKey var code: String
      var id: Int { 1 }
    }
    try expectRefused(Lacking.self, "which has no property `b: Int`")
    try expectRefused(OtherType.self, "which has no property `b: Int`")
    try expectRefused(Single.self, "which has no property `code: String`")
  }

  @Test("two columns that differ only in case are refused")
  func cases() throws {
    struct Cases: Model {
      @PrimaryKey var id: Int
      @Column var name: String
      @Column var Name: String
    }
    try expectRefused(Cases.self, "Name: two columns differ only by case")
  }

  @Test("nested optionals and stored forms that the type lacks are refused")
  func forms() throws {
    struct Nested: Model {
      @PrimaryKey var id: Int
      @Column var text: String??
    }
    struct NoForm: Model {
      @PrimaryKey var id: Int
      @Column var text: String
      static var schema: Schema<NoForm> { Stored(\.$text, as: .bytes) }
    }
    struct NoColumn: Model {
      @PrimaryKey var id: Int
      var fake: ColumnReference<Int> { $id }
      static var schema: Schema<NoColumn> { Stored(\.fake, as: .standard) }
    }
    try expectRefused(Nested.self, "text: an optional of an optional")
    try expectRefused(NoForm.self, "text: String has no stored form `.bytes`")
    // A property that returns another column stands for that column.
    _ = try Database.inMemory(models: [NoColumn.self])
  }

  @Test("reserved, empty and unusable table names are refused")
  func tableNames() throws {
    struct Master: Model {
      static let tableName = "SQLite_master2"
      @PrimaryKey var id: Int
    }
    struct Empty: Model {
      static let tableName = ""
      @PrimaryKey var id: Int
    }
    struct Null: Model {
      static let tableName = "a\u{0}b"
      @PrimaryKey var id: Int
    }
    try expectRefused(Master.self, "cannot be the name of a table")
    try expectRefused(Empty.self, "cannot be the name of a table")
    try expectRefused(Null.self, "cannot be the name of a table")
  }

  @Test("a column type without a storage class is refused")
  func noStorageClass() throws {
    struct Nothing: ColumnValue {
      static var storageClass: StorageClass { .null }
      init(_ cell: borrowing Cell) throws {}
      func databaseValue(as form: StoredForm) throws -> DatabaseValue { .null }
    }
    struct Holder: Model {
      @PrimaryKey var id: Int
      @Column var nothing: Nothing
    }
    try expectRefused(Holder.self, "nothing: ")
  }

  @Test("a nested type's table has its plain name, and a generic type's includes the arguments")
  func names() throws {
    #expect(ColumnTests.Note.tableName == "Note")
    #expect(Generic<Int, String>.tableName == "Generic<Int, String>")
    let db = try Specification.database(models: [
      Generic<Int, String>.self, Generic<String, Int>.self,
    ])
    try db.insert(Generic(id: 1, value: "a"))
    try db.insert(Generic(id: "b", value: 2))
    #expect(try db.find(Generic<Int, String>.self, 1)?.value == "a")
    #expect(try db.find(Generic<String, Int>.self, "b")?.value == 2)
  }

  @Test("SQL keywords, underscores and other scripts work as names")
  func words() throws {
    struct Select: Model, Equatable {
      @PrimaryKey var `where`: Int
      @Column var order: Int
      @Column var _from: String
      @Column var 名前: String?
      var id: Int { `where` }
    }
    let db = try Specification.database(models: [Select.self])
    let row = Select(where: 1, order: 2, _from: "x", 名前: "y")
    try db.insert(row)
    #expect(try db.fetch(Select.where { $0.$order == 2 && $0.$名前 == "y" }) == [row])
    #expect(
      try Select.all.sql.text
        == #"SELECT "where", "order", "_from", "名前" FROM "Select""#)
  }
}

struct Generic<Key: ColumnValue & Hashable, Value: ColumnValue>: Model {
  @PrimaryKey var id: Key
  @Column var value: Value
}

private struct Hidden: Model {
  @PrimaryKey var id: Int64
}

private struct Outer<Value> {
  struct Inner: Model {
    @PrimaryKey var id: Int64
  }
}
