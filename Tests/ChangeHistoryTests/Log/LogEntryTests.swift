import ApusHistory
import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What one entry of the log is: each test is a fact about transactions that a trigger cannot see.
@Suite("Entries of the change log")
struct LogEntryTests {
  private typealias Book = Archive.Book
  private typealias Shelf = Archive.Shelf

  private func summaries(_ db: Database) throws -> [[String]] {
    try db.log.entries().map(Archive.summary)
  }

  @Test("each write is one entry, however many statements, savepoints and tables it has")
  func write() throws {
    let db = try Archive.database()
    try db.write(label: "setup") { tx in
      try tx.insert(Shelf(id: 1, name: "a"))
      try tx.savepoint { try $0.insert(Book(id: 1, title: "x", shelfID: 1)) }
      try tx.execute("UPDATE Book SET title = 'y'")
    }
    try db.execute("UPDATE Book SET weight = 2")
    try db.insert(Archive.Note(id: 1, text: "not logged"))
    let entries = try db.log.entries()
    #expect(
      entries.map(Archive.summary) == [
        ["inserted Shelf 1", "inserted Book 1"], ["updated Book 1 weight"],
      ])
    #expect(entries.map(\.label) == ["setup", nil])
    #expect(entries[0].sequence < entries[1].sequence)
    let book = try #require(entries[0].changes(of: Book.self).first)
    #expect(try book.key == 1)
    #expect(try book.new(\.$title) == "y")
    #expect(try book.old(\.$title) == nil)
    let update = try #require(entries[1].changes(of: Book.self).first)
    #expect(try update.old(\.$weight) == 0)
    #expect(try update.new(\.$weight) == 2)
    #expect(try update.new(\.$title) == nil)
    #expect(try update.new(\.$id) == 1)
    #expect(try update.hasColumnChanged(\.$weight))
    #expect(try !update.hasColumnChanged(\.$title))
    #expect(update.changedColumns == ["weight"])
  }

  @Test("writes that share a commit have an entry each, and a label that belongs to one of them")
  func shared() async throws {
    let db = try Archive.database()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 1...40 {
        group.addTask {
          if number.isMultiple(of: 2) {
            try await db.write(label: "\(number)") { try $0.insert(Shelf(id: number, name: "")) }
          } else {
            try await db.insert(Shelf(id: number, name: ""))
          }
        }
      }
      try await group.waitForAll()
    }
    let entries = try await db.log.entries()
    #expect(entries.count == 40)
    for entry in entries {
      let key = try #require(entry.changes(of: Shelf.self).first).key
      #expect(entry.changes.count == 1)
      #expect(entry.label == (key.isMultiple(of: 2) ? "\(key)" : nil))
    }
  }

  @Test("what is rolled back leaves nothing, and a savepoint that is undone leaves the rest")
  func rollback() throws {
    struct Undone: Error {}
    let db = try Archive.database()
    #expect(throws: Undone.self) {
      try db.write { tx in
        try tx.insert(Shelf(id: 1, name: ""))
        throw Undone()
      }
    }
    try db.write { tx in
      try tx.insert(Shelf(id: 2, name: ""))
      try tx.requestRollback()
    }
    try db.write { tx in
      try? tx.savepoint { inner in
        try inner.insert(Shelf(id: 3, name: ""))
        throw Undone()
      }
      try tx.insert(Shelf(id: 4, name: ""))
    }
    try db.write { tx in
      try tx.insert(Shelf(id: 5, name: ""))
      try? tx.savepoint { inner in
        try inner.execute("UPDATE Shelf SET name = 'x'")
        throw Undone()
      }
    }
    #expect(throws: DatabaseError.self) {
      try db.execute("INSERT INTO Shelf VALUES (6, 'a'), (5, 'b')")
    }
    #expect(try summaries(db) == [["inserted Shelf 4"], ["inserted Shelf 5"]])
  }

  @Test("an entry has the net effect of each row")
  func net() throws {
    let db = try Archive.database()
    try db.insert([Book(id: 1, title: "a", slug: "s"), Book(id: 2, title: "b")])
    try db.write { tx in
      try tx.execute("UPDATE Book SET title = 'z' WHERE id = 1")
      try tx.execute("UPDATE Book SET title = 'a' WHERE id = 1")
      try tx.execute("INSERT INTO Book (id, title, weight, changes) VALUES (3, 'c', 1, 1)")
      try tx.execute("DELETE FROM Book WHERE id = 3")
      try tx.execute("UPDATE Book SET id = 4 WHERE id = 2")
    }
    try db.execute(
      "INSERT OR REPLACE INTO Book (id, title, slug, weight, changes) VALUES (1, 'n', 's', 0, 0)")
    try db.execute(
      "INSERT OR REPLACE INTO Book (id, title, slug, weight, changes) VALUES (9, 'n', 'S', 0, 0)")
    try db.execute("UPDATE Book SET slug = 's' WHERE id = 9")
    try db.execute("UPDATE Book SET slug = 's' WHERE id = 9")
    #expect(
      try summaries(db).dropFirst() == [
        ["deleted Book 2", "inserted Book 4"], ["updated Book 1 title"],
        ["deleted Book 1", "inserted Book 9"], ["updated Book 9 slug"],
      ])
  }

  @Test("a row with another key is logged as another row, whatever name of the key the update uses")
  func otherKey() throws {
    let db = try Archive.database()
    try db.insert(Shelf(id: 0, name: "a"))
    let names = ["id", "ID", "rowid", "oid", "_rowid_"]
    for (key, name) in names.enumerated() {
      try db.execute("UPDATE Shelf SET \(unsafe: name) = \(key + 1)")
    }
    let changes = try summaries(db).dropFirst().map { $0.sorted() }
    #expect(changes == names.indices.map { ["deleted Shelf \($0)", "inserted Shelf \($0 + 1)"] })
  }

  @Test("cascades are logged as the rows that they changed")
  func cascades() throws {
    let db = try Archive.database()
    try db.insert(Shelf(id: 1, name: ""))
    try db.insert([Book(id: 1, title: "a", shelfID: 1), Book(id: 2, title: "b", shelfID: 1)])
    try db.execute("UPDATE Shelf SET id = 7")
    try db.execute("DELETE FROM Shelf")
    let last = try db.log.entries().suffix(2).map { Set(Archive.summary($0)) }
    #expect(
      last == [
        [
          "deleted Shelf 1", "inserted Shelf 7", "updated Book 1 shelfID", "updated Book 2 shelfID",
        ], ["deleted Shelf 7", "deleted Book 1", "deleted Book 2"],
      ])
  }

  @Test("every value is logged exactly")
  func values() throws {
    let db = try Archive.database()
    let least = Double.leastNonzeroMagnitude
    let values: [Double] = [0.1, -.infinity, .greatestFiniteMagnitude, least, 1 / 3, 3]
    let cover = Data([0, 255, 1])
    let title = "a\u{0}b'\"\u{1F600}"
    for (index, value) in values.enumerated() {
      try db.insert(Book(id: index, title: title, slug: nil, weight: value, cover: cover))
    }
    try db.insert(Book(id: 9_007_199_254_740_993, title: ""))
    let entries = try db.log.entries()
    let books = entries.flatMap { $0.changes(of: Book.self) }
    #expect(try books.map { try $0.new(\.$weight) } == values + [0])
    #expect(try books[0].new(\.$title) == title)
    #expect(try books[0].new(\.$cover) == cover)
    #expect(try books[0].new(\.$slug) == .some(nil))
    #expect(try books.last?.key == 9_007_199_254_740_993)
  }

  @Test("another program's transactions end when this one writes or reads the log")
  func stranger() throws {
    let db = try Archive.database()
    let other = try Archive.stranger(of: db)
    try other.execute("INSERT INTO Shelf VALUES (1, 'a')")
    try db.insert(Shelf(id: 2, name: ""))
    try other.write { tx in
      try tx.execute("INSERT INTO Shelf VALUES (3, 'a')")
      try tx.execute("INSERT INTO Shelf VALUES (4, 'a')")
    }
    #expect(try summaries(db).count == 3)
    // A trigger cannot see that a transaction has ended, so these two are one entry.
    try other.execute("INSERT INTO Shelf VALUES (5, 'a')")
    try other.execute("INSERT INTO Shelf VALUES (6, 'a')")
    #expect(
      try summaries(db) == [
        ["inserted Shelf 1"], ["inserted Shelf 2"], ["inserted Shelf 3", "inserted Shelf 4"],
        ["inserted Shelf 5", "inserted Shelf 6"],
      ])
    // A program that knows the log ends the entry itself.
    for id in 7...8 {
      try other.write { tx in
        try tx.execute("INSERT INTO Shelf VALUES (\(id), 'a')")
        try tx.execute("UPDATE apus_log_entry SET isOpen = 0 WHERE isOpen")
      }
    }
    #expect(try summaries(db).suffix(2) == [["inserted Shelf 7"], ["inserted Shelf 8"]])
  }

  @Test("writes of several connections keep their order and share no entry")
  func connections() async throws {
    let db = try Archive.database()
    let path = try #require(db.path)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<3 {
        group.addTask {
          let own = try Database(path: path, models: Archive.models)
          for number in 0..<20 {
            try await own.write(label: "\(writer)") { tx in
              try tx.insert(Shelf(id: writer * 100 + number * 2, name: ""))
              try tx.insert(Shelf(id: writer * 100 + number * 2 + 1, name: ""))
            }
          }
        }
      }
      try await group.waitForAll()
    }
    let entries = try await db.log.entries()
    #expect(entries.count == 60)
    for entry in entries {
      let keys = try entry.changes(of: Shelf.self).map { try $0.key }
      #expect(keys.count == 2)
      #expect(entry.label == "\(keys[0] / 100)")
    }
    for writer in 0..<3 {
      let keys = try entries.filter { $0.label == "\(writer)" }.flatMap {
        try $0.changes(of: Shelf.self).map { try $0.key }
      }
      #expect(keys == keys.sorted())
    }
  }

  @Test("an entry has its author, its time and its schema version")
  func facts() throws {
    let db = try Specification.database()
    try db.migrate(Archive.models, MigrationOptions(schemaVersion: 7))
    let before = Date()
    try db.write { tx in
      try tx.setLogAuthor("ada")
      try tx.insert(Shelf(id: 1, name: ""))
    }
    try db.insert(Shelf(id: 2, name: ""))
    let entries = try db.log.entries()
    #expect(entries.map(\.author) == ["ada", nil])
    #expect(entries.map(\.schemaVersion) == [7, 7])
    #expect(abs(entries[0].date.timeIntervalSince(before)) < 3600)
    #expect(entries.allSatisfy { $0.gap == nil && $0.origin == nil && $0.undoneSequence == nil })
  }

  @Test("a user's trigger that follows a change is logged after it")
  func triggers() throws {
    struct Counted: Model {
      static let tableName = "Book"
      @PrimaryKey var id: Int
      @Column var title: String
      @Column var changes = 0
      static var schema: Schema<Counted> {
        Logged()
        Trigger("Book_count", after: .insert) { new in
          Counted.update { $0.$changes += 1 }.where { $0.$id == new.$id }
        }
      }
    }
    let db = try Specification.database(models: [Counted.self])
    try db.insert(Counted(id: 1, title: "a"))
    let change = try #require(try db.log.entries().first?.changes(of: Counted.self).first)
    #expect(change.kind == .inserted)
    #expect(try change.new(\.$changes) == 1)
  }

  @Test("without a log, reading it says how to get one")
  func none() throws {
    let db = try Specification.database(models: [Archive.Note.self])
    #expect(throws: LogError.noLog) { try db.log.entries() }
    #expect(throws: LogError.noLog) { try db.log.cursor("a") }
    #expect(throws: LogError.noLog) { try db.write { try $0.setLogAuthor("a") } }
    #expect("\(LogError.noLog)".contains("Logged()"))
  }
}
