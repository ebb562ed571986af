import Apus
import Foundation
import Testing

@testable import PackageCatalogue

@Suite("Import of a package list")
struct ImporterTests {
  private let db: Database

  init() throws {
    db = try Database.temporary(models: [Section.self, Package.self, Dependency.self])
  }

  private func read(_ list: PackageList, batchSize: Int = 4_000) async throws -> ImportSummary {
    var importer = Importer(database: db, progress: ImportProgress(console: Console()))
    importer.batchSize = batchSize
    return try await importer.read(list)
  }

  private func read(_ text: String, batchSize: Int = 4_000) async throws -> ImportSummary {
    let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try Data(text.utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    return try await read(.file(file.path()), batchSize: batchSize)
  }

  private func stanza(_ name: String, version: String = "1", _ more: String = "") -> String {
    "Package: \(name)\nVersion: \(version)\nArchitecture: all\n\(more)\n\n"
  }

  @Test("packages, sections and dependencies are stored, and batches share their sections")
  func tables() async throws {
    let summary = try await read(
      stanza("a", "Section: editors\nDepends: b (>= 1) | c\nInstalled-Size: 7")
        + stanza("b", "Section: contrib/editors\nPriority: standard")
        + stanza("c", "Section: editors\nPriority: precious"), batchSize: 1)
    #expect(summary == ImportSummary(sections: 2, packages: 3, dependencies: 2))
    let query = Query { (package: Columns<Package>, section: Columns<Section>) in
      From(package)
      Join(section, on: package.$sectionID == section.$id)
      OrderBy(package.$name)
      Select(package.$name, package.$priority, package.$sizeInKiB, section.$area, section.$name)
    }
    #expect(
      try await db.table(query).rows == [
        ["a", "unknown", "7", "main", "editors"], ["b", "standard", nil, "contrib", "editors"],
        ["c", "unknown", nil, "main", "editors"],
      ])
    let asked = Dependency.order(by: \.$name).select(\.$name, \.$alternative, \.$constraint)
    #expect(try await db.table(asked).rows == [["b", "0", ">= 1"], ["c", "1", nil]])
  }

  @Test("a package listed twice is stored once, and another version is another package")
  func duplicates() async throws {
    let summary = try await read(
      stanza("a", "Depends: b") + stanza("a", "Depends: b") + stanza("a", version: "2"),
      batchSize: 2)
    #expect(summary == ImportSummary(sections: 1, packages: 2, dependencies: 1, duplicates: 1))
    #expect(summary.leftOut == "1 repeated")
  }

  @Test("sections with strange names are kept apart")
  func strangeSections() async throws {
    let sections = ["editors", "main/editors", "contrib/editors", "contrib//editors", "contrib/"]
    let summary = try await read(
      sections.enumerated().map { stanza("p\($0)", "Section: \($1)") }.joined())
    #expect(summary.sections == 5)
    #expect(
      try await db.table(Section.order(by: \.$id).select(\.$area, \.$name)).rows == [
        ["main", "editors"], ["main", "main/editors"], ["contrib", "editors"],
        ["contrib", "/editors"], ["contrib", ""],
      ])
  }

  @Test("malformed stanzas are counted and skipped")
  func malformed() async throws {
    let summary = try await read(
      stanza("a") + "Package: b\n\n" + "no field\n\n" + stanza("c", "Installed-Size: big")
        + stanza("d"))
    #expect(summary == ImportSummary(sections: 1, packages: 2, malformed: 3))
    #expect(summary.stanzas == 5)
    #expect(summary.description == "2 packages, 0 dependencies, 1 section")
    #expect(summary.leftOut == "3 malformed")
  }

  @Test("a second import replaces the first")
  func replaced() async throws {
    _ = try await read(stanza("a", "Depends: b"))
    _ = try await read(stanza("b"))
    #expect(try await db.fetch(Package.select(\.$name)) == ["b"])
    #expect(try await db.count(Dependency.all) == 0)
  }

  @Test("the built-in sample gives every query a row")
  func sample() async throws {
    let summary = try await read(.sample)
    #expect(summary.packages > 10)
    #expect(summary.malformed == 0)
    for query in ShownQuery.all(searching: "text") {
      #expect(!(try await query.table(db).rows.isEmpty), "\(query.title)")
    }
  }
}
