import QueryDSL
import SQLCore
import TestRun
import Testing

import MigrationSamples
import SchemaMigration

@Suite("Migration: an older and a newer program over one file, each a process", .blocking)
struct ProgramProcessTests {
  private let shared: SharedFile
  private let uniqueIndex = "Post_unique_url"

  init() throws {
    shared = try SharedFile()
  }

  /// Runs a version to its end; returns how many statements its migration ran.
  @discardableResult
  private func run(_ version: String, _ options: String...) throws -> Int {
    try MigrationChild(shared.path, arguments: [version] + options).runToEnd()
  }

  /// Runs a version to its end; returns the error that it ends with.
  private func failure(_ version: String, _ options: String...) throws -> String? {
    try MigrationChild(shared.path, arguments: [version] + options).failure()
  }

  private var postCount: DatabaseValue? {
    get throws { try shared.value("SELECT count(*) FROM Post") }
  }

  /// Expects the schema of the second version, whole, as only that version makes it.
  private func expectSecond(in shared: SharedFile, _ label: String) throws {
    #expect(try shared.has(uniqueIndex), "\(label)")
    let columns = try shared.file.rows("SELECT name, \"notnull\" FROM pragma_table_info('Post')")
    #expect(
      columns.map(\.values) == [["id", 0], ["url", 1], ["views", 0], ["rating", 0]], "\(label)")
    let plan = try shared.file.migrationPlan(for: [ProgramVersion.Second.Post.self])
    #expect(plan.steps.isEmpty, "\(label): \(plan)")
  }

  @Test("the older program opens and undoes nothing; the newer one has an empty plan afterwards")
  func kept() throws {
    try run("first")
    #expect(try run("second") > 0)
    try expectSecond(in: shared, "migrated")
    let before = try shared.schema
    for round in 1...3 {
      #expect(try run("first") == 0, "round \(round)")
      #expect(try shared.schema == before, "round \(round)")
      // No statement runs: the plan of the newer program is empty.
      #expect(try run("second") == 0, "round \(round)")
      #expect(try shared.schema == before, "round \(round)")
    }
    // Each of the eight wrote a row.
    #expect(try postCount == 8)
    try expectSecond(in: shared, "at the end")
  }

  @Test("the older program is refused with the reason, as `newerSchema: .refused` says")
  func refused() throws {
    try run("first", "refused")
    try run("second", "refused")
    let before = try shared.schema
    for _ in 1...2 {
      let error = try #require(try failure("first", "refused"))
      #expect(error.contains("a newer program changed it on 2"))
      #expect(error.contains("this program would"))
      #expect(error.contains("but `newerSchema` is `.refused`"))
      #expect(error.contains("Update the program, or give it a higher schema version"))
      #expect(try shared.schema == before)
      // A refusal is the older program's own: the newer one still opens.
      #expect(try run("second", "refused") == 0)
    }
    #expect(try shared.schema == before)
    // Nor does it bind the next one.
    #expect(try run("first") == 0)
    #expect(try shared.schema == before)
    #expect(try postCount == 5)
  }

  @Test("an older program that cannot work with a widened type is refused, also with `.kept`")
  func widened() throws {
    try run("first")
    try run("second")
    #expect(try run("third") > 0)
    let before = try shared.schema
    for version in ["first", "second"] {
      let error = try #require(try failure(version))
      #expect(error.contains("a newer program changed it on 2"), "\(version)")
      #expect(
        error.contains("cannot work with it as it is: views is TEXT in the file and INTEGER in"),
        "\(version)")
      #expect(try shared.schema == before, "\(version)")
    }
    #expect(try run("third") == 0)
    #expect(try shared.schema == before)
    #expect(
      try shared.file.rows("SELECT views FROM Post ORDER BY id").map(\.values)
        == [["1"], ["2"], ["many"], ["many"]])
  }

  @Test(
    "both open at once, again and again: the newer schema survives",
    arguments: [
      Race(), Race(refuses: true),
      // A new file: only a number says which of the two that create it is the newer one.
      Race(isNumbered: true), Race(refuses: true, isNumbered: true),
    ])
  func simultaneous(_ race: Race) throws {
    for round in 1...TestSize.count(small: 2, full: 10, long: 100) {
      let shared = try SharedFile()
      if !race.isNumbered { try MigrationChild(shared.path, arguments: ["first"]).runToEnd() }
      let versions = ["first", "second", "first", "second"]
      let children = try versions.map { version in
        try MigrationChild(shared.path, arguments: race.arguments(of: version))
      }
      // Each waits until all have started, so that they open the file at the same time.
      for child in children { #expect(child.line() == "ready") }
      for child in children { child.proceed() }
      var writes = race.isNumbered ? 0 : 1
      for (version, child) in zip(versions, children) {
        let error = try child.failure()
        if race.refuses, version == "first", let error {
          #expect(error.contains("but `newerSchema` is `.refused`"), "\(race), round \(round)")
        } else {
          #expect(error == nil, "\(race), round \(round): \(version)")
          writes += Race.openings
        }
      }
      try expectSecond(in: shared, "\(race), round \(round)")
      let row = try #require(try shared.file.row("SELECT count(*) FROM Post"))
      let count = try row.get(Int.self, at: 0)
      // A program that is refused may have written before the newer one migrated.
      #expect(race.refuses ? count >= writes : count == writes, "\(race), round \(round)")
    }
  }

  struct Race: CustomStringConvertible {
    var refuses = false
    var isNumbered = false

    static let openings = 3

    func arguments(of version: String) -> [String] {
      [version, "gathers", "times=\(Self.openings)"] + (refuses ? ["refused"] : [])
        + (isNumbered ? ["number=\(version == "first" ? 1 : 2)"] : [])
    }

    var description: String {
      (refuses ? "refused" : "kept") + (isNumbered ? ", a new file with numbers" : "")
    }
  }
}
