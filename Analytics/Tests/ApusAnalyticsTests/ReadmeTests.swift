import Apus
import ApusAnalytics
import Foundation
import Testing

@Suite struct ReadmeTests {
  private static let package = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  @Test("each block of Swift in the README stands in a file that is compiled")
  func blocks() throws {
    func text(_ path: String) throws -> String {
      try String(contentsOf: Self.package.appending(path: path), encoding: .utf8)
    }
    let compiled = try text("Tests/ApusAnalyticsTests/ReadmeLines.swift")
    let blocks = try text("README.md").components(separatedBy: "```swift\n").dropFirst()
      .map { $0.components(separatedBy: "```")[0] }
    #expect(blocks.count == 4)
    for block in blocks { #expect(compiled.contains(block), "not in a compiled file:\n\(block)") }
  }

  @Test("the lines of the README do what it says", .enabled(if: hasDuckDB))
  func lines() async throws {
    let test = try TestDatabase()
    defer { test.remove() }
    let db = try Database(path: test.file("orders.sqlite"), models: [Order.self])
    try await db.write {
      try $0.insert([Order(customer: "a", amount: 1.5), Order(customer: "a", amount: 2)])
    }
    let found = try totals(of: db)
    #expect(found.map(\.0) == ["a"])
    #expect(found.map(\.1) == [3.5])
    try await copyRecent(test.analytics, from: db, since: .distantFuture)
    #expect(try await test.analytics.database.count(Order.all) == 0)
    let following = Task { [analytics = test.analytics] in try await keepCurrent(analytics, db) }
    while try await test.analytics.database.count(Order.all) < 2 { await Task.yield() }
    following.cancel()
    try await following.value
    try export(test.analytics, to: test.file("orders.parquet"))
    #expect(FileManager.default.fileExists(atPath: test.file("orders.parquet")))
  }
}
