import Foundation
import QueryDSL
import SchemaMigration
import TestRun
import Testing

@testable import SQLCore

/// Each cached row is compared with one that is read at the same time.
@Suite("The cache beside plain reads, under random writes")
struct CacheModelTests {
  private static let titles = [
    "a", "b", "c", "d", "e", "é", "e\u{301}", "", "aa", "az", "A", "nothing",
  ]

  @Test("after any write by any connection, the cache returns what a read returns")
  func randomWrites() throws {
    let units = TestSize.count(small: 300, full: 1_000, long: 60_000)
    let seed = TestSeed.draw()
    let file = try TemporaryPath()
    var configuration = Configuration.relaxed
    configuration.maximumWALBytes = 400_000
    let db = try Database(path: file.path, configuration: configuration)
    try db.execute(RandomWrites.schema)
    let stranger = try Connection(path: file.path)
    var writes = RandomWrites(seed: seed)
    for unit in 0..<units {
      let place = writes.number(1...100)
      switch place {
      case 1...10: try writes.unit(on: stranger)
      case 11...20: typed(&writes, db)
      case 21...23: try recorded(&writes, db)
      case 24: try db.vacuum()
      case 25...26: _ = try db.checkpoint(writes.pick([.passive, .truncate, .restart]))
      case 27: try writeInPlace(&writes, db)
      case 28:
        // Of two commits in a row, no read sees the first.
        try writes.unit(on: stranger)
        try db.writeWithoutTransaction { try writes.unit(on: $0) }
      // Many of the random statements delete rows.
      case 29...45: try fill(db)
      default: try db.writeWithoutTransaction { try writes.unit(on: $0) }
      }
      let context: Comment = "seed \(seed), unit \(unit), \(place), \(writes.tried)"
      // Some entries stay for several commits.
      for _ in 0..<writes.number(0...2) {
        try compare(Item.self, (1...12).map { $0 }, db, context)
        try compare(Word.self, Self.titles, db, context)
        try compare(Loose.self, Self.titles, db, context)
        let links = (1...12).flatMap { item in
          Self.titles.prefix(7).map { Link.ID(item: item, name: $0) }
        }
        try compare(Link.self, links, db, context)
        try compareResults(db, context)
      }
    }
    for statistics in [
      try db.cacheStatistics(of: Item.self), try db.cacheStatistics(of: Link.self),
      try db.cacheStatistics(of: Word.self), try db.cacheStatistics(of: Loose.self),
    ] {
      #expect(statistics.hits > units / 10)
      #expect(statistics.invalidations > units / 50)
    }
    #expect(try db.cacheStatistics(of: Item.self).evictions > 0)
    for statistics in [
      try db.resultCacheStatistics(of: Item.self), try db.resultCacheStatistics(of: Link.self),
      try db.resultCacheStatistics(of: Word.self),
    ] {
      #expect(statistics.hits > units / 10)
      #expect(statistics.invalidations > units / 50)
    }
    #expect(try db.resultCacheStatistics(of: Word.self).evictions > 0)
  }

  /// Compares results of queries over one table, joins, groups, and tables inside conditions.
  private func compareResults(_ db: Database, _ context: Comment) throws {
    for stars in 0...4 {
      try compare(
        Item.where { $0.$stars >= stars }.order(by: \.$id).limit(9 - stars), db, context)
    }
    for item in 1...12 {
      try compare(Link.where { $0.$item == item }.order(by: \.$name), db, context)
    }
    try compare(Word.where { $0.$count > 0 }.order(by: \.$name), db, context)
    try compare(Word.where { $0.$name.isIn(Self.titles) }.order(by: \.$name), db, context)
    for title in Self.titles { try compare(Word.where { $0.$name == title }, db, context) }
    let totals = Query { (item: Columns<Item>, link: Columns<Link>) in
      From(item)
      Join(link, on: link.$item == item.$id)
      GroupBy(item.$id)
      OrderBy(item.$id)
      Select(item.$title, link.$weight.sum())
    }
    let expected = try db.read { try $0.fetch(totals) }
    try #require(try db.fetch(totals).elementsEqual(expected, by: ==), context)
    let known = Item.where { item in
      item.$title.isIn(Loose.where { $0.$item != nil }.select(\.$name))
    }
    try compare(known.order(by: \.$id), db, context)
  }

  private func compare<Q: Fetchable>(
    _ query: Q, _ db: Database, _ context: Comment
  ) throws where Q.Row: Equatable {
    let (rows, first, count, exists) = try db.read { reader in
      (
        try reader.fetch(query), try reader.first(query), try reader.count(query),
        try reader.exists(query)
      )
    }
    try #require(try db.fetch(query) == rows, context)
    try #require(try db.first(query) == first, context)
    try #require(try db.count(query) == count, context)
    try #require(try db.exists(query) == exists, context)
  }

  private func compare<M: Model & Equatable>(
    _ model: M.Type, _ ids: [M.ID], _ db: Database, _ context: Comment
  ) throws {
    let read = try db.read { reader in try ids.map { try reader.find(M.self, $0) } }
    for (id, expected) in zip(ids, read) {
      let cached = try db.find(M.self, id)
      try #require(cached == expected, context)
    }
  }

  /// Inserts rows into all tables, beside those that are there.
  private func fill(_ db: Database) throws {
    try db.write { tx in
      for (index, title) in Self.titles.enumerated() {
        let id = index + 1
        try tx.execute("INSERT OR IGNORE INTO Item (id, title, stars) VALUES (\(id), \(title), 0)")
        try tx.execute("INSERT OR IGNORE INTO Word VALUES (\(title), 0)")
        try tx.execute("INSERT OR IGNORE INTO Loose VALUES (\(title), NULL)")
        try tx.execute(
          "INSERT OR IGNORE INTO Link (item, name, weight) SELECT id, \(title), 1 FROM Item")
      }
    }
  }

  /// Writes by methods of models, which may fail.
  private func typed(_ writes: inout RandomWrites, _ db: Database) {
    let id = writes.number(1...12)
    let title = writes.pick(Self.titles)
    switch writes.number(1...6) {
    case 1: _ = try? db.insert(Item(id: id, title: title, stars: 1))
    case 2:
      try? db.write { tx in
        guard var item = try tx.find(Item.self, id) else { return }
        item.stars = (item.stars + 1) % 5
        try tx.update(item)
      }
    case 3: _ = try? db.run(Item.delete().where { $0.$id == id })
    case 4:
      _ = try? db.execute(
        "INSERT INTO Word VALUES (\(title), 1) ON CONFLICT DO UPDATE SET count = count + 1")
    case 5:
      try? db.write { tx in
        try tx.run(Item.update { $0.$stars = 4 })
        try? tx.savepoint { inner in
          try inner.run(Word.update { $0.$count = 0 })
          throw CancellationError()
        }
      }
    default:
      try? db.write { tx in
        try tx.run(Loose.delete())
        try tx.requestRollback()
      }
    }
  }

  /// Writes while a session has the slot of the hook.
  private func recorded(_ writes: inout RandomWrites, _ db: Database) throws {
    try db.writeWithoutTransaction { connection in
      guard SQLiteLibrary.Feature.sessions.isAvailable else {
        return try writes.unit(on: connection)
      }
      let session = try connection.session()
      try writes.unit(on: connection)
      if writes.chance(50) {
        try session.end()
        try writes.unit(on: connection)
      }
    }
  }

  /// Writes into a text of an item in place, without a statement.
  private func writeInPlace(_ writes: inout RandomWrites, _ db: Database) throws {
    let id = Int64(writes.number(1...12))
    try db.writeWithoutTransaction { connection in
      guard try connection.row("SELECT 1 FROM Item WHERE id = \(id) AND title <> ''") != nil else {
        return
      }
      // A column with an index cannot be opened for writing.
      try connection.execute("UPDATE Item SET body = x'00' WHERE id = \(id)")
      let blob = try connection.blob(table: "Item", column: "body", rowID: id, writing: true)
      try blob.write(Data("q".utf8), at: 0)
      try blob.close()
    }
  }

  @Test("tasks that read while others write never see an earlier state than before")
  func concurrent() async throws {
    let seed = TestSeed.draw()
    let reads = TestSize.count(small: 2_000, full: 20_000)
    let file = try TemporaryPath()
    let db = try Database(path: file.path, models: [Page.self], configuration: .relaxed)
    let other = try Database(path: file.path, configuration: .relaxed)
    try await db.insert((0..<20).map { Page(id: $0, text: "0") })
    let newest = Shared([Int](repeating: 0, count: 20))
    let isOver = Shared(false)
    try await withThrowingTaskGroup { group in
      for (number, writer) in [db, db, other].enumerated() {
        group.addTask {
          var random = SeededGenerator(seed: seed &+ UInt64(number))
          while !isOver.current {
            let id = Int.random(in: 0..<20, using: &random)
            let text = try await writer.write { tx -> Int in
              guard let page = try tx.find(Page.self, id), let value = Int(page.text) else {
                return 0
              }
              try tx.run(Page.where { $0.$id == id }.update { $0.$text = "\(value + 1)" })
              return value + 1
            }
            newest.change { $0[id] = max($0[id], text) }
            await Task.yield()
          }
        }
      }
      let readers = (0..<4).map { number in
        Task {
          var random = SeededGenerator(seed: seed &+ 100 &+ UInt64(number))
          for _ in 0..<reads {
            let id = Int.random(in: 0..<20, using: &random)
            let floor = newest.current[id]
            let page = try await db.find(Page.self, id)
            let value = try #require(page.flatMap { Int($0.text) })
            try #require(value >= floor, "seed \(seed)")
          }
        }
      }
      for reader in readers { try await reader.value }
      isOver.change { $0 = true }
      try await group.waitForAll()
    }
    #expect(try db.cacheStatistics(of: Page.self).hits > 0)
  }
}
