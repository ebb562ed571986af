import ChangeObservation
import QueryDSL
import SQLCore
import TestRun
import Testing

@Suite("Undo and rows outside the history")
struct OutsideRowsTests {
  struct Book: Model, Equatable {
    @PrimaryKey var id: Int
    @Column var title: String
    @Column var code: String?

    static var schema: Schema<Book> {
      Logged()
      FullText(\.$title)
      Unique(\.$code)
    }
  }

  /// A table that is logged, and no history has.
  struct Remark: Model, Equatable {
    @PrimaryKey var id: Int
    @Column var book: Int
    @Column var text: String

    static var schema: Schema<Remark> {
      Logged()
      ForeignKey(\.$book, references: \Book.$id, onDelete: .cascade)
    }
  }

  enum Source: CaseIterable, CustomTestStringConvertible {
    case memory, log
    var testDescription: String { "\(self)" }
  }

  private let db: Database

  init() throws { db = try .temporary(models: [Book.self, Remark.self]) }

  private func history(_ source: Source, groupsByLabel: Bool = false) throws -> History {
    switch source {
    case .memory: try History(of: [Book.self], in: db, groupsByLabel: groupsByLabel)
    case .log: try History(of: [Book.self], inLogOf: db, groupsByLabel: groupsByLabel)
    }
  }

  private func rows(_ sql: SQL) throws -> [[DatabaseValue]] { try db.rows(sql).map(\.values) }

  /// Whether no foreign key is violated and the full-text index fits.
  private func isSound() throws -> Bool {
    try db.rows("PRAGMA foreign_key_check").isEmpty && db.checkSearchIndex(of: Book.self)
  }

  @Test("rows that a trigger made for an inserted row go with it", arguments: Source.allCases)
  func triggers(_ source: Source) throws {
    try db.execute(
      """
      CREATE TABLE Loan (
        id INTEGER PRIMARY KEY, book INTEGER NOT NULL REFERENCES Book (id) ON DELETE CASCADE);
      CREATE TABLE Reply (loan INTEGER PRIMARY KEY REFERENCES Loan (id) ON DELETE CASCADE);
      CREATE TABLE Tally (id INTEGER PRIMARY KEY, loans INTEGER);
      INSERT INTO Tally VALUES (1, 0);
      CREATE TRIGGER added AFTER INSERT ON Book BEGIN
        INSERT INTO Loan (book) VALUES (new.id), (new.id);
        INSERT INTO Reply SELECT id FROM Loan WHERE book = new.id;
      END;
      CREATE TRIGGER lent AFTER INSERT ON Loan BEGIN UPDATE Tally SET loans = loans + 1; END;
      CREATE TRIGGER gone AFTER DELETE ON Loan BEGIN UPDATE Tally SET loans = loans - 1; END
      """)
    let history = try history(source)
    try db.insert(Book(id: 1, title: "first"))
    try db.insert(Book(id: 2, title: "second"))
    #expect(try rows("SELECT loans FROM Tally") == [[4]])
    #expect(try history.undo() != nil)
    #expect(try rows("SELECT loans FROM Tally") == [[2]])
    #expect(try rows("SELECT book FROM Loan JOIN Reply ON loan = id") == [[1], [1]])
    #expect(try history.undo() != nil)
    #expect(try rows("SELECT loans, (SELECT count(*) FROM Loan) FROM Tally") == [[0, 0]])
    #expect(try isSound())
    // In memory, a redo brings back all that the undo removed; the log has only logged tables.
    try history.redo()
    try history.redo()
    let restored: [[DatabaseValue]] = source == .memory ? [[4, 4, 4]] : [[0, 0, 0]]
    #expect(
      try rows(
        "SELECT loans, (SELECT count(*) FROM Loan), (SELECT count(*) FROM Reply) FROM Tally")
        == restored)
    #expect(try db.fetch(Book.order { $0.$id }).map(\.title) == ["first", "second"])
    // What was added since goes as well.
    try db.execute("INSERT INTO Loan (id, book) VALUES (99, 2)")
    try history.undo()
    #expect(try rows("SELECT count(*) FROM Loan WHERE book = 2") == [[0]])
    #expect(try isSound())
  }

  @Test(
    "SET NULL and SET DEFAULT act, and the triggers of those tables fire",
    arguments: Source.allCases)
  func settingNull(_ source: Source) throws {
    try db.insert(Book(id: 7, title: "default"))
    try db.execute(
      """
      CREATE TABLE Wish (id INTEGER PRIMARY KEY, book INTEGER REFERENCES Book ON DELETE SET NULL);
      CREATE TABLE Copy (id INTEGER PRIMARY KEY,
        book INTEGER DEFAULT 7 REFERENCES Book ON DELETE SET DEFAULT);
      CREATE TABLE Seen (book INTEGER);
      CREATE TRIGGER lost AFTER UPDATE ON Wish BEGIN INSERT INTO Seen VALUES (old.book); END
      """)
    let history = try history(source)
    try db.insert(Book(id: 1, title: "one"))
    try db.execute("INSERT INTO Wish VALUES (1, 1), (2, 7); INSERT INTO Copy VALUES (1, 1)")
    try history.undo()
    #expect(try rows("SELECT book FROM Wish ORDER BY id") == [[nil], [7]])
    #expect(try rows("SELECT book FROM Copy") == [[7]])
    #expect(try rows("SELECT book FROM Seen") == [[1]])
    #expect(try isSound())
  }

  @Test(
    "a row that others must refer to is a conflict with a sentence, and the step can be skipped",
    arguments: Source.allCases)
  func restricting(_ source: Source) throws {
    try db.execute(
      "CREATE TABLE Hold (id INTEGER PRIMARY KEY, book INTEGER REFERENCES Book ON DELETE RESTRICT)")
    let history = try history(source)
    try db.write(label: "Add") { try $0.insert(Book(id: 1, title: "one")) }
    try db.write(label: "Add another") { try $0.insert(Book(id: 2, title: "two")) }
    try db.execute("INSERT INTO Hold VALUES (1, 2)")
    let before = try db.fetch(Book.order { $0.$id })
    let error = #expect(throws: ChangeConflicts.self) { try history.undo() }
    #expect(
      "\(try #require(error))"
        == "“Add another” cannot be undone, because the row 2 of Book cannot be deleted, because a "
        + "row of Hold refers to it through book")
    #expect(try db.fetch(Book.order { $0.$id }) == before)
    #expect(throws: ChangeConflicts.self) { try history.undo() }
    #expect(try history.skip()?.label == "Add another")
    #expect(try history.steps().undoable.map(\.label) == ["Add"])
    #expect(try history.steps().redoable.isEmpty)
    #expect(try history.undo()?.step.label == "Add")
    #expect(try db.fetch(Book.all).map(\.id) == [2])
    let redoable = try history.steps().redoable
    #expect(redoable.map(\.label) == ["Add"])
    // A step that was undone can be skipped as well, and then the history has no step.
    #expect(try history.skip(redoable[0]) == redoable[0])
    #expect(try history.skip() == nil)
    #expect(throws: HistoryError.unknownStep(redoable[0].id)) { try history.skip(redoable[0]) }
    // Over the log, a history that is created later knows it.
    if source == .log {
      let later = try self.history(.log).steps()
      #expect(later.undoable.isEmpty && later.redoable.isEmpty)
    }
  }

  @Test("rows of a logged table that went with a row come back with it", arguments: Source.allCases)
  func loggedTables(_ source: Source) throws {
    let history = try history(source)
    try db.insert(Book(id: 1, title: "one"))
    try db.insert([Remark(id: 1, book: 1, text: "a"), Remark(id: 2, book: 1, text: "b")])
    let before = try db.fetch(Remark.order { $0.$id })
    for _ in 0..<2 {
      try history.undo()
      #expect(try db.count(Remark.all) == 0)
      try history.redo()
      #expect(try db.fetch(Remark.order { $0.$id }) == before)
    }
    try history.undo()
    // The deletions are in the log, once each.
    let entry = try #require(try db.log.entries().last)
    #expect(entry.changes(of: Remark.self).map(\.kind) == [.deleted, .deleted])
    // A row outside that does not fit any more stays as it is, and the outcome says so.
    var configuration = Configuration()
    configuration.enforcesForeignKeys = false
    let stranger = try Database(path: try #require(db.path), configuration: configuration)
    try stranger.execute("INSERT INTO Remark VALUES (1, 1, 'other')")
    let outcome = try history.redo()
    #expect(outcome?.conflicts.map(\.wasApplied) == [false])
    #expect(try db.fetch(Remark.order { $0.$id }).map(\.text) == ["other", "b"])
  }

  @Test("keys that an undo changes are followed, also exchanged ones", arguments: Source.allCases)
  func changedKeys(_ source: Source) throws {
    try db.execute(
      """
      CREATE TABLE Mark (id INTEGER PRIMARY KEY,
        code TEXT REFERENCES Book (code) ON UPDATE CASCADE ON DELETE CASCADE);
      CREATE TABLE Page (id INTEGER PRIMARY KEY,
        book INTEGER REFERENCES Book ON UPDATE CASCADE ON DELETE CASCADE)
      """)
    let history = try history(source)
    try db.insert([
      Book(id: 1, title: "one", code: "a"), Book(id: 2, title: "two", code: "b"),
      Book(id: 3, title: "three", code: "c"),
    ])
    try db.execute(
      """
      INSERT INTO Mark VALUES (1, 'a'), (2, 'b'), (3, 'c');
      INSERT INTO Page VALUES (1, 1), (2, 2)
      """)
    let marks: SQL = "SELECT code FROM Mark ORDER BY id"
    let pages: SQL = "SELECT book FROM Page ORDER BY id"
    try db.execute("UPDATE Book SET code = 'z' WHERE id = 1")
    #expect(try rows(marks) == [["z"], ["b"], ["c"]])
    try history.undo()
    #expect(try rows(marks) == [["a"], ["b"], ["c"]])
    try db.write { tx in
      try tx.execute("UPDATE Book SET code = 'x' WHERE id = 1")
      try tx.execute("UPDATE Book SET code = 'a' WHERE id = 2")
      try tx.execute("UPDATE Book SET code = 'b' WHERE id = 1")
    }
    #expect(try rows(marks) == [["b"], ["a"], ["c"]])
    try history.undo()
    #expect(try rows(marks) == [["a"], ["b"], ["c"]])
    try history.redo()
    #expect(try rows(marks) == [["b"], ["a"], ["c"]])
    try history.undo()
    // A row with another key is followed, and not deleted with its pages.
    try db.execute("UPDATE Book SET id = 9 WHERE id = 1")
    #expect(try rows(pages) == [[9], [2]])
    try history.undo()
    #expect(try rows(pages) == [[1], [2]])
    #expect(try isSound())
    // If it may as well be another row, the undo is refused.
    try db.execute("UPDATE Book SET id = 9, title = 'changed' WHERE id = 1")
    #expect(try rows(pages) == [[9], [2]])
    let error = #expect(throws: ChangeConflicts.self) { try history.undo() }
    #expect("\(try #require(error))".contains("a row of Page refers to it through book"))
    #expect(try rows(pages) == [[9], [2]])
    #expect(try isSound())
  }

  @Test("a restriction further away, and what a trigger raises, undo nothing")
  func failures() throws {
    try db.execute(
      """
      CREATE TABLE Loan (id INTEGER PRIMARY KEY, book INTEGER REFERENCES Book ON DELETE CASCADE);
      CREATE TABLE Fine (id INTEGER PRIMARY KEY, loan INTEGER REFERENCES Loan);
      """)
    let history = try history(.memory)
    try db.insert(Book(id: 1, title: "one"))
    try db.execute("INSERT INTO Loan VALUES (1, 1); INSERT INTO Fine VALUES (1, 1)")
    #expect(throws: ChangeConflicts.self) { try history.undo() }
    try db.execute(
      """
      DELETE FROM Fine;
      CREATE TRIGGER stop BEFORE DELETE ON Loan BEGIN SELECT RAISE (ABORT, 'not this one'); END
      """)
    let error = #expect(throws: DatabaseError.self) { try history.undo() }
    #expect(error?.message.contains("not this one") == true)
    #expect(try db.count(Book.all) == 1)
    #expect(try isSound())
    // The connection and the log are as before.
    try db.execute("DROP TRIGGER stop; UPDATE Book SET title = 'other'")
    #expect(try db.log.entries().last?.changes.count == 1)
    try history.undo()
    try history.undo()
    #expect(try rows("SELECT count(*) FROM Loan") == [[0]])
  }
}

@Suite("The step that an undo takes")
struct HistoryStepTests {
  private typealias List = Board.List

  private func history(
    _ source: OutsideRowsTests.Source, of db: Database, groupsByLabel: Bool = false
  ) throws -> History {
    switch source {
    case .memory: try History(of: [List.self], in: db, groupsByLabel: groupsByLabel)
    case .log: try History(of: [List.self], inLogOf: db, groupsByLabel: groupsByLabel)
    }
  }

  @Test(
    "transactions with one label are steps of their own",
    arguments: OutsideRowsTests.Source.allCases)
  func sameLabel(_ source: OutsideRowsTests.Source) throws {
    let db = try Board.database()
    let history = try history(source, of: db)
    for id in 1...3 { try db.write(label: "Add") { try $0.insert(List(id: id, name: "x")) } }
    let steps = try history.steps().undoable
    #expect(steps.count == 3)
    #expect(try history.undo(steps[1])?.step == steps[1])
    #expect(try db.fetch(List.order { $0.$id }).map(\.id) == [1, 3])
    try history.undo()
    #expect(try db.fetch(List.all).map(\.id) == [1])
    #expect(try history.steps().redoable == [steps[1], steps[2]])
  }

  @Test(
    "transactions that join a step after it was given are not undone with it",
    arguments: OutsideRowsTests.Source.allCases)
  func grownStep(_ source: OutsideRowsTests.Source) throws {
    let db = try Board.database()
    let history = try history(source, of: db, groupsByLabel: true)
    func ids() throws -> [Int] { try db.fetch(List.order { $0.$id }).map(\.id) }
    func add(_ id: Int) throws {
      try db.write(label: "Add") { try $0.insert(List(id: id, name: "x")) }
    }
    try add(1)
    let given = try #require(try history.steps().undoable.last)
    try add(2)
    try add(3)
    #expect(try history.steps().undoable.map(\.id) == [given.id])
    #expect(try history.undo(given)?.step == given)
    #expect(try ids() == [2, 3])
    // The rest is a step of its own, and the one that was given is undone already.
    #expect(throws: HistoryError.unknownStep(given.id)) { try history.undo(given) }
    #expect(try history.steps().undoable.count == 1)
    try history.undo()
    #expect(try ids() == [])
    #expect(try history.steps().redoable.count == 2)
    #expect(try history.steps().redoable.first == given)
    try history.redo()
    #expect(try ids() == [2, 3])
    try history.redo(given)
    #expect(try ids() == [1, 2, 3])
    try history.undo()
    #expect(try ids() == [2, 3])
  }

  @Test(
    "asynchronous calls take the given step, and skip",
    arguments: OutsideRowsTests.Source.allCases)
  func asynchronous(_ source: OutsideRowsTests.Source) async throws {
    let db = try Board.database()
    let history = try history(source, of: db)
    for id in 1...3 {
      try await db.write(label: "Add") { try $0.insert(List(id: id, name: "x")) }
    }
    let steps = try await history.steps().undoable
    try await history.undo(steps[0])
    #expect(try await history.skip() == steps[2])
    #expect(try await history.undo()?.step == steps[1])
    #expect(try await history.redo(steps[0])?.step == steps[0])
    #expect(try await db.fetch(List.order { $0.$id }).map(\.id) == [1, 3])
    #expect(try await history.steps().redoable == [steps[1]])
  }
}
