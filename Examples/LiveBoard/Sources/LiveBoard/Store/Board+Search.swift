import Apus

/// A card that a search found, with the found words in its title and notes.
struct FoundCard: Sendable {
  var face: CardFace
  var title: HighlightedText
  var notes: HighlightedText
}

extension Board {
  /// The number of cards that a search returns.
  static let foundCards = 50

  /// Searches for the words of a text. A card is found if each of these words is the beginning of a
  /// word of the card. Returns the most relevant cards, and the number of all cards that were
  /// found.
  func search(_ text: String) async throws -> SearchResults {
    try await db.read { db in
      let all = Self.found(by: text)
      let found = try db.fetch(all.limit(Self.foundCards))
      let total = found.count < Self.foundCards ? found.count : try db.count(all)
      return SearchResults(text: text, found: found, total: total)
    }
  }

  private static func found(by text: String) -> Query<FoundCard> {
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
      Select(
        card, list.$name, person, hit.highlight(of: \.$title),
        hit.snippet(of: \.$notes, words: 16))
    }.map { card, list, person, title, notes in
      FoundCard(
        face: CardFace(card: card, listName: list, assignee: person), title: title, notes: notes)
    }
  }
}
