import Apus
import ApusHistory
import Foundation
import Testing

@Suite("The change log on the command line")
struct LogTests {
  struct Note: Model {
    @PrimaryKey var id: Int?
    @Column var text: String
    static var schema: Schema<Note> { Logged() }
  }

  let folder: TestFolder

  init() throws { folder = try TestFolder() }

  @Test("it shows each transaction with its label, author and rows")
  func entries() async throws {
    let file = folder.file("log.sqlite").path
    let database = try Database(path: file, models: [Note.self])
    try await database.write(label: "first") { tx in
      try tx.setLogAuthor("ada")
      try tx.execute("INSERT INTO Note VALUES (1, 'a'), (2, 'b')")
    }
    try await database.execute("UPDATE Note SET text = 'c' WHERE id = 2")
    try await database.execute("DELETE FROM Note WHERE id = 1")
    try await database.execute("SELECT 1")
    let run = try await Command.apus("log", file)
    #expect(run.status == 0)
    let lines = run.output.split(separator: "\n")
    #expect(
      lines.filter { !$0.contains("T") } == [
        "Note", "+ 1  id: 1, text: 'a'", "+ 2  id: 2, text: 'b'",
        "Note", "~ 2  text: 'b' → 'c'", "Note", "- 1  id: 1, text: 'a'",
      ])
    // On a terminal, a line is as wide as that.
    let narrow = try await Command.apusOnTerminal("log", file, columns: 20)
    #expect(narrow.output.contains("+ 1  id: 1, text: '…"), "\(narrow.output)")
    #expect(lines.contains { $0.hasSuffix("label first  author ada") }, "\(run.output)")
    let json = try await Command.apus("log", file, "--json", "--limit", "1")
    let entries = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [[String: Any]]
    let last = try #require(entries?.first)
    #expect((last["changes"] as? [[String: Any]])?.first?["change"] as? String == "delete")
    let sequence = try #require(last["sequence"] as? Int)
    let after = try await Command.apus("log", file, "--after", "\(sequence - 1)", "--csv")
    #expect(after.output.contains(",delete,Note,1,text,a,\r\n"))
    #expect(
      try await Command.apus("log", file, "--after", "\(sequence)", "--json").output == "[]\n")
  }

  @Test("a text that is not UTF-8 is shown by its bytes, and hides no other entry")
  func brokenText() async throws {
    let file = folder.file("log.sqlite").path
    let database = try Database(path: file, models: [Note.self])
    try await database.execute("INSERT INTO Note VALUES (1, CAST(x'FF41' AS TEXT))")
    try await database.execute("UPDATE Note SET text = 'c'")
    let run = try await Command.apus("log", file)
    #expect(
      run.output.split(separator: "\n").filter { $0.hasPrefix("+") || $0.hasPrefix("~") } == [
        "+ 1  id: 1, text: CAST(x'FF41' AS TEXT)", "~ 1  text: CAST(x'FF41' AS TEXT) → 'c'",
      ])
    try await database.execute("UPDATE Note SET text = 'CAST(x''FF41'' AS TEXT)'")
    let json = try await Command.apus("log", file, "--json")
    #expect(json.output.contains(#""old": {"text": {"bytes": "/0E="}}, "new": {"text": "c"}"#))
    let csv = try await Command.apus("log", file, "--csv")
    #expect(csv.output.contains(",update,Note,1,text,CAST(x'FF41' AS TEXT),c\r\n"))
    // A text that looks alike.
    #expect(csv.output.contains(#",update,Note,1,text,c,"CAST(x'FF41' AS TEXT)""# + "\r\n"))
  }

  @Test("a file without a log says so")
  func none() async throws {
    let file = try await folder.database("CREATE TABLE t (a);")
    let run = try await Command.apus("log", file.path)
    #expect(
      run.status == 1 && run.errors.hasPrefix("apus: \(file.path) has no change log;"),
      "\(run.errors)")
  }

  @Test("a number that the log does not have is an error with the last one")
  func position() async throws {
    let file = folder.file("log.sqlite").path
    let database = try Database(path: file, models: [Note.self])
    try await database.execute("INSERT INTO Note VALUES (1, 'a')")
    let run = try await Command.apus("log", file, "--after", "ff:99")
    #expect(run.status == 1 && run.errors.contains("has no transaction"), "\(run.errors)")
    #expect(!run.errors.contains("`"))
  }
}
