import ApusHistory
import QueryDSL
import SQLCore
import SchemaMigration

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The models of the tests of the change log.
enum Archive {
  struct Shelf: Model, Equatable {
    @PrimaryKey var id: Int
    @Column var name: String

    static var schema: Schema<Shelf> { Logged() }
  }

  struct Book: Model, Equatable {
    @PrimaryKey var id: Int
    @Column var title: String
    @Column var slug: String?
    @Column var weight = 0.0
    @Column var cover: Data?
    @Column var shelfID: Int?
    @Column var changes = 0
    @Column var half = 0.0

    static var schema: Schema<Book> {
      Logged()
      Unique(\.$slug)
      Collated(\.$slug, .noCase)
      ForeignKey(\.$shelfID, references: \Shelf.$id, onDelete: .cascade, onUpdate: .cascade)
      Generated(\.$half) { $0.$weight / 2 }
    }
  }

  /// A model of the same database that is not logged.
  struct Note: Model, Equatable {
    @PrimaryKey var id: Int
    @Column var text: String
  }

  static let models: [any TableModel.Type] = [Shelf.self, Book.self, Note.self]

  static func database() throws -> Database { try .temporary(models: models) }

  /// Returns another connection to the file, as a program has that knows no models.
  static func stranger(of db: Database) throws -> Database {
    guard let path = db.path else { throw LogError.noLog }
    return try Database(path: path)
  }

  /// Returns the kinds of the changes of an entry with their tables and keys, as texts.
  static func summary(_ entry: LogEntry) -> [String] {
    entry.changes.map { change in
      "\(change.kind) \(change.table) \(change.keyValues.map(\.description).joined(separator: ","))"
        + (change.kind == .updated ? " \(change.changedColumns.joined(separator: ","))" : "")
    }
  }
}
