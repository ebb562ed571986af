import Apus
import Foundation
import ToolOutput

/// An explanation, in words for users, of why a file cannot be used. The library's errors address
/// programmers.
package struct FileProblem {
  package let path: String

  package init(path: String) {
    self.path = path
  }

  /// Calls a closure. If the closure throws an error of SQLite whose cause is the file, throws a
  /// sentence about the file in place of this error.
  package func explaining<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as DatabaseError {
      throw words(for: error).map { ReadableError($0) } ?? error
    }
  }

  private func words(for error: DatabaseError) -> String? {
    switch error.code.primary {
    case .notADatabase: "\(path) is not an SQLite database"
    case .corrupt:
      "\(path) is damaged: \(error.message); `apus check` shows where, and `sqlite3 FILE .recover` "
        + "saves what can be read"
    case .busy, .locked: "\(path) is locked by another program; try again when that has ended"
    case .cannotOpen: cause ?? "\(path) cannot be opened"
    case .ioError: cause
    case .readOnly where Self.isUnfinished(error): unfinishedJournal.map(words)
    case .readOnly: isWritable ? nil : notWritable
    case .full: "there is no space left for \(path), or for temporary files"
    default: nil
    }
  }

  // MARK: The file cannot be opened

  private var literal: String { FileArgument.literal(path) }

  /// The reason why the file cannot be opened; nil if the reason is not known.
  private var cause: String? {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: literal, isDirectory: &isFolder) else {
      if let target = try? FileManager.default.destinationOfSymbolicLink(atPath: literal) {
        return "\(path) is a link to \(target), which does not exist"
      }
      return "\(path.orQuotes) does not exist"
    }
    if isFolder.boolValue { return "\(path) is a folder, not a file" }
    if !FileManager.default.isReadableFile(atPath: literal) {
      return "\(path) cannot be read: its permissions do not allow it"
    }
    guard FileManager.default.isWritableFile(atPath: folder) else {
      return
        "\(path) cannot be opened, because SQLite has to create files beside it, and its folder "
        + "cannot be written; copy the file and those beside it (-wal) into another folder"
    }
    return nil
  }

  private var folder: String {
    URL(filePath: literal).resolvingSymlinksInPath().deletingLastPathComponent().path
  }

  private var isWritable: Bool { FileManager.default.isWritableFile(atPath: literal) }

  private var notWritable: String {
    "\(path) cannot be written: its permissions do not allow it"
  }

  // MARK: Unfinished transactions

  /// Returns whether an error says that a read-only connection could not play back a journal or a
  /// log. These errors are SQLITE_READONLY_RECOVERY, SQLITE_READONLY_CANTLOCK,
  /// SQLITE_READONLY_ROLLBACK and SQLITE_READONLY_CANTINIT.
  /// - SeeAlso: <https://www.sqlite.org/rescode.html#readonly_rollback>
  static func isUnfinished(_ error: DatabaseError) -> Bool {
    [264, 520, 776, 1_288].contains(error.code.rawValue)
  }

  /// The path of a journal or log that must be played back before the file can be read, because a
  /// program ended in the middle of a transaction. Nil if there is no such journal or log.
  private var unfinishedJournal: String? {
    let file = URL(filePath: literal).resolvingSymlinksInPath().path
    return ["-journal", "-wal"].map { file + $0 }.first { name in
      ((try? FileManager.default.attributesOfItem(atPath: name)[.size] as? Int) ?? 0) > 0
    }
  }

  private func words(for journal: String) -> String {
    "\(path) was left in the middle of a transaction, and \(journal) must be played back, which "
      + "needs permission to write both; copy them into a folder of yours, and open the copy"
  }

  /// Plays back the journal that a program left when it ended in the middle of a transaction.
  /// Returns false if there is no such journal. Throws if playing it back is not safe or not
  /// permitted.
  func recover() throws -> Bool {
    guard let journal = unfinishedJournal else { return false }
    // If the transaction changed several files, the journal names another file, the super-journal.
    // SQLite would delete the file with this name.
    guard try !isPartOfSeveral(journal) else {
      throw ReadableError(
        "\(path) was left in the middle of a transaction of several files; if you trust it, "
          + "`sqlite3 \(path) .tables` plays \(journal) back")
    }
    do {
      // The file is attached to another connection, because an attached file keeps its journal
      // mode.
      let connection = try Connection()
      try connection.attach(path: literal, as: "file")
      _ = try connection.row("SELECT count(*) FROM file.sqlite_schema")
    } catch let error as DatabaseError where error.code.primary != .busy {
      throw ReadableError(words(for: journal))
    }
    ErrorOutput.write(
      "note: \(path) was left in the middle of a transaction, which has been rolled back")
    return true
  }

  /// Returns whether a journal ends with the name of a super-journal. Only a transaction that
  /// changes several files has a super-journal.
  /// - SeeAlso: <https://www.sqlite.org/fileformat2.html#the_rollback_journal>
  private func isPartOfSeveral(_ journal: String) throws -> Bool {
    guard let file = FileHandle(forReadingAtPath: journal) else { return false }
    defer { try? file.close() }
    let size = try file.seekToEnd()
    guard size >= 8 else { return false }
    try file.seek(toOffset: size - 8)
    let end = try file.read(upToCount: 8) ?? Data()
    return end == Data([0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7])
  }
}
