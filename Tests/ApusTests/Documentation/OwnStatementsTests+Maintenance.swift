import Apus
import Foundation
import TestRun
import Testing

extension OwnStatementsTests {
  @Test("backups into a file, also in place of one, and into another database")
  func backups() async {
    await #expect(processExitsWith: .success) {
      try OwnStatements.run { statements in
        let db = try statements.open(rows: 10)
        let copy = statements.path("copy.sqlite")
        try db.backup(to: copy)
        try statements.expect("Opening", "Backups", otherFiles: ["Opening", "Copies"])
        try db.backup(to: copy, overwriting: true)
        try statements.expect("Opening", "Backups", otherFiles: ["Opening", "Copies"])
        let other = try Database(path: statements.path("other.sqlite"))
        statements.forget()
        try db.backup(to: other)
        try statements.expect("Opening", "Backups", otherFiles: ["Writing"])
        #expect(try other.count(Author.all) == 10)
        statements.forget()
        let memory = try Database.inMemory()
        statements.forget()
        try db.backup(to: memory)
        try statements.expect("Opening", "Backups", memory: ["Writing"])
        try memory.backup(to: copy, overwriting: true)
        try statements.expect(otherFiles: ["Opening", "Copies"], memory: ["Reading", "Backups"])
      }
    }
  }

  @Test("VACUUM, in place and into a file")
  func vacuum() async {
    await #expect(processExitsWith: .success) {
      try OwnStatements.run { statements in
        let db = try statements.open(rows: 10)
        try db.vacuum()
        try statements.expect("Vacuuming")
        try db.vacuum(into: statements.path("copy.sqlite"))
        try statements.expect("Opening", "Vacuuming", otherFiles: ["Opening", "Copies"])
        let memory = try Database.inMemory()
        statements.forget()
        try memory.vacuum(into: statements.path("second.sqlite"))
        try statements.expect(otherFiles: ["Opening", "Copies"], memory: ["Vacuuming"])
      }
    }
  }

  @Test("a migration that keeps a copy of the file")
  func copyPath() async {
    await #expect(processExitsWith: .success) {
      try OwnStatements.run { statements in
        let db = try statements.open(rows: 1)
        let options = MigrationOptions(copyPath: statements.path("copy.sqlite"))
        try db.migrate([Tag.self], options)
        try statements.expect(
          "Opening", "Migrating", "Changing tables", "Vacuuming",
          otherFiles: ["Opening", "Copies"],
          memory: ["Opening", "Migrating", "Changing tables", "Migrating in memory"])
      }
    }
  }

  @Test("a checkpoint")
  func checkpoint() async {
    await #expect(processExitsWith: .success) {
      try OwnStatements.run { statements in
        let db = try statements.open(rows: 1)
        for mode in CheckpointMode.allCases { try db.checkpoint(mode) }
        try statements.expect("Checkpoints")
      }
    }
  }

  @Test("a log that reaches its bound")
  func logBound() async {
    await #expect(processExitsWith: .success) {
      try OwnStatements.run { statements in
        var configuration = Configuration()
        configuration.maximumWALBytes = 100_000
        let db = try statements.open(configuration: configuration)
        let insertion = "INSERT INTO Author (name) VALUES (hex(zeroblob(100000)))"
        for _ in 0..<3 { try db.execute(SQL(unsafe: insertion)) }
        try statements.expect("Writing", "Checkpoints", asked: [insertion])
      }
    }
  }

  @Test("streams: typed, raw, ended early, and the chunks of a BLOB")
  func streams() async {
    await #expect(processExitsWith: .success) {
      try await OwnStatements.runAsync { statements in
        let db = try statements.open(rows: 3_000)
        var count = 0
        for try await _ in db.stream(Author.all) { count += 1 }
        #expect(count == 3_000)
        try statements.expect(
          "Opening", "Streams", asked: [#"SELECT "id", "name" FROM "Author""#])
        for try await _ in db.stream("SELECT id FROM Author") { count += 1 }
        #expect(count == 6_000)
        for try await (id, _) in db.stream((Int, String).self, "SELECT id, name FROM Author") {
          if id > 5 { break }
        }
        try statements.expect(
          "Opening", "Streams", asked: ["SELECT id FROM Author", "SELECT id, name FROM Author"])
        for try await chunk in db.blobChunks(table: "Author", column: "name", rowID: 1) {
          #expect(chunk.count == 6)
        }
        try statements.expect("Opening", "Streams")
      }
    }
  }

  @Test("snapshots")
  func snapshots() async {
    await #expect(processExitsWith: .success) {
      try OwnStatements.run { statements in
        let db = try statements.open(rows: 2)
        let snapshot = try db.makeSnapshot()
        try statements.expect("Opening", "Snapshots")
        #expect(try snapshot.count(Author.all) == 2)
        #expect(try snapshot.read { try $0.count(Author.all) } == 2)
        try statements.expect("Snapshots", asked: [#"SELECT count(*) FROM "Author""#])
        try snapshot.renew()
        try snapshot.close()
        try statements.expect("Snapshots", "Closing")
      }
    }
  }

  @Test("advice of an index, with the statistics of ANALYZE")
  func advice() async {
    await #expect(processExitsWith: .success) {
      try OwnStatements.run { statements in
        let db = try statements.open(rows: 200)
        try db.execute(
          """
          ANALYZE;
          CREATE VIEW titles AS SELECT title FROM Post;
          CREATE INDEX byName ON Author (name);
          CREATE UNIQUE INDEX byKey ON Author (id, name);
          CREATE TRIGGER none AFTER DELETE ON Author BEGIN SELECT 1; END
          """)
        try db.close()
        statements.forget()
        var configuration = Configuration()
        configuration.maximumScannedRows = 100
        configuration.onTableScan = { scan in #expect(scan.indexes.count == 1) }
        let scanning = try Database(path: statements.path, configuration: configuration)
        #expect(try scanning.fetch(Post.where { $0.$title == "none" }).isEmpty)
        try statements.expect(
          "Opening", "Index advice",
          asked: [#"SELECT "id", "authorID", "title" FROM "Post" WHERE "title" = ?"#],
          memory: ["Opening", "Index advice in memory"])
      }
    }
  }

  @Test("attached files, recorded changes and tokenizers", .needs(.sessions))
  func extensions() async {
    await #expect(processExitsWith: .success) {
      try OwnStatements.run { statements in
        let db = try statements.open(rows: 2)
        try Database(path: statements.path("other.sqlite"), models: [Author.self]).close()
        statements.forget()
        let other = statements.path("other.sqlite")
        try db.writeWithoutTransaction { connection in
          try connection.attach(path: other, as: "other")
          try connection.detach("other")
        }
        try statements.expect("Attaching")
        try db.execute("DELETE FROM Post")
        statements.forget()
        let changes = [
          "UPDATE Author SET name = 'Jane' WHERE id = 1", "DELETE FROM Author WHERE id = 2",
          "INSERT INTO Author VALUES (3, 'Jim')",
        ]
        let changeset = try db.write { connection in
          let session = try connection.session()
          for sql in changes { try connection.execute(SQL(unsafe: sql)) }
          return try session.changeset()
        }
        try statements.expect(
          "Writing", "Recorded changes", asked: changes)
        try db.write { try $0.apply(changeset.inverted()) }
        try statements.expect("Writing", "Recorded changes")
        final class Whole: FTS5Tokenizer {
          func tokenize(
            _ text: Span<UInt8>, for purpose: FTS5Purpose, into tokens: borrowing FTS5Tokens
          ) throws {
            try tokens.append("word", at: 0..<text.count)
          }
        }
        try db.tokenizer("whole") { _ in Whole() }
        try db.execute("CREATE VIRTUAL TABLE search USING fts5(text, tokenize = whole)")
        try statements.expect(
          "Writing", "Tokenizers",
          asked: ["CREATE VIRTUAL TABLE search USING fts5(text, tokenize = whole)"])
      }
    }
  }
}
