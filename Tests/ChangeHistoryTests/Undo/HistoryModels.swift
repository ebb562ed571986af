import ApusHistory
import ChangeObservation
import Foundation
import QueryDSL
import SQLCore
import SchemaMigration

/// The models of the tests of undo and redo.
enum Board {
  struct List: Model, Equatable {
    @PrimaryKey var id: Int
    @Column var name: String

    static var schema: Schema<List> { Logged() }
  }

  struct Card: Model, Equatable {
    @PrimaryKey var id: Int
    @Column var title: String
    @Column var slug: String?
    @Column var weight = 0.0
    @Column var cover: Data?
    @Column var listID: Int?
    @Column var half = 0.0
    @Column var edits = 0

    static var schema: Schema<Card> {
      Logged()
      FullText(\.$title)
      Unique(\.$slug)
      ForeignKey(\.$listID, references: \List.$id, onDelete: .cascade, onUpdate: .cascade)
      Generated(\.$half, .stored) { $0.$weight / 2 }
      Trigger("count", after: .update(of: \.$title)) { _, new in
        Card.update { $0.$edits += 1 }.where { $0.$id == new.$id }
        Audit.insert { $0.$card = new.$id }
      }
    }
  }

  /// A table that only a trigger writes, and no history has.
  struct Audit: Model, Equatable {
    @PrimaryKey var id: Int64?
    @Column var card: Int
  }

  static let models: [any TableModel.Type] = [List.self, Card.self, Audit.self]

  static func database() throws -> Database { try .temporary(models: models) }

  static func history(
    of db: Database, author: String? = nil, groupsByLabel: Bool = false, limit: Int = 100
  ) throws -> History {
    try History(
      of: [List.self, Card.self], in: db, author: author, groupsByLabel: groupsByLabel,
      limit: limit)
  }

  /// The rows of the tables that the histories have, and the titles that the search index has.
  struct State: Equatable {
    var lists: [List]
    var cards: [Card]
    var found: [[Int]]
  }

  static let words = ["alpha", "beta", "gamma"]

  static func state(_ db: Database) throws -> State {
    try State(
      lists: db.fetch(List.order { $0.$id }), cards: db.fetch(Card.order { $0.$id }),
      found: words.map { word in
        try db.fetch(Card.search(word)).map(\.id).sorted()
      })
  }
}
