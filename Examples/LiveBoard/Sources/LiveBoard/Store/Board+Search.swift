import Apus

/// A card that a search found, with the words that it found.
struct FoundCard: Sendable {
  var face: CardFace
  var title: HighlightedText
  var notes: HighlightedText
}

extension Board {
  /// The number of cards that a search returns.
  static let foundCards = 50

  /// Returns the cards that have a word that begins with each word of a text, the most relevant first.
  func search(_ text: String) async throws -> [FoundCard] {
    try await db.fetch(Self.found(by: text))
  }

  static func found(by text: String) -> Query<FoundCard> {
    Query {
      (
        card: Columns<Card>, hit: Columns<SearchHit<Card>>, list: Columns<BoardList>,
        person: OptionalColumns<Person>
      ) in
      From(card)
      Join(card.search(.prefixes(text)).as(hit))
      Join(list, on: card.$listID == list.$id)
      LeftJoin(person, on: card.$assigneeID.equals(person.$id))
      OrderBy(hit.$rank)
      OrderBy(card.$id)
      Limit(foundCards)
      Select(
        card, list.$name, person, hit.highlight(of: \.$title),
        hit.snippet(of: \.$notes, words: 16))
    }.map { card, list, person, title, notes in
      FoundCard(
        face: CardFace(card: card, listName: list, assignee: person), title: title, notes: notes)
    }
  }
}
