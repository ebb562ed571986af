import Foundation
import GRDB

struct Account: Codable, Equatable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "Account"
  var id: Int
  var name: String
  var balance: Int
  var note: String?

  enum Columns {
    static let id = Column(CodingKeys.id)
    static let name = Column(CodingKeys.name)
    static let balance = Column(CodingKeys.balance)
    static let note = Column(CodingKeys.note)
  }
}

struct Entry: Codable, Equatable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "Entry"
  var id: Int
  var accountID: Int
  var amount: Int
  var payload: Data

  enum Columns {
    static let id = Column(CodingKeys.id)
    static let accountID = Column(CodingKeys.accountID)
    static let amount = Column(CodingKeys.amount)
  }
}
