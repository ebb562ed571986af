import Apus
import ApusHistory

/// The histories of the people who edit the board. With a history, a person undoes only the changes
/// that this person has made.
///
/// The steps of the histories are stored in the change log, so they are still there after a restart
/// of the server.
actor Histories {
  /// The models whose changes are undone. `Edition` is not one of them, because its number must
  /// never decrease. `Unread` is not one of them, because a foreign key deletes its rows together
  /// with their card.
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
  /// Returns what a person can undo and redo.
  func steps(of person: Person) async throws -> HistorySteps {
    try await histories.history(of: person.name).steps()
  }

  /// Undoes a step of a person; by default, the last step. Returns a sentence about the undo,
  /// without its subject; nil if there is no such step.
  ///
  /// Throws `BoardError.overtaken` if a later edit changed the same columns. The next undo then
  /// skips this step.
  func undo(_ id: HistoryStep.ID? = nil, by person: Person) async throws -> HTML? {
    let history = try await histories.history(of: person.name)
    let steps = try await history.steps().undoable
    guard let step = id == nil ? steps.last : steps.first(where: { $0.id == id }) else {
      return nil
    }
    return try await inverting(step, of: history, by: person, "undone") {
      try await history.undo(step, resolving: .exceptVersions)
    }
  }

  /// Redoes the last change that a person undid. Returns a sentence about the redo, without its
  /// subject; nil if there is nothing to redo.
  func redo(by person: Person) async throws -> HTML? {
    let history = try await histories.history(of: person.name)
    guard let step = try await history.steps().redoable.last else { return nil }
    return try await inverting(step, of: history, by: person, "redone") {
      try await history.redo(step, resolving: .exceptVersions)
    }
  }

  private func inverting(
    _ step: HistoryStep, of history: History, by person: Person, _ participle: String,
    _ perform: () async throws -> HistoryOutcome?
  ) async throws -> HTML? {
    let position = try await db.read { try $0.logPosition() }
    do {
      guard try await perform() != nil else { return nil }
    } catch let error as ChangeConflicts {
      try await history.skip(step)
      throw BoardError.overtaken(error.reason(against: participle))
    }
    // Other people may have written since `position`, so their entries are left out.
    let entries = try await db.log.entries(after: position)
      .filter { $0.undoneSequence != nil && $0.author == person.name }
    try await renewVersions(of: entries, by: person)
    return try await db.read { db in
      try entries.lazy.compactMap { try LogSentence($0, in: db).html }.last ?? "changed nothing"
    }
  }

  /// Gives new versions to the cards that an undo or a redo has changed, because the triggers that
  /// do this do not run in an undo. So a person who is editing such a card gets a conflict, and the
  /// card is unread for the other people.
  private func renewVersions(of entries: [LogEntry], by person: Person) async throws {
    var cards: Set<Card.ID> = []
    for entry in entries {
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
  /// The policy that fails for every conflict, with two exceptions. If only the version of a card
  /// has changed, the change is made, because any later edit changes the version. If the change of
  /// a tag has a conflict, for example because other cards have got the tag since, the tag is left
  /// as it is.
  fileprivate static let exceptVersions = ConflictPolicy { conflict in
    if conflict.change.table == Tag.tableName { return .keep }
    return conflict.reason == .columnsChanged(["version"]) ? .apply : .fail
  }
}

extension ChangeConflicts {
  /// Returns a sentence that describes the first conflict to the person whose change cannot be
  /// undone or redone.
  fileprivate func reason(against participle: String) -> String {
    guard let conflict = conflicts.first else { return description }
    let (table, values) = (conflict.change.table, conflict.current ?? [:])
    var name = table == BoardList.tableName ? "a list" : table == Tag.tableName ? "a tag" : "a card"
    if case .text(let text)? = values["title"] ?? values["name"] { name = "“\(text)”" }
    let cause =
      switch conflict.reason {
      case .columnsChanged(let columns):
        "its \(Self.words(for: columns)) changed since"
      case .rowIsGone: "it was deleted since"
      case .rowExists: "it is there again"
      default: "\(conflict)"
      }
    return "your change of \(name) cannot be \(participle), because \(cause)"
  }

  private static func words(for columns: [String]) -> String {
    let words = [
      "title": "title", "name": "name", "notes": "notes", "listID": "list",
      "assigneeID": "assignment", "position": "place", "hue": "colour",
    ]
    let known = columns.compactMap { words[$0] }
    return known.isEmpty ? "content" : known.joined(separator: " and ")
  }
}
