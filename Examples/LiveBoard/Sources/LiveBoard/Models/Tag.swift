import Apus
import ApusHistory

/// A tag: a word that cards of any list can share.
struct Tag: Model, Codable, Equatable {
  @PrimaryKey var id = Unique64()
  @Column var name: String
  @Column var hue: Hue = .blue

  static var schema: Schema<Tag> {
    Collated(\.$name, .noCase)
    Unique(\.$name)
    Check("tag_name") { $0.$name.length().between(1, and: Limits.tagName) }
    Default(\.$hue, .blue)
    Logged()
  }
}

/// A tag of a card.
struct CardTag: Model, Equatable {
  struct ID: Hashable, Sendable {
    var cardID: Card.ID
    var tagID: Tag.ID
  }

  @PrimaryKey var cardID: Card.ID
  @PrimaryKey var tagID: Tag.ID
  var id: ID { ID(cardID: cardID, tagID: tagID) }

  static var schema: Schema<CardTag> {
    ForeignKey(\.$cardID, references: \Card.$id, onDelete: .cascade)
    ForeignKey(\.$tagID, references: \Tag.$id, onDelete: .cascade)
    Index(\.$tagID)
    Logged()
    // The form in which a card is edited also has its tags. So a change of the tags gives the card
    // a new version.
    Trigger("CardTag_added", after: .insert) { new in
      Edition.next
      Card.update { $0.$version = Edition.number }.where { $0.$id == new.$cardID }
    }
    Trigger("CardTag_removed", after: .delete) { old in
      Edition.next
      Card.update { $0.$version = Edition.number }.where { $0.$id == old.$cardID }
    }
  }
}
