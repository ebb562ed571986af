import Apus

extension Board {
  static let sampleLabel = "sample"

  /// Fills a board that has no list and no person with an example: a team that prepares a release.
  func addSampleIfEmpty() async throws {
    try await edit(Self.sampleLabel, by: "Live Board") { tx in
      guard try !tx.exists(BoardList.all), try !tx.exists(Person.all) else { return }
      try Sample(tx).fill()
    }
  }
}

/// The lists, cards and people of the example.
private struct Sample {
  let tx: Connection

  init(_ tx: Connection) {
    self.tx = tx
  }

  func fill() throws {
    let people = try [
      ("Ada Lovelace", Hue.violet), ("Grace Hopper", .teal), ("Alan Turing", .orange),
      ("Radia Perlman", .pink),
    ].map { try tx.insert(Person(name: $0, hue: $1)) }
    let (ada, grace, alan, radia) = (people[0], people[1], people[2], people[3])
    try list(
      "Ideas", 1,
      [
        (
          "Offline mode", "Keep the last board in the browser, and send the edits later.", ["web"],
          nil
        ),
        ("Import from CSV", "One row a card: list, title, notes, tags.", ["import"], nil),
        ("Calendar view", "", ["design"], radia),
      ])
    try list(
      "To do", 2,
      [
        (
          "Measure the start on a slow disk",
          "Cold cache, 100,000 cards. The board should be there in less than a second.",
          ["performance"], alan
        ),
        (
          "Write the release notes", "Ask everyone for two sentences about their part.", ["docs"],
          ada
        ),
        (
          "Contrast of the tags in dark mode", "At least 4.5 to 1, also for orange.",
          ["design", "web"], nil
        ),
      ])
    try list(
      "Doing", 3,
      [
        (
          "Show edits of the shell at once",
          "UPDATE in sqlite3, and every open page shows it.\nThe triggers count them as unread, too.",
          ["web", "sync"], grace
        ),
        ("Search as you type", "Words by their beginnings, the best match first.", ["search"], ada),
      ])
    try list(
      "Review", 4,
      [
        (
          "Undo any change, not only the last", "A conflict names the card and the column.",
          ["sync"], grace
        ),
        ("Keyboard: move a card with Alt and the arrows", "", ["web", "docs"], radia),
      ])
    try list(
      "Done", 5,
      [
        ("Two editors, one card", "The second gets a conflict with both texts.", ["sync"], ada),
        (
          "Prefix index for search", "prefix='2 3' made short words nine times faster.",
          ["search", "performance"], alan
        ),
      ])
    // Some cards stay unread for each person, so that the counts are not 0.
    let fresh = try tx.fetch(
      Card.where { $0.$title.hasPrefix("S") || $0.$title.hasPrefix("Undo") }.select(\.$id))
    try tx.run(Unread.delete().where { !$0.$cardID.isIn(fresh) })
  }

  private func list(
    _ name: String, _ position: Double,
    _ cards: [(title: String, notes: String, tags: [String], assignee: Person?)]
  ) throws {
    let list = try tx.insert(BoardList(name: name, position: position))
    for (index, entry) in cards.enumerated() {
      let card = try tx.insert(
        Card(
          listID: list.id, title: entry.title, notes: entry.notes, assigneeID: entry.assignee?.id,
          position: Double(index + 1)))
      try tx.setTags(entry.tags, of: card.id)
    }
  }
}
