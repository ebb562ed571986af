import ApusHistory
import ChangeObservation
import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import TestRun
import Testing

/// An insertion that finds its row leaves no time in the log.
@Suite("Rows that two databases insert")
struct SameRowTests {
  private struct Setting: Model, Equatable {
    @PrimaryKey var name: String
    @Column var value: Int
    static var schema: Schema<Setting> { Logged() }
    var id: String { name }
  }

  private func database() throws -> Database { try .temporary(models: [Setting.self]) }

  private func send(from source: Database, to target: Database) throws {
    let position = try target.log.appliedPosition(of: source.log.identity)
    try target.log.apply(source.log.batch(after: position), resolving: .newer)
  }

  private func pause() {
    let first = ContinuousClock.now
    while ContinuousClock.now - first < .milliseconds(3) {}
  }

  @Test("three databases that exchange all transactions end equal")
  func seeds() throws {
    let (a, b, c) = (try database(), try database(), try database())
    try b.insert(Setting(name: "size", value: 1))
    try send(from: b, to: c)
    pause()
    try c.execute("UPDATE Setting SET value = 9")
    pause()
    // A device that is set up later has the same default.
    try a.insert(Setting(name: "size", value: 1))
    try send(from: a, to: b)
    try send(from: c, to: b)
    try send(from: b, to: a)
    try send(from: c, to: a)
    try send(from: a, to: c)
    try send(from: b, to: c)
    let values = try [a, b, c].map { try $0.fetch(Int.self, "SELECT value FROM Setting") }
    #expect(values == [[1], [1], [1]])
  }
}
