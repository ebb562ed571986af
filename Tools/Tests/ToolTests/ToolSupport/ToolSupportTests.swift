import Foundation
import Testing

@Suite("A program with the commands of ApusToolSupport")
struct ToolSupportTests {
  let folder: TestFolder

  init() throws { folder = try TestFolder() }

  func tool(_ arguments: String...) async throws -> Command {
    try await Command.run(Command.product("SampleTool"), arguments)
  }

  @Test("plan says what migrate does, and check finds what the models cannot read")
  func commands() async throws {
    let file = folder.file("blog.sqlite").path
    #expect(try await tool("migrate", file).status == 1)
    #expect(try await tool("plan", file).status == 1)
    let migration = try await tool("migrate", file, "--create")
    #expect(
      migration.status == 0 && migration.output.contains("create the table"), "\(migration.errors)")
    let plan = try await tool("plan", file)
    #expect(plan.status == 0 && plan.output == "nothing to migrate\n")
    #expect(try await tool("check", file).output == "no fault was found\n")
    let url = URL(filePath: file)
    try await Command.sqlite(url, "ALTER TABLE Post DROP COLUMN title;")
    let added = try await tool("plan", file)
    #expect(added.status == 3 && added.output.contains("+ add the column title"), "\(added.output)")
    try await Command.sqlite(url, "INSERT INTO Post (id) VALUES (1);")
    let refused = try await tool("plan", file)
    #expect(refused.status == 1 && refused.output.contains("!"), "\(refused.output)")
    #expect(try await tool("migrate", file).status == 1)
    try await Command.sqlite(url, "DELETE FROM Post;")
    let copy = folder.file("copy.sqlite").path
    #expect(try await tool("migrate", file, "--copy", copy).status == 0)
    #expect(FileManager.default.fileExists(atPath: copy))
    try await Command.sqlite(url, "INSERT INTO Post VALUES (1, 99, 'x');")
    let fault = try await tool("check", file, "--csv")
    #expect(
      fault.status == 3 && fault.output.contains("foreign key,Post,1,refers to no row of Author"),
      "\(fault.output)\(fault.errors)"
    )
    try await Command.sqlite(url, "DELETE FROM Post; DROP TABLE Author;")
    let missing = try await tool("check", file, "--csv")
    #expect(missing.status == 3 && missing.output.contains("Author"), "\(missing.output)")
    let help = try await tool("--help")
    #expect(help.output.contains("USAGE: SampleTool") && help.output.contains("migrate"))
    #expect(try await tool("mgrate").status == 2)
  }

  @Test("check and migrate say how far they have come within a table")
  func progress() async throws {
    let file = folder.file("blog.sqlite").path
    #expect(try await tool("migrate", file, "--create").status == 0)
    try await Command.sqlite(
      URL(filePath: file),
      "INSERT INTO Author (id, name) SELECT value, 'Ada' FROM generate_series(1, 300000);")
    func shown(_ arguments: String...) async throws -> String {
      try await Command.apusOnTerminal(list: arguments, program: "SampleTool").output
    }
    let check = try await shown("check", file)
    #expect(check.contains(/checking Author\.name: \d+ %, [\d,]+ of 300,000 rows/), "\(check)")
    #expect(check.contains("no fault was found"))
    let plan = try await shown("plan", file, "--values")
    #expect(plan.contains(/checking Author\.name: \d+ %, [\d,]+ of 300,000 rows/), "\(plan)")
    // Another affinity, so that the table is copied.
    try await Command.sqlite(
      URL(filePath: file),
      """
      PRAGMA writable_schema = ON;
      UPDATE sqlite_schema SET sql = replace(sql, '"name" TEXT', '"name" BLOB') WHERE name = 'Author';
      """)
    let migration = try await shown("migrate", file)
    #expect(
      migration.contains(/migrating Author: \d+ %, [\d,]+ of 300,000 rows/), "\(migration)")
  }

  @Test("the documentation shows the program as it is compiled here")
  func documentation() throws {
    let root = URL(filePath: #filePath).appending(path: "../../../../..").standardizedFileURL
    let source = try String(
      contentsOf: root.appending(path: "Tools/Sources/SampleTool/SampleTool.swift"), encoding: .utf8
    )
    let document = try String(
      contentsOf: root.appending(path: "Documentation/Tool.md"), encoding: .utf8)
    let start = try #require(source.range(of: "@main"))
    #expect(document.contains(source[start.lowerBound...]))
  }
}
