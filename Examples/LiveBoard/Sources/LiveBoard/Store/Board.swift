import Apus
import ApusHistory
import Foundation

/// The board. Its methods are all operations that the server makes on the database. They also check
/// the given values.
///
/// Each method that changes something is one transaction. `author` is the name that the change log
/// records for this transaction.
struct Board: Sendable {
  static let models: [any TableModel.Type] = [
    BoardList.self, Person.self, Tag.self, Card.self, CardTag.self, Unread.self,
    Edition.self,
  ]

  let db: Database
  let histories: Histories

  /// Opens the file of a board, and creates it if it does not exist.
  init(path: String) throws {
    self.init(
      in: try Database(path: path, models: Self.models, configuration: .relaxed))
  }

  init(in db: Database) {
    self.db = db
    histories = Histories(of: db)
  }

  /// Runs a transaction that the change log records with its author and label.
  func edit<Result: Sendable>(
    _ label: String, by author: String?, _ body: @escaping @Sendable (Connection) throws -> Result
  ) async throws -> Result {
    return try await db.write(label: label) { tx in
      if let author { try tx.setLogAuthor(author) }
      return try body(tx)
    }
  }

  /// Removes the oldest entries of the change log, and with them the oldest undo steps.
  func trimLog() async throws {
    try await db.log.purge(keeping: .init(count: Limits.logEntries))
  }

  // MARK: Lists

  func addList(named name: String, by author: String?) async throws -> BoardList {
    let name = try CheckedText.line(name, "name", atMost: Limits.listName)
    return try await edit("add list", by: author) { tx in
      guard try tx.count(BoardList.all) < Limits.lists else {
        throw BoardError.full("a board has at most \(Limits.lists) lists")
      }
      let last = try tx.first(BoardList.order(by: \.$position, .descending))?.position ?? 0
      return try tx.insert(BoardList(name: name, position: last + 1))
    }
  }

  func renameList(_ id: BoardList.ID, to name: String, by author: String?) async throws -> BoardList
  {
    let name = try CheckedText.line(name, "name", atMost: Limits.listName)
    return try await edit("rename list", by: author) { tx in
      guard var list = try tx.find(BoardList.self, id) else { throw BoardError.noList(id) }
      list.name = name
      try tx.update(list)
      return list
    }
  }

  /// Deletes a list with its cards.
  func deleteList(_ id: BoardList.ID, by author: String?) async throws {
    try await edit("delete list", by: author) { tx in
      guard let list = try tx.find(BoardList.self, id) else { throw BoardError.noList(id) }
      try tx.delete(list)
    }
  }

  // MARK: Reading

  func person(_ id: Person.ID) async throws -> Person? {
    try await db.find(Person.self, id)
  }

  /// Marks a card as read for a person.
  func markRead(_ card: Card.ID, for person: Person.ID) async throws {
    try await db.run(Unread.delete().where { $0.$personID == person && $0.$cardID == card })
  }

  /// Marks all cards of a list as read for a person.
  func markRead(list: BoardList.ID, for person: Person.ID) async throws {
    try await db.run(Unread.delete().where { $0.$personID == person && $0.$listID == list })
  }
}

extension BoardError {
  static func noList(_ id: BoardList.ID) -> BoardError {
    .notFound("there is no list \(id.rawValue)")
  }

  static func noCard(_ id: Card.ID) -> BoardError {
    .notFound("there is no card \(id.rawValue)")
  }

  static func noPerson(_ id: Person.ID) -> BoardError {
    .notFound("there is no person \(id.rawValue)")
  }
}
