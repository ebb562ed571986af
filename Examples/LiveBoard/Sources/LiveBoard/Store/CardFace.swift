import Apus

/// A card with what the board shows beside it: the name of its list, and the person to which it is
/// assigned.
struct CardFace: Identifiable, Equatable, Sendable {
  var card: Card
  var listName: String
  var assignee: Person?

  var id: Card.ID { card.id }

  /// All cards with their lists and persons, in the order of the board.
  static var all: Query<CardFace> {
    Query { (card: Columns<Card>, list: Columns<BoardList>, person: OptionalColumns<Person>) in
      From(card)
      Join(list, on: card.$listID == list.$id)
      LeftJoin(person, on: card.$assigneeID.equals(person.$id))
      OrderBy(card.$listID)
      OrderBy(card.$position)
      OrderBy(card.$id)
      Select(card, list.$name, person)
    }.map { CardFace(card: $0, listName: $1, assignee: $2) }
  }
}

/// A tag of one card.
struct TagOfCard: Equatable, Sendable {
  var cardID: Card.ID
  var tag: Tag

  /// The tags of all cards, in the order of their names.
  static var all: Query<TagOfCard> {
    Query { (cardTag: Columns<CardTag>, tag: Columns<Tag>) in
      From(cardTag)
      Join(tag, on: cardTag.$tagID == tag.$id)
      OrderBy(tag.$name)
      Select(cardTag.$cardID, tag)
    }.map { TagOfCard(cardID: $0, tag: $1) }
  }
}

extension UnreadCount {
  /// The numbers of unread cards, for each person and list.
  static var all: Query<UnreadCount> {
    Query { (unread: Columns<Unread>) in
      From(unread)
      GroupBy(unread.$personID, unread.$listID)
      Select(
        unread.$personID, unread.$listID, unread.count().as("cards"), into: UnreadCount.self)
    }
  }
}
