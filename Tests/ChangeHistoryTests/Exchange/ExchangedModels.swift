import ApusHistory
import Foundation
import QueryDSL

/// The models of databases that exchange transactions.
enum Exchanged {
  struct Item: Model, Equatable {
    @PrimaryKey var id: Int
    @Column var name: String
    @Column var note: String?
    @Column var weight = 0.0
    @Column var cover: Data?
    @Column var edits = 0

    static var schema: Schema<Item> {
      Logged()
      FullText(\.$name)
      Trigger("count", after: .update(of: \.$name)) { _, new in
        Item.update { $0.$edits += 1 }.where { $0.$id == new.$id }
      }
    }
  }

  struct Part: Model, Equatable {
    @PrimaryKey var id: Int
    @Column var item: Int
    @Column var serial: String?

    static var schema: Schema<Part> {
      Logged()
      Unique(\.$serial)
      ForeignKey(\.$item, references: \Item.$id)
    }
  }
}
