import Foundation
import QueryDSL
import SQLCore
import SchemaMigration
import Testing

// The data of the tests of writing.

/// A model with a unique code, a shelf that is unique among active articles, defaults, and a date
/// stored as text.
struct Article: Model, Equatable {
  @PrimaryKey var id: Int64?
  @Column var code: String
  @Column var shelf: String?
  @Column var isActive: Bool
  @Column var price: Double
  @Column var stock: Int
  @Column var added: Date

  static var schema: Schema<Article> {
    Unique(\.$code)
    Unique(\.$shelf) { $0.$isActive == true }
    Default(\.$isActive, true)
    Default(\.$price, 1.5)
    Default(\.$stock, 10)
    Default(\.$added, Date(timeIntervalSince1970: 0))
    Stored(\.$added, as: .iso8601)
  }

  static func make(
    _ id: Int64?, _ code: String, shelf: String? = nil, isActive: Bool = true,
    price: Double = 1.5, stock: Int = 10, added: Double = 0
  ) -> Article {
    Article(
      id: id, code: code, shelf: shelf, isActive: isActive, price: price, stock: stock,
      added: Date(timeIntervalSince1970: added))
  }
}

/// A table without rowids.
struct Rate: Model, Equatable {
  @PrimaryKey var currency: String
  @Column var value: Double
  var id: String { currency }

  static var schema: Schema<Rate> { WithoutRowID() }
}

/// A model that has only a key and columns with defaults.
struct Ticket: Model, Equatable {
  @PrimaryKey var id: Int64?
}

struct Articles {
  let db: Database

  static let all = [
    Article.make(1, "a", shelf: "A1", price: 2, stock: 5),
    Article.make(2, "b", shelf: "B1", price: 3, stock: 0, added: 86_400),
    Article.make(3, "c", shelf: "A1", isActive: false, price: 4, stock: 7),
  ]

  init(_ rows: [Article] = all) throws {
    db = try Specification.database(models: [Article.self, Rate.self, Ticket.self])
    try db.insert(rows)
  }

  var rows: [Article] {
    get throws { try db.fetch(Article.order(by: \.$id)) }
  }

  /// Expects the SQL and the values of a command.
  func expect(
    _ command: some Runnable, _ sql: String, _ values: [DatabaseValue]? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let found = try command.sql
    #expect(found.text == sql, sourceLocation: sourceLocation)
    if let values { #expect(try found.values == values, sourceLocation: sourceLocation) }
  }
}

extension Model where Self: Equatable {
  /// Returns a copy with some columns changed.
  func with(_ change: (inout Self) -> Void) -> Self {
    var copy = self
    change(&copy)
    return copy
  }
}
