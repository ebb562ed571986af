#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The place of a copy: where a path leads, behind all links.
struct CopyPlace {
  /// The path as it was given, for messages.
  private let given: String
  /// The path behind symbolic links: what they point to is replaced, not they.
  let path: String

  /// What belongs to a database file beside it: SQLite would apply what it finds there.
  static let companions = ["-journal", "-wal", "-shm"]

  /// Finds out where an absolute path leads. Throws `.cannotOpen` where no file can stand there.
  init(_ path: String, given: String) throws {
    self.given = given
    let status = FileStatus(following: path)
    guard status?.isFile ?? true, !path.hasSuffix("/") else {
      throw DatabaseError(
        code: .cannotOpen,
        message: "\(given) is \(status?.noun ?? "a folder"), and a copy needs the path of a file")
    }
    self.path = try Self.resolved(path, given: given)
    guard status == nil || FileStatus(self.path)?.identity == status?.identity else {
      throw DatabaseError(
        code: .cannotOpen, message: "\(given) is a file without a name, which cannot be replaced")
    }
  }

  /// The path behind all links, of what is there and of what is not there yet.
  private static func resolved(_ path: String, given: String) throws -> String {
    var path = path
    for _ in 0..<40 {
      if let resolved = realPath(path) { return resolved }
      let folder = FileStatus.folder(of: path)
      guard let realFolder = realPath(folder) else {
        let reason = String(cString: strerror(errno))
        throw DatabaseError(
          code: .cannotOpen, message: "\(given): its folder \(folder) cannot be used: \(reason)")
      }
      let place = (realFolder == "/" ? "" : realFolder) + "/" + FileStatus.name(of: path)
      guard let target = FileStatus.target(ofLink: place) else { return place }
      path = target.hasPrefix("/") ? target : realFolder + "/" + target
    }
    throw DatabaseError(code: .cannotOpen, message: "\(given): its links lead in a circle")
  }

  private static func realPath(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// Throws misuse where a copy would come into the place of a database that is open, or of what
  /// belongs to it, or would take one of its files for what belongs to the copy.
  func requireApart(from databases: [String]) throws {
    for database in databases {
      let files = [database] + Self.companions.map { database + $0 }
      if FileStatus.isSame(database, path) {
        throw DatabaseError.misuse("\(given) is the source of the copy itself; name another file")
      }
      guard !files.contains(where: { FileStatus.isSame($0, path) }), !isCompanion(of: database)
      else {
        throw DatabaseError.misuse(
          "\(given) belongs to the source of the copy, \(database); name another file")
      }
      for companion in Self.companions.map({ path + $0 })
      where files.contains(where: { FileStatus.isSame($0, companion) }) {
        throw DatabaseError.misuse(
          "\(companion), which belongs to a database \(given), is the source of the copy or a file "
            + "of it; name another file")
      }
    }
  }

  /// Whether the name is that of a file which SQLite makes beside a database, also where there is
  /// none now. Case makes no difference: it makes none to some file systems.
  private func isCompanion(of database: String) -> Bool {
    let folder = FileStatus(following: FileStatus.folder(of: path))?.identity
    guard let folder,
      FileStatus(following: FileStatus.folder(of: database))?.identity == folder
    else { return false }
    let name = FileStatus.name(of: path).lowercased()
    let source = FileStatus.name(of: database).lowercased()
    guard name.hasPrefix(source) else { return false }
    let suffix = name.dropFirst(source.count)
    return Self.companions.contains(String(suffix)) || Self.isSuperJournal(suffix)
  }

  /// Whether a suffix is that of a super-journal, which joins the journals of attached files: `-mj`
  /// and nine digits, of which the seventh is a 9.
  /// - SeeAlso: <https://www.sqlite.org/tempfiles.html#super_journal_files>
  private static func isSuperJournal(_ suffix: Substring) -> Bool {
    guard suffix.hasPrefix("-mj") else { return false }
    let digits = Array(suffix.dropFirst(3))
    return digits.count == 9 && digits[6] == "9" && digits.allSatisfy(\.isHexDigit)
  }
}
