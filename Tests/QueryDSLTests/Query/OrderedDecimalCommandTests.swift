import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import Testing

@testable import QueryFixtures

private struct Offer: Model, Equatable {
  @PrimaryKey var id: Int
  @Column var price: Decimal
}

/// A decimal is stored as text, and its order needs a collation: "10" is less than "9.5" as text.
@Suite("Deletions and updates in the order of decimals")
struct OrderedDecimalCommandTests {
  private let db: Database

  init() throws {
    db = try Database(path: ":memory:", models: [Offer.self])
    try db.insert([Offer(id: 1, price: 9.5), Offer(id: 2, price: 10), Offer(id: 3, price: 100)])
  }

  private func ids() throws -> [Int] { try db.fetch(Offer.order(by: \.$id)).map(\.id) }

  @Test("a deletion takes the same rows as a query in the same order")
  func deletion() throws {
    let cheapest = Offer.order(by: \.$price).limit(1)
    let found = try db.fetch(cheapest)
    #expect(found.map(\.id) == [1])
    let deletion = Offer.delete().order(by: \.$price).limit(1)
    let texts = try [cheapest.delete().sql.text, deletion.sql.text]
    #expect(texts[0] == texts[1])
    try db.run(deletion)
    let left = try ids()
    #expect(left == [2, 3])
  }

  @Test("so does an update, and a command that is ordered by an expression")
  func update() throws {
    try db.run(Offer.update { $0.$price = 0 }.order(by: \.$price, .descending).limit(1))
    let free = try db.fetch(Offer.where { $0.$price == 0 })
    #expect(free.map(\.id) == [3])
    try db.run(Offer.delete().order(by: { $0.$price + 1 }, .descending).limit(1))
    let left = try ids()
    #expect(left == [1, 3])
    try db.run(Offer.update { $0.$price = 7 }.order(by: { $0.$price + 1 }, .descending).limit(1))
    let changed = try db.fetch(Offer.where { $0.$price == 7 })
    #expect(changed.map(\.id) == [1])
  }
}
