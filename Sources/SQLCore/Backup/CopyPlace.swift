#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The place where a copy is written: the file to which a path leads after all symbolic links are
/// followed.
struct CopyPlace {
  /// The path as the caller gave it. Error messages contain this path.
  private let given: String
  /// The path with symbolic links resolved. If the path is a link, the copy replaces the target of
  /// the link, not the link.
  let path: String

  /// The suffixes of the files that SQLite keeps beside a database file. If SQLite found such a
  /// file beside a copy, it would apply the file to the copy.
  static let companions = ["-journal", "-wal", "-shm"]

  /// Resolves all symbolic links of an absolute path. Throws `.cannotOpen` if a copy cannot be a
  /// file at this path, for example because the path leads to a folder.
  init(_ path: String, given: String) throws {
    self.given = given
    let status = FileStatus(following: path)
    guard status?.isFile ?? true, !path.hasSuffix("/") else {
      throw DatabaseError(
        code: .cannotOpen,
        message: "\(given) is \(status?.noun ?? "a folder"); a copy needs the path of a file")
    }
    self.path = try Self.resolved(path, given: given)
    guard status == nil || FileStatus(self.path)?.identity == status?.identity else {
      throw DatabaseError(
        code: .cannotOpen,
        message: "\(given) leads to a file without a name, which cannot be replaced; "
          + "give another path")
    }
  }

  /// Resolves all links in a path, whether or not the file at its end exists.
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

  /// Throws `.misuse` in these cases:
  ///
  /// - The copy would replace one of the given databases or one of its companion files, such as its
  ///   log.
  /// - One of these files has the name of a companion file of the copy. For example, SQLite would
  ///   take a source named `copy.sqlite-wal` for the log of the copy `copy.sqlite`.
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
          "\(companion) is the source of the copy or belongs to it, but SQLite would take it for a "
            + "file of \(given); name another file")
      }
    }
  }

  /// Returns whether the copy has a name that SQLite may give to a log or journal of a database.
  /// Case is ignored, because some file systems ignore it.
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

  /// Returns whether a suffix marks a super-journal, which is the file that links the journals of
  /// attached files. Such a suffix is `-mj` with nine hexadecimal digits. The seventh digit is 9.
  /// - SeeAlso: <https://www.sqlite.org/tempfiles.html#super_journal_files>
  private static func isSuperJournal(_ suffix: Substring) -> Bool {
    guard suffix.hasPrefix("-mj") else { return false }
    let digits = Array(suffix.dropFirst(3))
    return digits.count == 9 && digits[6] == "9" && digits.allSatisfy(\.isHexDigit)
  }
}
