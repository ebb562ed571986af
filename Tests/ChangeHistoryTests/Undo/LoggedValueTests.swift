import ApusHistory
import ChangeObservation
import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@Suite("Undo with the triggers, columns and texts of other programs")
struct LoggedValueTests {
  private typealias Card = Board.Card
  private typealias List = Board.List

  private func history(of db: Database) throws -> History {
    try History(of: [List.self, Card.self], inLogOf: db)
  }

  @Test(
    "undo writes a text that is not UTF-8 back with the same bytes, over the log and in memory",
    arguments: OutsideRowsTests.Source.allCases)
  func invalidText(_ source: OutsideRowsTests.Source) throws {
    let db = try Board.database()
    let history = try source == .log ? history(of: db) : Board.history(of: db)
    try db.insert(List(id: 1, name: "one"))
    try db.execute("UPDATE List SET name = CAST(x'FF41' AS TEXT)")
    try db.execute("UPDATE List SET name = 'two'")
    func name() throws -> [String] {
      try db.fetch(String.self, "SELECT typeof(name) || ' ' || hex(name) FROM List")
    }
    #expect(try history.steps().undoable.count == 3)
    try history.undo()
    #expect(try name() == ["text FF41"])
    try history.undo()
    #expect(try name() == ["text 6F6E65"])
    try history.redo()
    #expect(try name() == ["text FF41"])
    try db.execute("DELETE FROM List")
    try history.undo()
    #expect(try name() == ["text FF41"])
  }

  @Test("undo restores what a trigger changed that fires before that of the log")
  func laterTrigger() throws {
    let db = try Board.database()
    let history = try history(of: db)
    try db.execute(
      """
      CREATE TRIGGER raw AFTER UPDATE OF name ON List BEGIN
        UPDATE Card SET weight = 5 WHERE listID = NEW.id;
        UPDATE List SET name = NEW.name || '!' WHERE id = NEW.id AND NEW.name NOT LIKE '%!';
      END
      """)
    try db.insert(List(id: 1, name: "one"))
    try db.insert(Card(id: 1, title: "alpha", listID: 1))
    let before = try Board.state(db)
    try db.execute("UPDATE List SET name = 'two'")
    #expect(try Board.state(db).lists.map(\.name) == ["two!"])
    try history.undo()
    #expect(try Board.state(db) == before)
  }

  @Test(
    "a deleted row is restored with the columns that another program added, or it is a conflict")
  func undeclaredColumns() throws {
    let db = try Board.database()
    try db.execute("ALTER TABLE List ADD COLUMN note TEXT")
    try db.execute("INSERT INTO List VALUES (1, 'one', 'important')")
    let history = try history(of: db)
    try db.execute("DELETE FROM List")
    // The triggers did not know the column.
    let error = #expect(throws: ChangeConflicts.self) { try history.undo() }
    #expect(error?.conflicts.map(\.reason) == [.notLogged(["note"])])
    #expect(error?.description.contains("the log has no values of note") == true)
    #expect(try history.undo(resolving: .theirs)?.conflicts.map(\.wasApplied) == [true])
    #expect(try Board.state(db).lists == [List(id: 1, name: "one")])

    // The next opening logs it as well.
    let path = try #require(db.path)
    try db.close()
    let again = try Database(path: path, models: Board.models)
    try again.execute("UPDATE List SET note = 'important'")
    let restored = try self.history(of: again)
    try again.execute("DELETE FROM List")
    try restored.undo()
    #expect(try again.fetch(String.self, "SELECT note FROM List") == ["important"])
    try restored.undo()
    #expect(try again.fetch(String?.self, "SELECT note FROM List") == [nil])
  }

  @Test("a row that was deleted before a migration added a column is restored without a conflict")
  func addedColumn() throws {
    enum Later {
      struct List: Model {
        @PrimaryKey var id: Int
        @Column var name: String
        @Column var color: String?
        static var schema: Schema<List> { Logged() }
      }
    }
    let db = try Database.temporary(models: [List.self])
    try db.insert(List(id: 1, name: "one"))
    try db.execute("DELETE FROM List")
    try db.migrate([Later.List.self])
    let history = try History(of: [Later.List.self], inLogOf: db)
    try history.undo()
    #expect(try db.fetch(Later.List.all).map(\.name) == ["one"])
  }
}
