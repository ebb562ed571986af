import Apus

extension Board {
  /// Adds a card at the end of a list.
  func addCard(_ edit: CardEdit, to list: BoardList.ID, by author: Person?) async throws -> CardFace
  {
    let checked = try edit.checked()
    guard let title = checked.title else {
      throw BoardError.invalid(field: "title", reason: "the title is missing")
    }
    return try await self.edit("add card", by: author?.name) { tx in
      guard try tx.count(Card.all) < Limits.cards else {
        throw BoardError.full("a board has at most \(Limits.cards) cards")
      }
      guard try tx.find(BoardList.self, list) != nil else { throw BoardError.noList(list) }
      let last = try tx.first(
        Card.where { $0.$listID == list }.order(by: \.$position, .descending))
      let card = try tx.insert(
        Card(
          listID: list, title: title, notes: checked.notes ?? "",
          assigneeID: try checked.assignee(in: tx), position: (last?.position ?? 0) + 1))
      if let tags = checked.tags { try tx.setTags(tags, of: card.id) }
      try tx.markRead(card.id, for: author)
      return try tx.face(of: card.id)
    }
  }

  /// Changes a card, if it still has the version that the editor has shown.
  ///
  /// If the card has another version, throws `BoardError.conflict` with the present card. If
  /// `version` is nil, the version of the card is not compared.
  func editCard(
    _ id: Card.ID, _ edit: CardEdit, version: Int?, by author: Person?
  ) async throws -> CardFace {
    let checked = try edit.checked()
    return try await self.edit("edit card", by: author?.name) { tx in
      var card = try tx.card(id, version: version)
      if let title = checked.title { card.title = title }
      if let notes = checked.notes { card.notes = notes }
      if checked.isUnassigned == true {
        card.assigneeID = nil
      } else if let assignee = try checked.assignee(in: tx) {
        card.assigneeID = assignee
      }
      if let list = checked.listID, list != card.listID {
        guard try tx.find(BoardList.self, list) != nil else { throw BoardError.noList(list) }
        card.listID = list
        card.position = try tx.position(in: list, before: nil, moving: id)
      }
      try tx.update(card)
      if let tags = checked.tags { try tx.setTags(tags, of: id) }
      try tx.markRead(id, for: author)
      return try tx.face(of: id)
    }
  }

  /// Moves a card to a list. There, the card is placed before the card `next`, or at the end if
  /// `next` is nil.
  func moveCard(
    _ id: Card.ID, to list: BoardList.ID, before next: Card.ID?, by author: Person?
  ) async throws -> CardFace {
    try await edit("move card", by: author?.name) { tx in
      var card = try tx.card(id, version: nil)
      guard try tx.find(BoardList.self, list) != nil else { throw BoardError.noList(list) }
      let wasUnread = try tx.isUnread(id, for: author)
      card.position = try tx.position(in: list, before: next == id ? nil : next, moving: id)
      card.listID = list
      try tx.update(card)
      if !wasUnread { try tx.markRead(id, for: author) }
      return try tx.face(of: id)
    }
  }

  /// Deletes a card, if it still has the given version.
  func deleteCard(_ id: Card.ID, version: Int?, by author: Person?) async throws {
    try await edit("delete card", by: author?.name) { tx in
      _ = try tx.delete(try tx.card(id, version: version))
    }
  }
}

extension CardEdit {
  /// Returns the person to assign, or throws if there is no such person.
  fileprivate func assignee(in tx: Connection) throws -> Person.ID? {
    guard let assigneeID else { return nil }
    guard try tx.find(Person.self, assigneeID) != nil else {
      throw BoardError.noPerson(assigneeID)
    }
    return assigneeID
  }
}

extension Connection {
  /// Returns a card, or throws if it does not exist or has another version.
  fileprivate func card(_ id: Card.ID, version: Int?) throws -> Card {
    guard let card = try find(Card.self, id) else { throw BoardError.noCard(id) }
    if let version, version != card.version { throw BoardError.conflict(try face(of: id)) }
    return card
  }

  func face(of id: Card.ID) throws -> CardFace {
    let face = try first(CardFace.all.where { (card: Columns<Card>) in card.$id == id })
    guard let face else { throw BoardError.noCard(id) }
    return face
  }

  fileprivate func isUnread(_ card: Card.ID, for person: Person?) throws -> Bool {
    guard let person else { return true }
    return try find(Unread.self, Unread.ID(personID: person.id, cardID: card)) != nil
  }

  /// Marks a card as read for the person that edits it.
  fileprivate func markRead(_ card: Card.ID, for person: Person?) throws {
    guard let person else { return }
    try run(Unread.delete().where { $0.$personID == person.id && $0.$cardID == card })
  }

  /// Returns a position before the card `next`, or at the end of the list if `next` is nil. If
  /// there is no room between the positions of `next` and the card before it, all cards of the list
  /// get new positions.
  fileprivate func position(
    in list: BoardList.ID, before next: Card.ID?, moving id: Card.ID
  ) throws -> Double {
    let others = try fetch(
      Card.where { $0.$listID == list && $0.$id != id }.order(by: \.$position).order(by: \.$id))
    guard let next else { return (others.last?.position ?? 0) + 1 }
    guard let index = others.firstIndex(where: { $0.id == next }) else {
      throw BoardError.invalid(
        field: "before", reason: "the card \(next.rawValue) is not in the list \(list.rawValue)")
    }
    let upper = others[index].position
    let lower = index == 0 ? upper - 2 : others[index - 1].position
    let middle = lower + (upper - lower) / 2
    if middle - lower > 1e-9, upper - middle > 1e-9, middle.isFinite { return middle }
    for (place, var card) in others.enumerated() {
      card.position = Double(place < index ? place + 1 : place + 2)
      try update(card)
    }
    return Double(index + 1)
  }

  /// Replaces the tags of a card by the tags with the given names. Creates the tags that do not
  /// exist yet.
  func setTags(_ names: [String], of card: Card.ID) throws {
    var wanted: [Tag.ID] = []
    for name in names {
      if let tag = try first(Tag.where { $0.$name == name }) {
        wanted.append(tag.id)
        continue
      }
      let count = try count(Tag.all)
      guard count < Limits.tags else {
        throw BoardError.full("a board has at most \(Limits.tags) tags")
      }
      let hue = Hue.allCases[count % Hue.allCases.count]
      wanted.append(try insert(Tag(name: name, hue: hue)).id)
    }
    try run(CardTag.delete().where { $0.$cardID == card && !$0.$tagID.isIn(wanted) })
    for tag in wanted {
      try run(CardTag.insert([CardTag(cardID: card, tagID: tag)]).onConflictDoNothing())
    }
  }
}
