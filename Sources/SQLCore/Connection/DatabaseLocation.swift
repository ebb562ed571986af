import CSQLite

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Where a database is: in a file, or in what one connection has for itself.
package enum DatabaseLocation: Hashable, Sendable {
  case file(DatabaseFile)
  /// In memory, or in a temporary file without a name: what SQLite is told to open. A second
  /// connection would open another database.
  case unshared(name: String)

  /// The memory of this process.
  package static var memory: DatabaseLocation { .unshared(name: ":memory:") }

  /// What a path means, or a URI: `":memory:"` and the empty path mean what they mean to SQLite.
  ///
  /// A relative path is one in the working folder, or in `folder`. A path that begins with `file:`
  /// is a URI, however SQLite was built.
  package init(path: String, in folder: String? = nil) throws {
    guard !path.utf8.contains(0) else {
      throw DatabaseError(code: .cannotOpen, message: "a path cannot hold U+0000")
    }
    let uri = try DatabaseURI(path)
    guard !path.isEmpty, path != ":memory:", uri?.isUnshared != true else {
      self = .unshared(name: path)
      return
    }
    self = .file(
      try DatabaseFile(path: uri?.path ?? path, in: folder ?? DatabaseFile.currentFolder, uri: uri))
  }

  var isFile: Bool {
    if case .file = self { true } else { false }
  }

  /// The working folder when the path was given.
  var workingFolder: String? {
    if case .file(let file) = self { file.workingFolder } else { nil }
  }

  /// The configuration, where a URI says less of what may be done: `mode=ro`, `immutable=1`.
  func restricting(_ configuration: Configuration) -> Configuration {
    guard case .file(let file) = self else { return configuration }
    return file.restricting(configuration)
  }

  /// The same location, whose further connections open the very file that one has open.
  func asOpened(by core: ConnectionCore) throws -> DatabaseLocation {
    guard case .file(let file) = self else { return self }
    return .file(try file.asOpened(by: core.handle))
  }

  /// Opens a connection; a reader creates no file.
  func open(_ configuration: Configuration, isReader: Bool) throws -> OpaquePointer {
    switch self {
    case .file(let file):
      return try file.open(
        isReadOnly: configuration.isReadOnly, isImmutable: configuration.isImmutable,
        creates: !isReader)
    case .unshared(let name):
      let flags =
        configuration.isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
      var opened: OpaquePointer?
      let code = sqlite3_open_v2(name, &opened, flags | DatabaseFile.commonFlags, nil)
      guard code == SQLITE_OK, let handle = opened else {
        defer { sqlite3_close_v2(opened) }
        throw DatabaseError(code: code, handle: opened)
      }
      return handle
    }
  }

  /// Adds to an error of opening which file it was, why it failed, and what may help.
  func describe(_ error: DatabaseError, _ configuration: Configuration, on handle: OpaquePointer)
    -> DatabaseError
  {
    guard case .file(let file) = self else { return error }
    return OpeningFailure(
      file: file, isReadOnly: configuration.isReadOnly, systemError: sqlite3_system_errno(handle),
      isOpen: true
    ).describe(error)
  }
}

extension DatabaseFile {
  /// URIs are read in ATTACH as well, however SQLite was built; the path of the file itself is
  /// absolute, and none.
  static var commonFlags: Int32 {
    SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_URI
  }

  /// Opens a connection to the file.
  func open(
    isReadOnly: Bool = false, isImmutable: Bool = false, creates: Bool = true
  ) throws -> OpaquePointer {
    let creates = creates && mayCreate && !isReadOnly && !isImmutable
    if opened == nil { try requireFile(creates: creates) }
    if isImmutable { try requireNothingPending() }
    var flags = isReadOnly || isImmutable ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE
    if creates { flags |= SQLITE_OPEN_CREATE }
    var connection: OpaquePointer?
    // What is noted of an error is the last one of the system, which may be an old one.
    errno = 0
    let code = sqlite3_open_v2(
      name(isImmutable: isImmutable), &connection, flags | Self.commonFlags, nil)
    guard code == SQLITE_OK, let handle = connection else {
      defer { sqlite3_close_v2(connection) }
      throw OpeningFailure(
        file: self, isReadOnly: isReadOnly, systemError: connection.map(sqlite3_system_errno) ?? 0,
        isOpen: false
      ).describe(DatabaseError(code: code, handle: connection))
    }
    do {
      try opened?.check(handle, path: path)
    } catch {
      sqlite3_close_v2(handle)
      throw error
    }
    return handle
  }

  /// Throws for what is no file: SQLite would wait for a pipe, and take a device for an empty file.
  private func requireFile(creates: Bool) throws {
    guard uri == nil, let status = FileStatus(following: path), !status.isFile else { return }
    throw OpeningFailure(
      file: self, isReadOnly: !creates, systemError: 0, isOpen: false
    ).describe(DatabaseError(code: .cannotOpen, message: "unable to open database file"))
  }
}
