import Foundation
import Testing

@Suite("The command that looks for damage")
struct CheckTests {
  let folder: TestFolder

  init() throws { folder = try TestFolder() }

  @Test("a file without a fault ends with 0")
  func fine() async throws {
    let file = try await folder.database(
      """
      CREATE TABLE Post (id INTEGER PRIMARY KEY, title TEXT);
      CREATE VIRTUAL TABLE search USING fts5 (title, content = 'Post', content_rowid = 'id');
      INSERT INTO Post VALUES (1, 'one');
      INSERT INTO search (rowid, title) VALUES (1, 'one');
      """)
    let run = try await Command.apus("check", file.path)
    #expect(run.status == 0)
    #expect(run.output == "no fault was found\n")
    #expect(try await Command.apus("check", file.path, "--json").output == "[]\n")
  }

  @Test("a row that refers to nothing is a fault")
  func references() async throws {
    let file = try await folder.database(
      """
      CREATE TABLE A (id INTEGER PRIMARY KEY);
      CREATE TABLE B (a INTEGER REFERENCES A (id));
      CREATE TABLE C (a INTEGER REFERENCES missing (id));
      CREATE TABLE D (a INTEGER REFERENCES B (a));
      INSERT INTO B VALUES (1), (NULL);
      INSERT INTO C VALUES (1);
      """)
    let run = try await Command.apus("check", file.path, "--csv")
    #expect(run.status == 3)
    #expect(
      run.output.replacing("\r\n", with: "\n") == #"""
        kind,table,row,fault
        foreign key,B,1,refers to no row of A
        foreign key,C,1,refers to no row of missing
        foreign key,D,,"foreign key mismatch - ""D"" referencing ""B"""

        """#)
  }

  @Test(
    "a full-text index that does not agree with its text is a fault, and the file stays as it is")
  func search() async throws {
    let file = try await folder.database(
      """
      CREATE TABLE Post (id INTEGER PRIMARY KEY, title TEXT);
      CREATE VIRTUAL TABLE search USING fts5 (title, content = 'Post', content_rowid = 'id');
      INSERT INTO Post VALUES (1, 'one');
      """)
    let before = try Data(contentsOf: file)
    let run = try await Command.apus("check", file.path, "--csv")
    #expect(run.status == 3)
    #expect(run.output.contains("full-text index,search,"))
    #expect(try Data(contentsOf: file) == before)
  }

  @Test("the indexes of FTS3, FTS4 and FTS5 are checked, and tables that only read them are not")
  func modules() async throws {
    let file = try await folder.database(
      """
      CREATE VIRTUAL TABLE three USING fts3 (a);
      CREATE VIRTUAL TABLE "four using fts5" USING /* fts5 */ "FTS4" (a);
      CREATE VIRTUAL TABLE five USING fts5 (a);
      CREATE VIRTUAL TABLE bare USING fts5 (a, content='');
      CREATE VIRTUAL TABLE terms USING fts4aux ("four using fts5");
      CREATE VIRTUAL TABLE words USING fts5vocab (five, row);
      INSERT INTO three VALUES ('one');
      INSERT INTO "four using fts5" VALUES ('one');
      INSERT INTO five VALUES ('one');
      INSERT INTO bare (rowid, a) VALUES (1, 'one');
      """)
    let sound = try await Command.apus("check", file.path)
    #expect(sound.status == 0 && sound.output == "no fault was found\n", "\(sound.output)")
    try await Command.sqlite(
      file, ".dbconfig defensive off\nUPDATE three_content SET c0a = 'two' WHERE docid = 1;")
    let damaged = try await Command.apus("check", file.path, "--csv")
    #expect(damaged.status == 3 && damaged.output.contains("three"), "\(damaged.output)")
  }

  @Test("an FTS4 index whose text is not stored is left out, because SQLite cannot check it")
  func contentless() async throws {
    let file = try await folder.database(
      """
      CREATE VIRTUAL TABLE search USING fts4 (a, content='');
      INSERT INTO search (docid, a) VALUES (1, 'one');
      """)
    // From 3.44 on, PRAGMA integrity_check may say by itself that it cannot check the index.
    let run = try await Command.apus("check", file.path, "--csv")
    #expect(!run.output.contains("full-text index"), "\(run.output)")
  }

  @Test("damaged pages are a fault or an error, and never a crash")
  func damage() async throws {
    let file = folder.file("damaged.sqlite")
    try await Command.sqlite(
      file,
      """
      CREATE TABLE Post (id INTEGER PRIMARY KEY, title TEXT);
      CREATE INDEX byTitle ON Post (title);
      INSERT INTO Post SELECT value, 'title ' || value FROM generate_series(1, 2000);
      """)
    let intact = try Data(contentsOf: file)
    for start in stride(from: 4096, to: intact.count, by: 12_288) {
      var bytes = intact
      for index in start..<start + 200 { bytes[index] = UInt8(truncatingIfNeeded: index &* 31) }
      try bytes.write(to: file)
      let run = try await Command.apus("check", file.path)
      #expect(run.status == 3 || run.status == 1, "\(start): \(run.output)")
      for command in ["tables", "stats", "schema", "generate"] {
        #expect([0, 1].contains(try await Command.apus(command, file.path).status))
      }
    }
  }
}
