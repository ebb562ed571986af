import CSQLite

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The place of a database: a file, or storage that only one connection can use.
package enum DatabaseLocation: Hashable, Sendable {
  case file(DatabaseFile)
  /// In memory, or in a temporary file without a name. `name` is the name that SQLite opens. A
  /// second connection would open another database.
  case unshared(name: String)
  /// Elsewhere: SQLite has only a copy of the schema.
  case remote(RemoteDatabase)

  /// A database in the memory of this process.
  package static var memory: DatabaseLocation { .unshared(name: ":memory:") }

  /// Creates a location from a path or a URI. `":memory:"` and the empty path have the same meaning
  /// as in SQLite.
  ///
  /// A relative path is resolved against `folder`, or else against the working folder. A path that
  /// begins with `file:` is always a URI, whatever the compile-time options of SQLite. Throws
  /// `.cannotOpen` for a path that cannot be used.
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

  /// Whether several connections can use the database.
  var isShared: Bool {
    if case .unshared = self { false } else { true }
  }

  var isRemote: Bool {
    if case .remote = self { true } else { false }
  }

  var isFile: Bool {
    if case .file = self { true } else { false }
  }

  /// The working folder when the path was given.
  var workingFolder: String? {
    if case .file(let file) = self { file.workingFolder } else { nil }
  }

  /// Returns the configuration, restricted by a URI with `mode=ro` or `immutable=1`.
  func restricting(_ configuration: Configuration) -> Configuration {
    guard case .file(let file) = self else { return configuration }
    return file.restricting(configuration)
  }

  /// Returns this location such that later connections open the very file that `core` has open.
  func asOpened(by core: ConnectionCore) throws -> DatabaseLocation {
    guard case .file(let file) = self else { return self }
    return .file(try file.asOpened(by: core.handle))
  }

  /// Opens a connection. A reader never creates the file.
  func open(_ configuration: Configuration, isReader: Bool) throws -> OpaquePointer {
    switch self {
    case .file(let file):
      return try file.open(
        isReadOnly: configuration.isReadOnly, isImmutable: configuration.isImmutable,
        creates: !isReader)
    case .remote:
      return try DatabaseLocation.memory.open(Configuration(), isReader: false)
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

  /// Returns an error of opening with the path, the cause and advice added.
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
  /// The flags of every connection. They include `SQLITE_OPEN_URI`, so that ATTACH accepts URIs
  /// whatever the compile-time options of SQLite. The path of the database itself is absolute, so
  /// it cannot be mistaken for a URI.
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
    // SQLite notes `errno` with an error, which may be left over from an earlier system call.
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

  /// Throws if the path leads to something other than a file. SQLite would wait for a pipe, and
  /// treat a device as an empty file.
  private func requireFile(creates: Bool) throws {
    guard uri == nil, let status = FileStatus(following: path), !status.isFile else { return }
    throw OpeningFailure(
      file: self, isReadOnly: !creates, systemError: 0, isOpen: false
    ).describe(DatabaseError(code: .cannotOpen, message: "unable to open database file"))
  }
}
