import Apus

/// The board according to the last results of the live queries. It turns new results into the
/// changes to send.
struct BoardPicture: Sendable {
  private(set) var lists: [BoardList] = []
  private(set) var faces: [Card.ID: CardFace] = [:]
  private(set) var orders: [BoardList.ID: [Card.ID]] = [:]
  private(set) var tagsOfCards: [Card.ID: [Tag]] = [:]
  private(set) var tags: [Tag] = []
  private(set) var unreadCounts: [Person.ID: [BoardList.ID: Int]] = [:]
  private(set) var unreadCards: [Person.ID: Set<Card.ID>] = [:]
  private var cardResults = Results<CardFace>()
  private var tagResults = Results<TagOfCard>()

  // MARK: Taking results
  //
  // The first result of an observation reports all rows as inserted. It replaces the rows of an
  // earlier observation.

  /// Stores the new lists, and returns a change with the frames of all lists.
  mutating func take(_ results: Results<BoardList>, _ isFirst: Bool) -> BoardChange {
    lists = Array(results)
    return BoardChange(lists: frames)
  }

  /// Stores the new cards. Returns a change with the changed cards and with the order of the cards
  /// in each list whose cards have changed.
  mutating func take(_ results: Results<CardFace>, _ isFirst: Bool) -> BoardChange {
    if isFirst { (cardResults, faces, orders) = (Results(), [:], [:]) }
    let difference = results.difference
    var change = BoardChange()
    var touched: Set<BoardList.ID> = []
    var gone: [Card.ID] = []
    for index in difference.removed {
      let face = cardResults[index]
      touched.insert(face.card.listID)
      gone.append(face.id)
    }
    for index in difference.moved.map(\.origin) { touched.insert(cardResults[index].card.listID) }
    let present =
      difference.inserted + difference.moved.map(\.destination) + difference.updated
    for id in gone { faces[id] = nil }
    for index in present {
      let face = results[index]
      if let old = faces[face.id]?.card.listID { touched.insert(old) }
      touched.insert(face.card.listID)
      faces[face.id] = face
    }
    cardResults = results
    // A card whose row is removed and inserted in the same result is still on the board.
    change.removed = gone.filter { faces[$0] == nil }.map(\.text)
    for index in present {
      let face = results[index]
      change.cards[face.id.text] = html(of: face)
    }
    orderCards(of: touched)
    for list in touched { change.orders[list.text] = orders[list, default: []].map(\.text) }
    return change
  }

  /// Stores the new tags of the cards. Returns a change with the cards whose tags have changed.
  mutating func take(_ results: Results<TagOfCard>, _ isFirst: Bool) -> BoardChange {
    if isFirst { (tagResults, tagsOfCards) = (Results(), [:]) }
    let difference = results.difference
    var touched = Set(difference.removed.map { tagResults[$0].cardID })
    for index in difference.inserted + difference.moved.map(\.destination) + difference.updated {
      touched.insert(results[index].cardID)
    }
    tagResults = results
    var change = BoardChange()
    for card in touched { tagsOfCards[card] = nil }
    for row in results where touched.contains(row.cardID) {
      tagsOfCards[row.cardID, default: []].append(row.tag)
    }
    for card in touched {
      if let face = faces[card] { change.cards[card.text] = html(of: face) }
    }
    return change
  }

  /// Stores the new tags of the board, and returns a change with the chips of all tags.
  mutating func take(_ results: Results<Tag>, _ isFirst: Bool) -> BoardChange {
    tags = Array(results)
    return BoardChange(tags: TagChips(tags: tags, chosen: nil).html.text)
  }

  /// Stores the new numbers of unread cards. Returns the persons for whom a number has changed.
  mutating func take(_ results: Results<UnreadCount>) -> Set<Person.ID> {
    var counts: [Person.ID: [BoardList.ID: Int]] = [:]
    for row in results { counts[row.personID, default: [:]][row.listID] = row.cards }
    let persons = Set(counts.keys).union(unreadCounts.keys)
      .filter { counts[$0] != unreadCounts[$0] }
    unreadCounts = counts
    return persons
  }

  /// Stores the new unread cards. Returns the persons whose unread cards have changed.
  mutating func take(_ results: Results<Unread>) -> Set<Person.ID> {
    var cards: [Person.ID: Set<Card.ID>] = [:]
    for row in results { cards[row.personID, default: []].insert(row.cardID) }
    let persons = Set(cards.keys).union(unreadCards.keys).filter { cards[$0] != unreadCards[$0] }
    unreadCards = cards
    return persons
  }

  // MARK: The whole

  /// The change that shows all of the board, whatever the page showed before.
  var complete: BoardChange {
    var change = BoardChange(isComplete: true, lists: frames)
    for list in lists { change.orders[list.id.text] = orders[list.id, default: []].map(\.text) }
    for face in faces.values { change.cards[face.id.text] = html(of: face) }
    change.tags = TagChips(tags: tags, chosen: nil).html.text
    return change
  }

  func unread(for person: Person.ID) -> UnreadChange {
    UnreadChange(
      lists: Dictionary(
        unreadCounts[person, default: [:]].map { ($0.key.text, $0.value) },
        uniquingKeysWith: { first, _ in first }),
      cards: unreadCards[person, default: []].map(\.text).sorted())
  }

  private var frames: [BoardChange.ListFrame] {
    lists.map { list in
      BoardChange.ListFrame(
        id: list.id.text, name: list.name, html: ListView(list: list, cards: []).html.text)
    }
  }

  private func html(of face: CardFace) -> String {
    CardView(face: face, tags: tagsOfCards[face.id, default: []]).html.text
  }

  /// Reads the order of the cards in the given lists from the last results. The results are sorted
  /// by list, so the cards of a list follow each other.
  private mutating func orderCards(of touched: Set<BoardList.ID>) {
    for list in touched { orders[list] = nil }
    for face in cardResults where touched.contains(face.card.listID) {
      orders[face.card.listID, default: []].append(face.id)
    }
  }
}

extension Unique64 {
  /// The key as a text. HTML and JavaScript have keys in this form.
  var text: String { String(rawValue) }
}
