import Apus

extension Board {
  /// The number of entries of the change log that the page shows, and from which they are chosen.
  private static let (shownLines, readEntries) = (14, 60)

  /// Reads the newest entries of the change log, as sentences.
  func activity() async throws -> Activity {
    let entries = try await db.log.newestEntries(limit: Self.readEntries)
    return try await db.read { db in
      var lines: [Activity.Line] = []
      for entry in entries.reversed() where lines.count < Self.shownLines {
        guard let text = try Sentence(entry, in: db).html else { continue }
        lines.append(Activity.Line(sequence: entry.sequence, author: entry.author, text: text))
      }
      return Activity(lines: lines)
    }
  }
}

/// An entry of the change log in words.
private struct Sentence {
  var html: HTML?

  private let entry: LogEntry
  private let db: Connection

  init(_ entry: LogEntry, in db: Connection) throws {
    self.entry = entry
    self.db = db
    guard entry.gap == nil, entry.label != Board.sampleLabel else { return }
    do {
      guard let text = try lists() ?? cards() ?? tags() else { return }
      html = entry.undoneSequence == nil ? text : "took back: \(text)"
    } catch is ColumnValueError {
      // Another program stored a value that cannot be read. The other entries are shown as usual.
      html = "changed a row whose values cannot be shown"
    }
  }

  private func lists() throws -> HTML? {
    let changes = entry.changes(of: BoardList.self)
    guard let change = changes.first else { return nil }
    switch change.kind {
    case .inserted: return "added the list \(Self.quote(try change.new(\.$name)))"
    case .deleted: return "deleted the list \(Self.quote(try change.old(\.$name)))"
    case .updated:
      guard let old = try change.old(\.$name), let new = try change.new(\.$name) else {
        return "moved the list \(Self.quote(try db.find(BoardList.self, change.key)?.name))"
      }
      return "renamed the list \(Self.quote(old)) to \(Self.quote(new))"
    }
  }

  private func cards() throws -> HTML? {
    // If only the tags of a card changed, its row has another version and nothing else.
    let changes = entry.changes(of: Card.self).filter {
      $0.kind != .updated || $0.changedColumns.contains { $0 != "version" }
    }
    guard let change = changes.first else { return nil }
    let sentence = try sentence(of: change)
    let others = changes.count - 1
    return others == 0
      ? sentence : "\(sentence), and \(others) more \(others == 1 ? "card" : "cards")"
  }

  private func sentence(of change: LogChange<Card>) throws -> HTML {
    switch change.kind {
    case .inserted:
      let list = try change.new(\.$listID).flatMap { try db.find(BoardList.self, $0) }
      return "added \(Self.quote(try change.new(\.$title)))\(list.map { " to \($0.name)" } ?? "")"
    case .deleted:
      return "deleted \(Self.quote(try change.old(\.$title)))"
    case .updated:
      return try sentence(ofUpdate: change)
    }
  }

  private func sentence(ofUpdate change: LogChange<Card>) throws -> HTML {
    if let old = try change.old(\.$title), let new = try change.new(\.$title) {
      return "renamed \(Self.quote(old)) to \(Self.quote(new))"
    }
    let title = Self.quote(try db.find(Card.self, change.key)?.title)
    if let list = try change.new(\.$listID) {
      return "moved \(title) to \(try db.find(BoardList.self, list)?.name ?? "another list")"
    }
    if try change.hasColumnChanged(\.$assigneeID) {
      guard let person = try change.new(\.$assigneeID) ?? nil else {
        return "unassigned \(title)"
      }
      return "assigned \(title) to \(try db.find(Person.self, person)?.name ?? "someone")"
    }
    if try change.hasColumnChanged(\.$notes) { return "edited the notes of \(title)" }
    return "reordered \(title)"
  }

  private func tags() throws -> HTML? {
    if let change = entry.changes(of: CardTag.self).first {
      let card = try db.find(Card.self, change.key.cardID)
      return "changed the tags of \(Self.quote(card?.title))"
    }
    guard let change = entry.changes(of: Tag.self).first else { return nil }
    return "changed the tag \(Self.quote(try change.new(\.$name) ?? change.old(\.$name)))"
  }

  /// A name in quotation marks, cut to the length of a line.
  private static func quote(_ text: String?) -> HTML {
    guard let text else { return "a card that is gone" }
    return "<q>\(text.prefix(60))\("…", if: text.count > 60)</q>"
  }
}
