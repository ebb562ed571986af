import Apus
import ApusHistory

extension Board {
  /// The number of entries of the change log that the page shows, and the number of entries that
  /// are read for this. More are read, because some have nothing to show.
  private static let (shownLines, readEntries) = (14, 60)

  /// Reads the newest entries of the change log, as sentences.
  func activity() async throws -> Activity {
    let entries = try await db.log.newestEntries(limit: Self.readEntries)
    return try await db.read { db in
      var lines: [Activity.Line] = []
      for entry in entries.reversed() where lines.count < Self.shownLines {
        guard let text = try LogSentence(entry, in: db).html else { continue }
        lines.append(
          Activity.Line(
            sequence: entry.sequence, author: entry.author, date: entry.date, text: text))
      }
      return Activity(lines: lines)
    }
  }
}
