import Foundation
import Testing

@Suite("The differences of two files")
struct DiffTests {
  let folder: TestFolder

  init() throws { folder = try TestFolder() }

  @Test("rows are compared by key, and the schema by its definitions")
  func differences() async throws {
    let old = try await folder.database(
      named: "old.sqlite",
      """
      CREATE TABLE Post (id INTEGER PRIMARY KEY, title TEXT, views INTEGER);
      CREATE TABLE Gone (a);
      CREATE INDEX byTitle ON Post (title);
      INSERT INTO Post VALUES (1, 'one', 0), (2, 'two', 0), (3, 'three', 0);
      INSERT INTO Gone VALUES (1);
      """)
    let new = try await folder.database(
      named: "new.sqlite",
      """
      CREATE TABLE Post (id INTEGER PRIMARY KEY, title TEXT, views INTEGER);
      CREATE INDEX byTitle ON Post (title DESC);
      CREATE VIEW Titles AS SELECT title FROM Post;
      INSERT INTO Post VALUES (1, 'one', 5), (3, 'three', 0), (4, NULL, 1);
      """)
    let run = try await Command.apus("diff", old.path, new.path)
    #expect(run.status == 3)
    #expect(
      run.output == """
        schema
        ~ index byTitle
            - CREATE INDEX byTitle ON Post (title)
            + CREATE INDEX byTitle ON Post (title DESC)
        + view Titles
        - table Gone
        Post
        ~ 1  views: 0 → 5
        - 2  id: 2, title: 'two', views: 0
        + 4  id: 4, title: NULL, views: 1
        Gone
        - a: 1

        """)
    let csv = try await Command.apus("diff", old.path, new.path, "--tables", "post", "--csv")
    #expect(csv.output.contains("update,Post,1,views,0,5\r\ndelete,Post,2,id,2,\r\n"))
    let schema = try await Command.apus("diff", old.path, new.path, "--schema-only", "--json")
    #expect(schema.output.contains(#"{"change": "delete", "type": "table", "name": "Gone""#))
    #expect(!schema.output.contains("update,Post"))
    let same = try await Command.apus("diff", old.path, old.path)
    #expect(same.status == 0 && same.output == "no difference was found\n")
    #expect(try await Command.apus("diff", old.path, old.path, "--json").output == "[]\n")
    let wrong = try await Command.apus("diff", old.path, new.path, "--tables", "Psot")
    #expect(wrong.status == 1 && wrong.errors.contains("there is no table or view Psot"))
  }

  @Test("tables with different columns are compared by those that both have")
  func columns() async throws {
    let old = try await folder.database(
      named: "old.sqlite",
      "CREATE TABLE t (id INTEGER PRIMARY KEY, a, b); INSERT INTO t VALUES (1, 2, 3), (2, 2, 3);")
    let new = try await folder.database(
      named: "new.sqlite",
      "CREATE TABLE T (ID INTEGER PRIMARY KEY, B, c); INSERT INTO t VALUES (1, 3, 9), (2, 4, 9);")
    let run = try await Command.apus("diff", old.path, new.path, "--csv")
    #expect(run.output.contains("update,T,2,B,3,4\r\n") && !run.output.contains("update,T,1"))
  }

  @Test("UTF-16 is compared with UTF-8")
  func encodings() async throws {
    let rows =
      "CREATE TABLE t (k TEXT PRIMARY KEY); INSERT INTO t VALUES ('é'), ('z'), ('日本'), ('\u{FF5E}'), ('😀')"
    let old = folder.file("old.sqlite")
    try await Command.sqlite(old, "PRAGMA encoding = 'UTF-16le'; \(rows);")
    let new = try await folder.database(named: "new.sqlite", "\(rows), ('a');")
    for (first, second, change) in [(old, new, "insert"), (new, old, "delete")] {
      let run = try await Command.apus("diff", first.path, second.path, "--csv")
      let fields = change == "insert" ? "a,k,,a" : "a,k,a,"
      #expect(
        run.output.split(separator: "\r\n").filter { $0.contains(",t,") } == [
          "\(change),t,\(fields)"
        ])
    }
  }

  @Test("the differences lead from one file to the other, whatever their rows")
  func random() async throws {
    var script = RandomScript(seed: TestSeed.draw())
    for number in 0..<TestSize.count(small: 6, full: 20, long: 200) {
      let old = try await folder.database(named: "\(number)a.sqlite", RandomScript.schema)
      try await Command.sqlite(old, (0..<10).map { _ in script.transaction() }.joined())
      let new = folder.file("\(number)b.sqlite")
      try await Command.sqlite(old, "VACUUM INTO '\(new.path)';")
      try await Command.sqlite(new, (0..<8).map { _ in script.transaction() }.joined())
      var rows = try await ReplayedRows(of: old, tables: RandomScript.tables)
      let run = try await Command.apus("diff", old.path, new.path, "--json")
      let differences = try JSONSerialization.jsonObject(with: Data(run.output.utf8))
      for difference in differences as? [[String: Any]] ?? [] { try rows.apply(difference) }
      let expected = try await ReplayedRows(of: new, tables: RandomScript.tables)
      #expect(rows == expected, "\(run.output)")
      #expect(run.status == (run.output == "[]\n" ? 0 : 3))
    }
  }
}
