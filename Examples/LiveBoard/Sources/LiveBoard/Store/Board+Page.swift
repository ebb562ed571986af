import Apus
import ApusHistory

extension Board {
  /// Reads what the page of the board shows, in one snapshot.
  func page(for person: Person?, tag: Tag.ID? = nil) async throws -> BoardPage {
    let activity = try await activity()
    let steps = if let person { try await steps(of: person) } else { nil as HistorySteps? }
    return try await db.read { db in
      let mine = person.map(\.id)
      let unread = try mine.map { id in try db.fetch(Unread.where { $0.$personID == id }) } ?? []
      return BoardPage(
        lists: try db.fetch(BoardList.order(by: \.$position)),
        faces: try db.fetch(CardFace.all),
        tagsOfCards: Dictionary(
          grouping: try db.fetch(TagOfCard.all), by: \.cardID
        ).mapValues { $0.map(\.tag) },
        tags: try db.fetch(Tag.order(by: \.$name)),
        people: try db.fetch(Person.order(by: \.$name)),
        unreadCounts: Dictionary(grouping: unread, by: \.listID).mapValues(\.count),
        unreadCards: Set(unread.map(\.cardID)),
        person: person, activity: activity, steps: StepsChange(steps),
        chosenTag: tag)
    }
  }

  /// Reads what the form of a card shows.
  func form(of id: Card.ID) async throws -> CardForm {
    try await db.read { db in
      CardForm(
        face: try db.face(of: id), tags: try db.tags(of: id),
        lists: try db.fetch(BoardList.order(by: \.$position)),
        people: try db.fetch(Person.order(by: \.$name)))
    }
  }
}

extension Connection {
  /// Returns the tags of a card, in the order of their names.
  func tags(of card: Card.ID) throws -> [Tag] {
    try fetch(
      Query { (cardTag: Columns<CardTag>, tag: Columns<Tag>) in
        From(cardTag)
        Join(tag, on: cardTag.$tagID == tag.$id)
        Where { cardTag.$cardID == card }
        OrderBy(tag.$name)
        Select(tag)
      })
  }
}
