import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

@Suite("Advancing the id generator past stored ids when a database opens")
struct AdvancingIDsTests {
  struct Item: Model {
    @PrimaryKey var id = Unique64()
    @Column var text = ""
  }

  struct Reference: Model {
    struct ID: Hashable, Sendable {
      var item: Unique64
      var number: Int
    }
    @PrimaryKey var item: Unique64
    @PrimaryKey var number: Int
    var id: ID { ID(item: item, number: number) }
  }

  let file: Database
  let now = Date(timeIntervalSinceReferenceDate: 1_000_000)

  init() throws {
    file = try Specification.database()
  }

  /// A generator whose clock stands still: each opening is a restart at the same moment.
  func restart<Value>(_ body: () throws -> Value) rethrows -> Value {
    let now = now
    return try Unique64.withGenerator(Unique64.Generator(now: { now }), operation: body)
  }

  @Test("a restart after a burst of ids repeats no id")
  func restartAfterBurst() throws {
    var seen: Set<Unique64> = []
    for _ in 0..<3 {
      try restart {
        let db = try Specification.reopen(file, models: [Item.self])
        let items = try db.insert((0..<1_000).map { _ in Item() })
        for item in items { #expect(seen.insert(item.id).inserted) }
      }
    }
    #expect(seen.count == 3_000)
  }

  @Test("the ids in the first column of a composite key count, too")
  func composite() throws {
    let first = try restart {
      let db = try Specification.reopen(file, models: [Reference.self])
      return try db.insert(Reference(item: Unique64(), number: 1)).item
    }
    try restart {
      _ = try Specification.reopen(file, models: [Reference.self])
      #expect(Unique64() > first)
    }
  }

  @Test("a damaged id that is negative or far in the future is ignored")
  func damaged() throws {
    let id = try restart {
      let db = try Specification.reopen(file, models: [Item.self])
      return try db.insert(Item()).id
    }
    try file.execute(
      "INSERT INTO Item (id, text) VALUES (-5, ''), (\(Int64.max), ''), (\(Int64.max - 1), '')")
    try restart {
      _ = try Specification.reopen(file, models: [Item.self])
      let next = Unique64()
      #expect(next > id)
      #expect(abs(next.date.timeIntervalSince(now)) < 1)
    }
  }

  @Test("an empty table, or a missing table in a read-only file, does not move the generator")
  func nothing() throws {
    try restart {
      _ = try Specification.reopen(file, models: [Item.self])
      var configuration = Configuration()
      configuration.isReadOnly = true
      _ = try Specification.reopen(
        file, models: [Item.self, Reference.self], configuration: configuration)
      #expect(abs(Unique64().date.timeIntervalSince(now)) < 1)
    }
  }

  /// A plain struct, for a named table.
  struct Plain: Codable {
    var id: Unique64
    var text: String
  }

  /// A model whose key is not the id.
  struct Holder: Model {
    @PrimaryKey var id: Int
    @Column var reference: Unique64
  }

  enum Place: CaseIterable { case namedTable, unlistedModel, column, deletedRow, json }

  @Test(
    "an id in any place of the file does not come again, with a clock that was set back",
    arguments: Place.allCases)
  func anyPlace(_ place: Place) throws {
    let now = Date(timeIntervalSinceReferenceDate: 800_000_000)
    func restart<Value>(after step: Double, _ body: () throws -> Value) rethrows -> Value {
      try Unique64.withGenerator(
        Unique64.Generator(now: { now.addingTimeInterval(step) }), operation: body)
    }
    let id = try restart(after: 0) {
      let db = try Specification.reopen(file, models: [Item.self, Holder.self])
      let id = Unique64()
      switch place {
      case .namedTable: try db.write(Plain(id: id, text: "x"), to: "plain")
      case .unlistedModel, .deletedRow: try db.insert(Item(id: id))
      case .column: try db.insert(Holder(id: 1, reference: id))
      case .json:
        // Among other ids that are bound, one in a text counts, too.
        try db.insert(Item())
        try db.execute("UPDATE Item SET text = \("[\(id)]")")
      }
      if place == .deletedRow { try db.execute("DELETE FROM Item") }
      return id
    }
    try restart(after: -3_600) {
      _ = try Database(path: try #require(file.path))
      #expect(Unique64() > id)
    }
    try restart(after: -3_600) {
      _ = try Specification.reopen(file, models: [Holder.self])
      #expect(Unique64() > id)
    }
  }
}
