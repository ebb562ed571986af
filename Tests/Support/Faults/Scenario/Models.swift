import Apus
import Foundation

struct Account: Model, Equatable {
  @PrimaryKey var id: Int
  @Column var name: String
  @Column var balance: Int
  @Column var note: String?

  static var schema: Schema<Account> { Index(\.$name) }
}

struct Entry: Model, Equatable {
  @PrimaryKey var id: Int
  @Column var accountID: Int
  @Column var amount: Int
  @Column var payload: Data

  static var schema: Schema<Entry> {
    ForeignKey(\.$accountID, references: \Account.$id, onDelete: .cascade)
    Index(\.$accountID)
  }
}
