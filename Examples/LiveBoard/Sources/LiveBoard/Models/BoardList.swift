import Apus
import ApusHistory

/// A list of the board: a column of cards.
struct BoardList: Model, Codable, Equatable {
  static let tableName = "List"

  @PrimaryKey var id = Unique64()
  @Column var name: String
  @Column var position: Double = 0

  static var schema: Schema<BoardList> {
    Check("list_name") { $0.$name.length().between(1, and: Limits.listName) }
    Default(\.$position, 0)
    Logged()
  }
}
