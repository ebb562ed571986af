import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

@Suite("The offered lines of a refused migration compile")
struct AdviceTests: RefusalExpecting {
  struct ByCode: Model {
    static let tableName = "Item"
    @PrimaryKey var code: String
    var id: String { code }
  }

  struct PastedByCode: Model {
    static let tableName = "Item"
    @PrimaryKey var code: String
    var id: String { code }
    @Column var storedId: Int64
    static var schema: Schema<PastedByCode> {
      Named(\.$storedId, "id")
    }
  }

  @Test("a column called `id` is offered under another name if the model has another key")
  func takenID() throws {
    _ = try expectRefused(
      "CREATE TABLE Item (code TEXT PRIMARY KEY NOT NULL, id INTEGER NOT NULL)", ByCode.self,
      "id is NOT NULL and has no default, and no property declares it, so insertions would fail; "
        + #"declare it as a property of ByCode, or drop it with `Dropped("id")`"#,
      line: "@Column var storedId: Int64\n" + #"Named(\.$storedId, "id")"#,
      pastedInto: PastedByCode.self)
  }

  struct PastedReserved: Model {
    static let tableName = "Item"
    @PrimaryKey var code: String
    var id: String { code }
    @Column var `class`: Int64
  }

  @Test("a column that is named like a keyword of Swift is offered in backticks")
  func reserved() throws {
    _ = try expectRefused(
      "CREATE TABLE Item (code TEXT PRIMARY KEY NOT NULL, class INTEGER NOT NULL)", ByCode.self,
      "class is NOT NULL and has no default, and no property declares it, so insertions would fail; "
        + #"declare it as a property of ByCode, or drop it with `Dropped("class")`"#,
      line: "@Column var `class`: Int64", pastedInto: PastedReserved.self)
  }

  enum Outer {
    enum Mood: String, ColumnValue { case calm, wild }
  }

  struct Moody: Model {
    static let tableName = "Item"
    @PrimaryKey var code: String
    var id: String { code }
    @Column var mood: Outer.Mood
  }

  struct PastedMoody: Model {
    static let tableName = "Item"
    @PrimaryKey var code: String
    var id: String { code }
    @Column var mood: AdviceTests.Outer.Mood?
  }

  @Test("a nested type is offered with the names of its outer types")
  func nestedType() throws {
    _ = try expectRefused(
      "CREATE TABLE Item (code TEXT PRIMARY KEY NOT NULL); INSERT INTO Item VALUES ('a')",
      Moody.self,
      "the new column mood needs a value for the existing rows; make the property optional, or write "
        + #"`Default(\.$mood, …)` in the schema of Moody"#,
      line: "@Column var mood: AdviceTests.Outer.Mood?", pastedInto: PastedMoody.self)
  }
}
