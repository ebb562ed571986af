import Foundation
import Testing

/// They need `less` and `more`.
@Suite("The pager")
struct PagerTests {
  let folder: TestFolder

  init() throws { folder = try TestFolder() }

  func file() async throws -> String {
    let tables = (1...60).map { "CREATE TABLE t\($0) (a);" }.joined()
    return try await folder.database(
      """
      \(tables)
      INSERT INTO t1 SELECT value FROM generate_series(1, 60);
      """
    ).path
  }

  @Test("what does not fit the screen is shown by the program itself, which a key leaves")
  func pages() async throws {
    let file = try await file()
    let other = try await folder.database(named: "other.sqlite", "CREATE TABLE a (a);").path
    let arguments = [
      ["tables", file], [file], ["schema", file], ["show", file, "t1"], ["stats", file],
      ["query", file, "SELECT * FROM t1"], ["diff", file, other],
      ["explain", file, (1...40).map { _ in "SELECT a FROM t1" }.joined(separator: " UNION ALL ")],
    ]
    for pager in ["less", "more"] {
      for arguments in arguments {
        let run = try RunningCommand.onTerminal(
          arguments, environment: ["PAGER": pager, "LESS": "X", "MORE": ""])
        let end = pager == "less" ? "\u{1B}[K" : "--More--"
        try await run.wait(for: end)
        let first = run.output.count
        try run.type(" ")
        try await run.wait(until: { run.output.count > first + 40 }, "the second page")
        try run.type("q")
        // It ends well also if the user leaves it before the end. `diff` found something.
        let expected: Int32 = arguments[0] == "diff" ? 3 : 0
        #expect(try await run.status() == expected, "\(pager) \(arguments)")
        #expect(!run.output.contains("apus:"))
      }
    }
  }

  @Test("what fits the screen is not paged")
  func short() async throws {
    let file = try await file()
    let pager = ["PAGER": "sed 's/^/page: /'"]
    for (limit, isPaged) in [("17", false), ("18", true)] {
      let run = try RunningCommand.onTerminal(
        ["show", file, "t1", "--limit", limit], environment: pager)
      #expect(try await run.status() == 0)
      // A frame of four lines, a line of counts, and one that says that there are more.
      #expect(run.output.contains("page: ") == isPaged, "\(run.output)")
      #expect(run.output.contains("\(limit) rows, 1 column"))
    }
  }
}
