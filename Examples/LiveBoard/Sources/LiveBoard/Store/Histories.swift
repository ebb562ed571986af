import Apus

/// The histories of the people that edit the board: each undoes its own changes.
///
/// Their steps are in the change log, so that they outlast the server.
actor Histories {
  /// The models whose changes are undone. Counts and versions are not: they go on. What is unread
  /// follows its card by the foreign key.
  private static let models: [any Model.Type] = [
    BoardList.self, Card.self, Tag.self, CardTag.self,
  ]

  private let db: Database
  private var histories: [String: History] = [:]

  init(of db: Database) {
    self.db = db
  }

  func history(of author: String) throws -> History {
    if let history = histories[author] { return history }
    let history = try History(of: Self.models, inLogOf: db, author: author)
    histories[author] = history
    return history
  }
}

extension Board {
  /// Undoes the last change of a person, and returns its label; nil if no change is left.
  ///
  /// Throws `BoardError.overtaken` if another edit changed the same since. The next undo is that of
  /// the change before.
  func undo(by person: Person) async throws -> String? {
    let history = try await histories.history(of: person.name)
    guard let step = try await history.steps().undoable.last else { return nil }
    return try await inverting(step, of: history, by: person) {
      try await history.undo(step, resolving: .exceptVersions)
    }
  }

  /// Redoes the last change that a person undid, and returns its label; nil if no change is left.
  func redo(by person: Person) async throws -> String? {
    let history = try await histories.history(of: person.name)
    guard let step = try await history.steps().redoable.last else { return nil }
    return try await inverting(step, of: history, by: person) {
      try await history.redo(step, resolving: .exceptVersions)
    }
  }

  private func inverting(
    _ step: HistoryStep, of history: History, by person: Person,
    _ perform: () async throws -> HistoryOutcome?
  ) async throws -> String? {
    let position = try await db.read { try $0.logPosition() }
    do {
      guard let outcome = try await perform() else { return nil }
      try await renewVersions(after: position, by: person)
      return outcome.step.label ?? "change"
    } catch let error as ChangeConflicts {
      try await history.skip(step)
      throw BoardError.overtaken("\(error)")
    }
  }

  /// Gives the cards that an undo or a redo changed new versions, since triggers do not run then. So an
  /// editor that has the card open gets a conflict, and the others see that it is unread.
  private func renewVersions(after position: LogPosition, by person: Person) async throws {
    var cards: Set<Card.ID> = []
    // Others may have written meanwhile.
    let entries = try await db.log.entries(after: position)
    for entry in entries where entry.undoneSequence != nil && entry.author == person.name {
      for change in entry.changes(of: Card.self) { cards.insert(try change.key) }
      for change in entry.changes(of: CardTag.self) { cards.insert(try change.key.cardID) }
    }
    let touched = cards
    try await db.write(label: Self.versionsLabel) { tx in
      try tx.run(Edition.next)
      try tx.run(
        Card.update { $0.$version = Edition.number }.where { $0.$id.isIn(Array(touched)) })
      try tx.run(
        Unread.delete().where { $0.$personID == person.id && $0.$cardID.isIn(Array(touched)) })
    }
  }

  static let versionsLabel = "versions"
}

extension ConflictPolicy {
  /// Every conflict fails, except for versions, which any later edit of the card changed, and for a tag
  /// that other cards have got since, which stays.
  fileprivate static let exceptVersions = ConflictPolicy { conflict in
    if conflict.change.table == Tag.tableName { return .keep }
    return conflict.reason == .columnsChanged(["version"]) ? .apply : .fail
  }
}
