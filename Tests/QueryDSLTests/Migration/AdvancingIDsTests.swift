import Foundation
import QueryDSL
import SQLCore
import Testing

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
}
