import ApusHistory
import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@Suite("What triggers of other programs do to the change log")
struct LogUncertaintyTests {
  private typealias Item = Followed.Item

  private func database() throws -> Database {
    let db = try Database.temporary(models: [Item.self])
    try db.insert(Item(id: 1, b: 1, c: 10, t: "a"))
    return db
  }

  private func lastChanges(_ db: Database) throws -> [AnyLogChange] {
    try db.log.newestEntries(limit: 1).flatMap(\.changes)
  }

  @Test("an insert whose row a newer trigger updates is an insert of the row as it ended")
  func insertion() throws {
    let db = try database()
    try db.execute(
      "CREATE TRIGGER raw AFTER INSERT ON Item BEGIN UPDATE Item SET c = 5 WHERE id = NEW.id; END")
    try db.insert(Item(id: 2, b: 1, c: 10, t: "b"))
    let change = try #require(lastChanges(db).first)
    #expect(change.kind == .inserted)
    #expect(change.new("c") == 5)
    let other = try Database.temporary(models: [Item.self])
    try other.log.apply(db.log.batch(after: 0))
    #expect(try other.fetch(Item.all) == db.fetch(Item.all))
  }

  @Test(
    "an update that a newer trigger follows has the values before and after, whatever the order")
  func update() throws {
    let db = try database()
    try db.writeWithoutTransaction { connection in
      try connection.execute(
        """
        CREATE TEMP TRIGGER raw AFTER UPDATE OF b ON main.Item BEGIN
          UPDATE Item SET c = 1, t = 'trigger' WHERE id = NEW.id;
        END
        """)
    }
    try db.execute("UPDATE Item SET b = 2, c = NULL, t = 'z'")
    let change = try #require(lastChanges(db).first)
    #expect(change.changedColumns == ["b", "c", "t"])
    #expect(["b", "c", "t"].map { change.old($0) } == [1, 10, "a"])
    #expect(["b", "c", "t"].map { change.new($0) } == [2, 1, "trigger"])
  }

  @Test("a row that a trigger deletes at once, or inserts again, was not changed or was updated")
  func reborn() throws {
    let db = try database()
    try db.execute(
      """
      CREATE TRIGGER gone AFTER INSERT ON Item WHEN NEW.b = 7 BEGIN
        DELETE FROM Item WHERE id = NEW.id;
      END
      """)
    try db.execute("INSERT INTO Item VALUES (2, 7, 7, 'gone')")
    #expect(try lastChanges(db).isEmpty)
    try db.execute(
      """
      CREATE TRIGGER again AFTER DELETE ON Item WHEN OLD.b = 1 BEGIN
        INSERT INTO Item VALUES (OLD.id, 99, 10, 'again');
      END
      """)
    try db.execute("DELETE FROM Item WHERE id = 1")
    let change = try #require(lastChanges(db).first)
    #expect(change.kind == .updated)
    #expect(change.changedColumns == ["b", "t"])
  }

  @Test("what a log cannot know is reported as uncertain, and is a conflict elsewhere")
  func uncertain() throws {
    let db = try database()
    let other = try Database.temporary(models: [Item.self])
    try other.log.apply(db.log.batch(after: 0))
    try db.execute(
      "CREATE TRIGGER raw BEFORE UPDATE OF b ON Item BEGIN UPDATE Item SET c = c + 1; END")
    try db.execute("UPDATE Item SET b = 2")
    let entry = try #require(db.log.newestEntries(limit: 1).first)
    let change = try #require(entry.changes.first)
    #expect(change.uncertainColumns == ["c"])
    #expect(change.changedColumns == ["b"])
    #expect(entry.changes(of: Item.self).first?.uncertainColumns == ["c"])
    let batch = try db.log.batch(after: 0)
    let decoded = try JSONDecoder().decode(LogBatch.self, from: JSONEncoder().encode(batch))
    #expect(decoded == batch)
    let error = #expect(throws: ChangeConflicts.self) { try other.log.apply(decoded) }
    #expect(error?.conflicts.map(\.reason) == [.uncertain(["c"])])
    for policy in [ConflictPolicy.newer, .theirs] {
      let copy = try Database.temporary(models: [Item.self])
      let outcome = try copy.log.apply(decoded, resolving: policy)
      #expect(outcome.conflicts.map(\.wasApplied) == [false])
      #expect(try copy.fetch(Item.all).map(\.b) == [1])
    }
  }

  @Test(
    "a trigger that hides changes cannot be declared, and is reported where another program made it"
  )
  func hiding() throws {
    enum Deleting {
      struct Item: Model {
        @PrimaryKey var id: Int
        @Column var b: Int?
        static var schema: Schema<Item> {
          Logged()
          Trigger("children", after: .delete) { old in Item.delete().where { $0.$b == old.$id } }
        }
      }
    }
    enum Before {
      struct Item: Model {
        @PrimaryKey var id: Int
        @Column var b: Int?
        @Column var t: String
        static var schema: Schema<Item> {
          FullText(\.$t)
          Trigger("count", before: .update) { _, new in
            Item.update { $0.$b = 1 }.where { $0.$id == new.$id }
          }
        }
      }
    }
    enum Harmless {
      struct Item: Model {
        @PrimaryKey var id: Int
        @Column var b: Int?
        static var schema: Schema<Item> {
          Logged()
          Trigger("stop", before: .delete) { _ in Raise(.ignore) }
          Trigger("count", after: .update(of: \.$b)) { _, new in
            Item.update { $0.$b += 1 }.where { $0.$id == new.$id && $0.$b < 5 }
          }
        }
      }
    }
    for (model, reason) in [
      (Deleting.Item.self as any TableModel.Type, "REPLACE"), (Before.Item.self, "undefined"),
    ] {
      let error = #expect(throws: ModelError.self) { try Database.temporary(models: [model]) }
      #expect(error?.description.contains(reason) == true)
    }
    _ = try Database.temporary(models: [Harmless.Item.self])

    let db = try database()
    for (trigger, reason) in [
      ("BEFORE DELETE ON Item BEGIN UPDATE OR IGNORE Item SET b = 1; END", "undefined"),
      ("DELETE ON \"Item\" BEGIN DELETE FROM \"Item\" WHERE id = 9; END", "undefined"),
      ("AFTER DELETE ON item BEGIN INSERT INTO item (id) VALUES (OLD.id); END", "REPLACE"),
      ("AFTER INSERT ON Item BEGIN SELECT RAISE(IGNORE); END", "RAISE(IGNORE)"),
    ] {
      try db.execute("CREATE TRIGGER raw \(unsafe: trigger)")
      let plan = try db.migrationPlan(for: [Item.self])
      let step = try #require(plan.steps.first)
      #expect(step.action == .keepDeclaration("the trigger raw"))
      #expect(step.reason.contains(reason), "\(step.reason)")
      try db.execute("DROP TRIGGER raw")
    }
    try db.execute(
      "CREATE TRIGGER raw AFTER UPDATE ON Item BEGIN DELETE FROM Item WHERE b = 0; END")
    #expect(
      try db.migrationPlan(for: [Item.self]).steps.map(\.reason) == ["no model declares it"])
  }

  @Test("a text that is not UTF-8 is logged with its bytes, and only reading it as a text throws")
  func invalidText() throws {
    let db = try database()
    let value = DatabaseValue.invalidText(Data([0xFF, 0x41]))
    try db.execute("UPDATE Item SET b = 3, t = CAST(x'FF41' AS TEXT)")
    try db.execute("UPDATE Item SET b = 4")
    let entries = try db.log.entries()
    #expect(entries.count == 3)
    #expect(try db.log.newestEntries(limit: 9).count == 3)
    #expect(try db.log.cursor("reader").next().count == 3)
    let change = try #require(entries[1].changes(of: Item.self).first)
    #expect(change.row.new("t") == value)
    #expect(value.description == "CAST(x'FF41' AS TEXT)")
    #expect(try change.new(\.$b) == 3)
    let error = #expect(throws: ColumnValueError.self) { try change.new(\.$t) }
    #expect(
      error?.description
        == "Item.t, row with the key 1: text with broken bytes cannot be read as UTF-8: a DatabaseValue "
        + "has its bytes, and CAST(column AS BLOB) selects them as Data, in the entry 2 of the change "
        + "log")
    let batch = try db.log.batch(after: 0)
    let coded = try JSONEncoder().encode(batch)
    let decoded = try JSONDecoder().decode(LogBatch.self, from: coded)
    #expect(decoded == batch)
    let other = try Database.temporary(models: [Item.self])
    try other.log.apply(decoded, resolving: .newer)
    #expect(
      try other.fetch((String, String, Int).self, "SELECT typeof(t), hex(t), b FROM Item").map {
        "\($0)"
      } == [#"("text", "FF41", 4)"#])
    #expect(try other.log.entries().count == 3)
  }

  @Test("a key that is not UTF-8 identifies its row")
  func invalidKey() throws {
    struct Word: Model {
      @PrimaryKey var id: String
      @Column var n: Int
      static var schema: Schema<Word> { Logged() }
    }
    let db = try Database.temporary(models: [Word.self])
    try db.execute("INSERT INTO Word VALUES (CAST(x'FE' AS TEXT), 1)")
    try db.execute("UPDATE Word SET n = 2")
    let change = try #require(db.log.newestEntries(limit: 1).first?.changes(of: Word.self).first)
    #expect(change.keyValues == [.invalidText(Data([0xFE]))])
    let error = #expect(throws: ColumnValueError.self) { try change.key }
    #expect(error?.description.contains("in the entry 2 of the change log") == true)
    let other = try Database.temporary(models: [Word.self])
    try other.log.apply(db.log.batch(after: 0), resolving: .newer)
    #expect(try other.fetch(Int.self, "SELECT n FROM Word WHERE hex(id) = 'FE'") == [2])
    try db.execute("DELETE FROM Word")
    try other.log.apply(db.log.batch(after: db.log.entries()[1].position), resolving: .newer)
    #expect(try other.count(Word.all) == 0)
  }
}
