import ApusHistory
import ChangeObservation
import QueryDSL
import SQLCore
import SchemaMigration
import TestRun
import Testing

@testable import QueryFixtures

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

    /// A history in memory needs the pre-update hook.
    static var allCases: [Source] {
      SQLiteLibrary.Feature.preUpdateHook.isAvailable ? [.memory, .log] : [.log]
    }
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
    // A row that was added since is deleted as well.
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

  @Test(
    "a restriction further away, and what a trigger raises, undo nothing", .needs(.preUpdateHook))
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

  @Test(
    "after random writes in and outside the history, no undo or redo leaves a key without its row",
    arguments: Source.allCases)
  func random(_ source: Source) throws {
    let seed = TestSeed.draw()
    var random = SeededGenerator(seed: seed)
    try db.execute(
      """
      CREATE TABLE Loan (id INTEGER PRIMARY KEY, book INTEGER NOT NULL
        REFERENCES Book ON DELETE CASCADE ON UPDATE CASCADE);
      CREATE TABLE Reply (id INTEGER PRIMARY KEY, loan INTEGER REFERENCES Loan ON DELETE CASCADE);
      CREATE TABLE Wish (id INTEGER PRIMARY KEY,
        book INTEGER REFERENCES Book ON DELETE SET NULL ON UPDATE CASCADE);
      CREATE TABLE Mark (id INTEGER PRIMARY KEY, code TEXT
        REFERENCES Book (code) ON DELETE SET NULL ON UPDATE CASCADE);
      CREATE TABLE Hold (id INTEGER PRIMARY KEY, book INTEGER REFERENCES Book);
      CREATE TABLE Tally (id INTEGER PRIMARY KEY, loans INTEGER);
      INSERT INTO Tally VALUES (1, 0);
      CREATE TRIGGER added AFTER INSERT ON Book BEGIN INSERT INTO Loan (book) VALUES (new.id); END;
      CREATE TRIGGER lent AFTER INSERT ON Loan BEGIN UPDATE Tally SET loans = loans + 1; END;
      CREATE TRIGGER gone AFTER DELETE ON Loan BEGIN UPDATE Tally SET loans = loans - 1; END
      """)
    let history = try history(source)
    var counts = (inverted: 0, conflicts: 0)
    for round in 0..<TestSize.count(small: 250, full: 1_000) {
      let (id, other) = (
        Int.random(in: 1...4, using: &random), Int.random(in: 1...4, using: &random)
      )
      let code = ["a", "b", "c"][Int.random(in: 0..<3, using: &random)]
      let sql: SQL? =
        switch Int.random(in: 0..<16, using: &random) {
        case 0, 1: "INSERT OR IGNORE INTO Book VALUES (\(id), \(code), \(code))"
        case 2: "DELETE FROM Book WHERE id = \(id)"
        case 3: "UPDATE OR IGNORE Book SET code = \(code) WHERE id = \(id)"
        case 4: "UPDATE OR IGNORE Book SET id = \(other) WHERE id = \(id)"
        case 5: "INSERT INTO Loan (book) SELECT id FROM Book WHERE id = \(id)"
        case 6: "INSERT INTO Reply (loan) SELECT id FROM Loan WHERE book = \(id)"
        case 7: "INSERT INTO Wish (book) SELECT id FROM Book WHERE id = \(id)"
        case 8: "INSERT INTO Mark (code) SELECT code FROM Book WHERE id = \(id)"
        case 9: "INSERT OR REPLACE INTO Hold SELECT 1, id FROM Book WHERE id = \(id)"
        case 10: "DELETE FROM Hold"
        case 11:
          "INSERT OR REPLACE INTO Remark SELECT \(other), id, code FROM Book WHERE id = \(id)"
        default: nil
        }
      do {
        if round == 100 {
          // The draws may lead to no conflict: a row outside refers to the last book.
          try db.execute("INSERT INTO Book VALUES (9, 'held', NULL)")
          try db.execute("INSERT INTO Hold VALUES (9, 9)")
          counts.inverted += 1
          try history.undo()
        } else if let sql {
          try db.execute(sql)
        } else {
          let steps = try history.steps()
          let isUndo = steps.redoable.isEmpty || Bool.random(using: &random)
          let step = (isUndo ? steps.undoable : steps.redoable).randomElement(using: &random)
          guard let step else { continue }
          let policy: ConflictPolicy = [.fail, .fail, .mine, .theirs][other - 1]
          counts.inverted += 1
          if isUndo {
            try history.undo(step, resolving: policy)
          } else {
            try history.redo(step, resolving: policy)
          }
        }
      } catch is ChangeConflicts {
        counts.conflicts += 1
      } catch let error as DatabaseError where error.code.primary == .constraint && sql != nil {}
      guard try isSound(),
        try rows("SELECT 1 FROM Tally WHERE loans = (SELECT count(*) FROM Loan)").count == 1
      else {
        Issue.record("seed \(seed), \(source), round \(round): the rows do not belong together")
        return
      }
    }
    #expect(counts.inverted > 20 && counts.conflicts > 0)
  }

  @Test("a vector index follows an undo and a redo", arguments: Source.allCases)
  func vectorIndex(_ source: Source) throws {
    struct Book: Model {
      @PrimaryKey var id: Int
      @Column var meaning: [Float]
      static var schema: Schema<Book> {
        Logged()
        VectorIndex(\.$meaning)
      }
    }
    let db = try Database.temporary(models: [Book.self])
    let history =
      switch source {
      case .memory: try History(of: [Book.self], in: db)
      case .log: try History(of: [Book.self], inLogOf: db)
      }
    func waiting() throws -> [Int] {
      try db.fetch(Int.self, "SELECT key FROM Book_meaning_index WHERE cell <= 0 ORDER BY 1")
    }
    try db.insert((0..<20).map { Book(id: $0, meaning: [Float($0), 1]) })
    try db.rebuildVectorIndex(of: Book.self)
    try db.run(Book.update { $0.$meaning = [0, 0] }.where { $0.$id == 3 })
    try db.run(Book.delete().where { $0.$id == 4 })
    for _ in 0..<2 {
      #expect(try history.undo() != nil)
      #expect(try waiting() == [3, 4])
      #expect(try history.undo() != nil)
      #expect(try waiting() == [3, 4])
      #expect(try db.checkVectorIndex(of: Book.self))
      #expect(try history.redo() != nil)
      #expect(try history.redo() != nil)
      #expect(try waiting() == [3])
      #expect(try db.checkVectorIndex(of: Book.self))
      #expect(try db.count(Book.all) == 19)
    }
  }
}
