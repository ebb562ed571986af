import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import TestRun
import Testing

@testable import QueryFixtures

/// For random rows and orders, the pages together are the whole ordered result.
@Suite("Pages of random rows in random orders")
struct PagePropertyTests {
  @Test(
    "the pages together contain each row once, in the order",
    arguments: 0..<TestSize.count(small: 20, full: 100))
  func pages(_ round: Int) throws {
    let seed = TestSeed.draw()
    var random = SeededGenerator(seed: seed &+ UInt64(round))
    let db = try Specification.database(models: [PagedEntry.self, PagedSeat.self])
    let count = Int.random(in: 0...40, using: &random)
    try db.insert(
      (0..<count).map { id in
        PagedEntry(
          id: id * 3, title: ["", "a", "B", "ä"].randomElement(using: &random) ?? "",
          views: Int.random(in: -2...2, using: &random),
          rating: Bool.random(using: &random) ? nil : Int.random(in: 0...2, using: &random),
          price: Decimal(Int.random(in: 8...11, using: &random)) / 2,
          day: Date(timeIntervalSince1970: Double(Int.random(in: 0...2, using: &random)) * 86_400))
      })
    let order = entryOrder(&random)
    try check(
      PagedEntry.where { $0.$views > -2 }, order, db, "seed \(seed), round \(round)", &random)

    let halls = ["", "x", "Y"]
    try db.insert(
      halls.flatMap { hall in
        (0..<4).map { number in
          PagedSeat(
            hall: hall, number: number,
            row: Bool.random(using: &random) ? nil : [0.5, -1, 2].randomElement(using: &random))
        }
      })
    try check(PagedSeat.all, seatOrder(&random), db, "seed \(seed), round \(round)", &random)
  }

  private func check<M: Model & Equatable>(
    _ query: TableQuery<M, M>, _ order: PageOrder<M>, _ db: Database, _ comment: Comment,
    _ random: inout SeededGenerator
  ) throws {
    let whole = try db.fetch(query.page(by: order))
    #expect(whole.count == (try db.count(query)), comment)
    let size = Int.random(in: 1...7, using: &random)
    var pages: [M] = []
    var cursor: PageCursor<M>?
    while pages.count <= whole.count {
      let page = try db.fetch(query.page(after: cursor, by: order).limit(size))
      guard let last = page.last else { break }
      pages += page
      // The client sends the text back.
      cursor = try PageCursor(order.cursor(after: last).description)
    }
    #expect(pages == whole, comment)
    // And backwards.
    pages = []
    cursor = nil
    while pages.count <= whole.count {
      let page = try db.fetch(query.page(after: cursor, by: order.reversed).limit(size))
      guard let last = page.last else { break }
      pages += page
      cursor = try order.reversed.cursor(after: last)
    }
    #expect(pages == whole.reversed(), comment)
  }

  private func nulls(_ random: inout SeededGenerator) -> NullOrder? {
    [nil, .first, .last].randomElement(using: &random) ?? nil
  }

  private func entryOrder(_ random: inout SeededGenerator) -> PageOrder<PagedEntry> {
    var order = PageOrder<PagedEntry>.key
    for _ in 0..<Int.random(in: 0...4, using: &random) {
      let isDescending = Bool.random(using: &random)
      let nulls = nulls(&random)
      switch Int.random(in: 0...5, using: &random) {
      case 0: order = add(\.$title, to: order, isDescending, nulls)
      case 1: order = add(\.$views, to: order, isDescending, nulls)
      case 2, 3: order = add(\.$rating, to: order, isDescending, nulls)
      case 4: order = add(\.$price, to: order, isDescending, nulls)
      default: order = add(\.$day, to: order, isDescending, nulls)
      }
    }
    guard Bool.random(using: &random) else { return order }
    return add(\.$id, to: order, Bool.random(using: &random), nil)
  }

  private func seatOrder(_ random: inout SeededGenerator) -> PageOrder<PagedSeat> {
    var order = PageOrder<PagedSeat>.key
    for _ in 0..<Int.random(in: 0...2, using: &random) {
      let isDescending = Bool.random(using: &random)
      switch Int.random(in: 0...2, using: &random) {
      case 0: order = add(\.$row, to: order, isDescending, nulls(&random))
      case 1: order = add(\.$hall, to: order, isDescending, nil)
      default: order = add(\.$number, to: order, isDescending, nil)
      }
    }
    return order
  }

  private func add<M: Model, Value: ColumnValue>(
    _ column: KeyPath<M, ColumnReference<Value>>, to order: PageOrder<M>, _ isDescending: Bool,
    _ nulls: NullOrder?
  ) -> PageOrder<M> {
    isDescending ? order.descending(column, nulls: nulls) : order.ascending(column, nulls: nulls)
  }
}
