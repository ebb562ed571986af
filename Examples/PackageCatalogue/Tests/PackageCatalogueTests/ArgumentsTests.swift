import Testing

@testable import PackageCatalogue

@Suite("The arguments of the demo")
struct ArgumentsTests {
  @Test("without arguments, the demo reads this machine's packages into a temporary folder")
  func none() throws {
    let arguments = try Arguments([])
    #expect(arguments.list == .ofThisMachine)
    #expect(arguments.databasePath == nil)
    #expect(!arguments.wantsHelp)
  }

  @Test("a list and options are taken in any order")
  func all() throws {
    let arguments = try Arguments(["--search", "x", "list", "--database", "a.sqlite"])
    #expect(arguments.list == .file("list"))
    #expect(arguments.search == "x")
    #expect(arguments.databasePath == "a.sqlite")
    #expect(try Arguments(["-"]).list == .standardInput)
    #expect(try Arguments(["--help"]).wantsHelp)
  }

  @Test(
    "arguments that make no sense are refused",
    arguments: [["--database"], ["--search", ""], ["--nonsense"], ["a", "b"]])
  func refused(words: [String]) {
    #expect(throws: UsageError.self) { try Arguments(words) }
  }
}
