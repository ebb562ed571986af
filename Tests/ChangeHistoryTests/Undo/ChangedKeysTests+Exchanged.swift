import ApusHistory
import QueryDSL
import SQLCore
import TestRun
import Testing

extension ChangedKeysTests {
  /// Exchanges the keys 1 and 2 of two books.
  private func exchangeKeys(_ connection: Connection) throws {
    for (old, new) in [(1, 3), (2, 1), (3, 2)] {
      try connection.execute("UPDATE Book SET id = \(new) WHERE id = \(old)")
    }
  }

  @Test("rows follow exchanged primary keys", arguments: sources)
  func exchanged(_ source: Source) throws {
    try createPages("ON DELETE CASCADE ON UPDATE CASCADE")
    try db.insert([Book(id: 1, title: "one"), Book(id: 2, title: "two")])
    try db.execute("INSERT INTO Page VALUES (1, 1), (2, 2)")
    let history = try history(source)
    let before = try content()
    try db.write { tx in
      try exchangeKeys(tx)
    }
    let after: [[DatabaseValue]] = [
      ["book", 1, "two"], ["book", 2, "one"], ["page", 1, "one"], ["page", 2, "two"],
    ]
    let found = try content()
    #expect(found == after)
    for _ in 0..<2 {
      try history.undo()
      let found2 = try content()
      #expect(found2 == before)
      try history.redo()
      let found3 = try content()
      #expect(found3 == after)
    }
    // A row that was added between an undo and a redo follows its book as well.
    try history.undo()
    try db.execute("INSERT INTO Page VALUES (3, 1)")
    try history.redo()
    let found4 = try content()
    #expect(found4 == after + [["page", 3, "one"]])
  }

  @Test("rows follow keys that rotate, and a key that another row gets", arguments: sources)
  func rotated(_ source: Source) throws {
    try createPages("ON DELETE CASCADE ON UPDATE CASCADE")
    try db.insert((1...3).map { Book(id: $0, title: "book \($0)") })
    try db.execute("INSERT INTO Page VALUES (1, 1), (2, 2), (3, 3)")
    let history = try history(source)
    let before = try content()
    try db.write { tx in
      for (old, new) in [(3, 4), (2, 3), (1, 2), (4, 1)] {
        try tx.execute("UPDATE Book SET id = \(new) WHERE id = \(old)")
      }
    }
    let rotated = try content()
    try history.undo()
    let found = try content()
    #expect(found == before)
    try history.redo()
    let found2 = try content()
    #expect(found2 == rotated)
    try history.undo()
    // A new row gets the key that another row had.
    try db.write { tx in
      try tx.execute("UPDATE Book SET id = 9 WHERE id = 1")
      try tx.insert(Book(id: 1, title: "new"))
    }
    let found3 = try rows("SELECT book FROM Page ORDER BY id")
    #expect(found3 == [[9], [2], [3]])
    try history.undo()
    let found4 = try content()
    #expect(found4 == before)
  }

  @Test(
    "without an action for ON UPDATE, rows that refer to exchanged keys are a conflict",
    arguments: sources)
  func exchangedWithoutAction(_ source: Source) throws {
    try createPages("ON DELETE CASCADE")
    try db.insert([Book(id: 1, title: "one"), Book(id: 2, title: "two")])
    let history = try history(source)
    try db.write { tx in
      try exchangeKeys(tx)
    }
    try db.execute("INSERT INTO Page VALUES (1, 1)")
    #expect(throws: ChangeConflicts.self) { try history.undo() }
    let found = try content()
    #expect(found == [["book", 1, "two"], ["book", 2, "one"], ["page", 1, "two"]])
    try db.execute("DELETE FROM Page")
    let found2 = try history.undo()
    #expect(found2 != nil)
    let found3 = try content()
    #expect(found3 == [["book", 1, "one"], ["book", 2, "two"]])
  }

  @Test("rows that refer to another column of exchanged rows stay", arguments: sources)
  func otherColumns(_ source: Source) throws {
    try db.execute(
      """
      CREATE UNIQUE INDEX Book_title ON Book (title);
      CREATE TABLE Mark (id INTEGER PRIMARY KEY,
        title TEXT REFERENCES Book (title) ON UPDATE CASCADE)
      """)
    try db.insert([Book(id: 1, title: "one"), Book(id: 2, title: "two")])
    try db.execute("INSERT INTO Mark VALUES (1, 'one'), (2, 'two')")
    let history = try history(source)
    try db.write { tx in
      try exchangeKeys(tx)
    }
    for _ in 0..<2 {
      try history.undo()
      let found = try rows("SELECT title FROM Mark ORDER BY id")
      #expect(found == [["one"], ["two"]])
      let found2 = try rows("SELECT title FROM Book ORDER BY id")
      #expect(found2 == [["one"], ["two"]])
      try history.redo()
      let found3 = try rows("SELECT title FROM Mark ORDER BY id")
      #expect(found3 == [["one"], ["two"]])
    }
    // Exchanged titles are followed.
    try db.write { tx in
      for (id, title) in [(1, "x"), (2, "two"), (1, "one")] {
        try tx.execute("UPDATE Book SET title = \(title) WHERE id = \(id)")
      }
    }
    let found4 = try rows("SELECT title FROM Mark ORDER BY id")
    #expect(found4 == [["two"], ["one"]])
    try history.undo()
    let found5 = try rows("SELECT title FROM Mark ORDER BY id")
    #expect(found5 == [["one"], ["two"]])
  }

  @Test(
    "if the policy leaves a row of an exchange as it is, the rows that refer to it stay with it",
    arguments: sources)
  func partOfExchange(_ source: Source) throws {
    try createPages("ON DELETE CASCADE ON UPDATE CASCADE")
    try db.insert([Book(id: 1, title: "one"), Book(id: 2, title: "two")])
    try db.execute("INSERT INTO Page VALUES (1, 1), (2, 2)")
    let history = try history(source)
    try db.write { tx in
      try exchangeKeys(tx)
    }
    try db.execute("UPDATE Book SET title = 'edited' WHERE id = 1")
    let before = try content()
    let step = try #require(try history.steps().undoable.first)
    let outcome = try history.undo(step, resolving: .mine)
    #expect(outcome?.conflicts.map(\.wasApplied) == [false, false])
    let found = try content()
    #expect(found == before)
  }

  @Test("if titles are exchanged, rows stay with the keys", arguments: sources)
  func exchangedTitles(_ source: Source) throws {
    try createPages("ON DELETE CASCADE ON UPDATE CASCADE")
    try db.insert([Book(id: 1, title: "one"), Book(id: 2, title: "two")])
    try db.execute("INSERT INTO Page VALUES (1, 1)")
    let history = try history(source)
    try db.execute("UPDATE Book SET title = iif(id = 1, 'two', 'one')")
    try history.undo()
    let found = try content()
    #expect(found == [["book", 1, "one"], ["book", 2, "two"], ["page", 1, "one"]])
  }

  @Test("an exchange in which a row may be another one is a conflict", arguments: sources)
  func uncertainExchange(_ source: Source) throws {
    try createPages("ON DELETE CASCADE ON UPDATE CASCADE")
    try db.insert([Book(id: 1, title: "one"), Book(id: 2, title: "two")])
    try db.execute("INSERT INTO Page VALUES (1, 1), (2, 2)")
    let history = try history(source)
    try db.write { tx in
      try exchangeKeys(tx)
      try tx.execute("UPDATE Book SET title = title || '!' WHERE id = 1")
    }
    let after = try content()
    #expect(throws: ChangeConflicts.self) { try history.undo() }
    let found = try content()
    #expect(found == after)
    // Rows that refer to no such book do not matter.
    try db.execute("DELETE FROM Page")
    let found2 = try history.undo()
    #expect(found2 != nil)
    let found3 = try content()
    #expect(found3 == [["book", 1, "one"], ["book", 2, "two"]])
  }

  @Test("more keys than one statement can change", arguments: sources)
  func manyKeys(_ source: Source) throws {
    try createPages("ON UPDATE CASCADE")
    let count = 4_500
    try db.insert((1...count).map { Book(id: $0, title: "\($0)") })
    try db.execute("CREATE INDEX Page_book ON Page (book)")
    try db.execute("INSERT INTO Page SELECT id, id FROM Book")
    let history = try history(source)
    try db.execute("UPDATE Book SET id = -id")
    try history.undo()
    let found = try rows("SELECT count(*) FROM Page WHERE book = id")
    #expect(found == [[.integer(Int64(count))]])
    // If each row gets the key of the next row, the changes cannot be made in parts.
    try db.write { tx in
      try tx.execute("UPDATE Book SET id = -id")
      try tx.execute("UPDATE Book SET id = 1 - id")
    }
    #expect(throws: ChangeConflicts.self) { try history.undo() }
    let found2 = try rows("SELECT count(*) FROM Page WHERE book = id + 1")
    #expect(found2 == [[.integer(Int64(count))]])
  }

  @Test("after random changes of keys, each row belongs to the same book", arguments: sources)
  func random(_ source: Source) throws {
    let seed = TestSeed.draw()
    var random = SeededGenerator(seed: seed)
    try createPages("ON DELETE CASCADE ON UPDATE CASCADE")
    try db.insert((1...6).map { Book(id: $0, title: "book \($0)") })
    let history = try history(source)
    for round in 0..<TestSize.count(small: 40, full: 500) {
      try db.execute(
        """
        INSERT OR REPLACE INTO Page SELECT \(Int.random(in: 1...5, using: &random)), id FROM Book \
        ORDER BY id LIMIT 1 OFFSET \(Int.random(in: 0..<4, using: &random))
        """)
      let before = try content()
      let keys = try db.fetch(Int.self, "SELECT id FROM Book")
      let moved = keys.filter { _ in Bool.random(using: &random) }
      let free = Array(Set(1...9).subtracting(keys)).sorted()
      let targets = (moved + free).shuffled(using: &random)
      try db.write { tx in
        for key in moved { try tx.execute("UPDATE Book SET id = -id WHERE id = \(key)") }
        for (key, target) in zip(moved, targets) {
          try tx.execute("UPDATE Book SET id = \(target) WHERE id = \(-key)")
        }
        if Bool.random(using: &random) {
          try tx.execute(
            "DELETE FROM Book WHERE id = (SELECT max(id) FROM Book WHERE id NOT IN "
              + "(SELECT book FROM Page)) AND 5 < (SELECT count(*) FROM Book)")
        }
        if Bool.random(using: &random) {
          try tx.execute(
            "INSERT OR IGNORE INTO Book VALUES (\(Int.random(in: 1...9, using: &random)), "
              + "\("new \(round)"))")
        }
      }
      let after = try content()
      guard before != after else { continue }
      try history.undo()
      let undone = try content()
      try history.redo()
      let redone = try content()
      guard undone == before, redone == after else {
        Issue.record("seed \(seed), \(source), round \(round): rows belong to other books")
        return
      }
    }
  }
}
