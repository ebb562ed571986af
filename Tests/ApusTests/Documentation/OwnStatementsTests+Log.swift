import Apus
import ApusHistory
import Foundation
import TestRun
import Testing

extension OwnStatements {
  struct Topic: Model {
    @PrimaryKey var id: Int
    @Column var name: String
    // Without a full-text index, whose own statements SQLite reports as well.
    static var schema: Schema<Topic> { Logged() }
  }

  struct Remark: Model {
    @PrimaryKey var id: Int
    @Column var topicID: Int
    @Column var text: String
    static var schema: Schema<Remark> {
      Logged()
      ForeignKey(\.$topicID, references: \Topic.$id, onDelete: .cascade)
    }
  }

  static let logged: [any Model.Type] = [Topic.self, Remark.self]

  /// Opens the file with a log and some entries; what that runs is not looked at.
  func openLogged() throws -> Database {
    let db = try Database(path: path, models: [Topic.self, Remark.self])
    try db.insert(Topic(id: 1, name: "one"))
    try db.insert(Remark(id: 1, topicID: 1, text: "a"))
    try db.execute("UPDATE Remark SET text = 'b'")
    try db.execute("DELETE FROM Topic")
    forget()
    return db
  }
}

extension OwnStatementsTests {
  @Test("undo and redo, in memory and over the change log", .needs(.preUpdateHook))
  func undo() async {
    await #expect(processExitsWith: .success) {
      try OwnStatements.run { statements in
        let db = try statements.openLogged()
        let history = try History(of: OwnStatements.logged, inLogOf: db)
        while try history.undo() != nil {}
        while try history.redo() != nil {}
        #expect(try history.steps().undoable.count == 4)
        try statements.expect(
          "Opening", "Reading", "Writing", "Observing", "The change log",
          "Undo and transactions of other databases",
          memory: ["Opening", "Observing in memory"])
        let memory = try History(of: OwnStatements.logged, in: db, author: "ada")
        try memory.write { try $0.execute("INSERT INTO Topic VALUES (2, 'two')") }
        try memory.undo()
        try memory.redo()
        try statements.expect(
          "Opening", "Reading", "Writing", "Observing", "The change log",
          "Undo and transactions of other databases",
          asked: ["INSERT INTO Topic VALUES (2, 'two')"],
          memory: ["Opening", "Observing in memory"])
      }
    }
  }

  @Test("transactions of another database, a copy of its rows, and another identity")
  func exchange() async {
    await #expect(processExitsWith: .success) {
      try OwnStatements.run { statements in
        let db = try statements.openLogged()
        let other = try Database.inMemory(models: OwnStatements.logged)
        statements.forget()
        let identity = try db.log.identity
        #expect(try db.log.batch(after: 0).transactions.count == 4)
        try statements.expect(
          "Opening", "Reading", "Writing", "The change log",
          "Undo and transactions of other databases")
        try other.insert(OwnStatements.Topic(id: 1, name: "other"))
        try other.insert(OwnStatements.Topic(id: 2, name: "other"))
        try other.execute("UPDATE Topic SET name = 'changed' WHERE id = 1")
        let batch = try other.log.batch(after: 0)
        statements.forget()
        #expect(try db.log.apply(batch, resolving: .newer).count == 3)
        #expect(try db.log.appliedPosition(of: batch.source) == batch.end)
        #expect(try db.log.appliedPosition(of: batch.source, relaying: true) == 0)
        try db.write { try $0.setAppliedLogPosition(9, of: "another") }
        #expect(try db.log.renewIdentity() != identity)
        try statements.expect(
          "Opening", "Reading", "Writing", "The change log",
          "Undo and transactions of other databases")
      }
    }
  }
}
