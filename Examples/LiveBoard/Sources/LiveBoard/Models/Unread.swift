import Apus

/// A card that changed since a person read it. Triggers of `Card` insert the rows.
struct Unread: Model, Equatable {
  struct ID: Hashable, Sendable {
    var personID: Person.ID
    var cardID: Card.ID
  }

  @PrimaryKey var personID: Person.ID
  @PrimaryKey var cardID: Card.ID
  var id: ID { ID(personID: personID, cardID: cardID) }
  /// The list of the card. With this column, a query of this table alone can count the unread cards
  /// of each list.
  @Column var listID: BoardList.ID

  static var schema: Schema<Unread> {
    ForeignKey(\.$personID, references: \Person.$id, onDelete: .cascade)
    ForeignKey(\.$cardID, references: \Card.$id, onDelete: .cascade)
    Index(\.$cardID)
    Index(\.$personID, \.$listID)
  }
}

/// The number of unread cards in a list, for a person.
struct UnreadCount: ResultRow, Equatable {
  @Column var personID: Person.ID
  @Column var listID: BoardList.ID
  @Column var cards: Int
}
