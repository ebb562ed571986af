import Apus
import ApusHistory

/// An entry of the change log in words, without the person who made it: “added ‘Buy oat milk’ to Ideas”.
///
/// An undo or a redo is a transaction like any other, but it brings back an earlier state. So its
/// sentence is “restored ‘Buy oat milk’” or “removed ‘Buy oat milk’ again”.
struct LogSentence {
  /// The sentence; nil if the entry changed nothing visible on the board.
  private(set) var html: HTML?

  private let entry: LogEntry
  private let db: Connection
  private var isAgain: Bool { entry.undoneSequence != nil }

  init(_ entry: LogEntry, in db: Connection) throws {
    self.entry = entry
    self.db = db
    guard entry.gap == nil, entry.label != Board.sampleLabel else { return }
    do {
      html = try lists() ?? cards() ?? tags()
    } catch is ColumnValueError {
      // Another program stored a value that cannot be read. The other entries are shown as usual.
      html = "changed a row whose values cannot be shown"
    }
  }

  private func lists() throws -> HTML? {
    guard let change = entry.changes(of: BoardList.self).first else { return nil }
    switch change.kind {
    case .inserted:
      let name = Self.quote(try change.new(\.$name))
      return "\(isAgain ? "restored" : "added") the list \(name)\(cardsOfList)"
    case .deleted:
      let name = Self.quote(try change.old(\.$name))
      return isAgain
        ? "removed the list \(name) again" : "deleted the list \(name)\(cardsOfList)"
    case .updated:
      guard let old = try change.old(\.$name), let new = try change.new(\.$name) else {
        return "moved the list \(Self.quote(try db.find(BoardList.self, change.key)?.name))"
      }
      return "renamed the list \(Self.quote(old))\(back) to \(Self.quote(new))"
    }
  }

  /// The end of a sentence about a list, with the number of the cards that were inserted or deleted
  /// together with the list. Empty if there are no such cards.
  private var cardsOfList: HTML {
    let count = entry.changes(of: Card.self).count { $0.kind != .updated }
    return count == 0 ? "" : " with \(Self.cards(count))"
  }

  private func cards() throws -> HTML? {
    // If only the tags of a card have changed, the only changed column of its row is the version.
    // Such a change is not one of the card.
    let changes = entry.changes(of: Card.self).filter {
      $0.kind != .updated || $0.changedColumns.contains { $0 != "version" }
    }
    guard let change = changes.first else { return nil }
    let sentence = try sentence(of: change)
    let others = changes.count - 1
    return others == 0 ? sentence : "\(sentence), and changed \(Self.cards(others)) more"
  }

  private func sentence(of change: LogChange<Card>) throws -> HTML {
    switch change.kind {
    case .inserted:
      let title = Self.quote(try change.new(\.$title))
      if isAgain { return "restored \(title)" }
      let list = try change.new(\.$listID).flatMap { try db.find(BoardList.self, $0) }
      return "added \(title)\(list.map { " to \($0.name)" } ?? "")"
    case .deleted:
      let title = Self.quote(try change.old(\.$title))
      return isAgain ? "removed \(title) again" : "deleted \(title)"
    case .updated:
      return try sentence(ofUpdate: change)
    }
  }

  private func sentence(ofUpdate change: LogChange<Card>) throws -> HTML {
    if let old = try change.old(\.$title), let new = try change.new(\.$title) {
      return "renamed \(Self.quote(old))\(back) to \(Self.quote(new))"
    }
    let title = Self.quote(try db.find(Card.self, change.key)?.title)
    if let list = try change.new(\.$listID) {
      let name = try db.find(BoardList.self, list)?.name ?? "another list"
      return "moved \(title)\(back) to \(name)"
    }
    if try change.hasColumnChanged(\.$assigneeID) {
      guard let person = try change.new(\.$assigneeID) ?? nil else {
        return "unassigned \(title)\(again)"
      }
      let name = try db.find(Person.self, person)?.name ?? "someone"
      return "assigned \(title) to \(name)\(again)"
    }
    if try change.hasColumnChanged(\.$notes) {
      return isAgain ? "restored the notes of \(title)" : "edited the notes of \(title)"
    }
    return isAgain ? "moved \(title) back to its place" : "moved \(title) within its list"
  }

  private func tags() throws -> HTML? {
    if let change = entry.changes(of: CardTag.self).first {
      let title = Self.quote(try db.find(Card.self, change.key.cardID)?.title)
      return isAgain ? "restored the tags of \(title)" : "changed the tags of \(title)"
    }
    guard let change = entry.changes(of: Tag.self).first else { return nil }
    return "changed the tag \(Self.quote(try change.new(\.$name) ?? change.old(\.$name)))"
  }

  private var back: HTML { isAgain ? " back" : "" }
  private var again: HTML { isAgain ? " again" : "" }

  private static func cards(_ count: Int) -> HTML {
    count == 1 ? "1 card" : "\(count) cards"
  }

  /// A name in quotation marks, cut to the length of a line.
  private static func quote(_ text: String?) -> HTML {
    guard let text else { return "a card that is gone" }
    return "“<q>\(text.prefix(60))\("…", if: text.count > 60)</q>”"
  }
}
