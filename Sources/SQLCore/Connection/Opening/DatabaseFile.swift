import CSQLite

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The file of a database, identified so that every connection opens the same file.
///
/// The path is absolute, so that a later change of the working folder has no effect. Once the first
/// connection is open, later connections open the same file, by the path that SQLite found when it
/// resolved all links. They never create a file.
package struct DatabaseFile: Hashable, Sendable {
  /// The path as it was given, prefixed with the working folder if it was relative.
  package let path: String
  /// The working folder when the path was given; nil if it did not exist.
  let workingFolder: String?
  /// The parameters of the URI, if the path was given as a URI, such as `file:data.sqlite?vfs=…`.
  private(set) var uri: URIParameters?
  /// The file that the first connection opened; nil before that.
  private(set) var opened: OpenedFile?

  /// The parameters of a URI, which are passed to SQLite each time the file is opened.
  struct URIParameters: Hashable, Sendable {
    /// `ro`, `rw` or `rwc`; nil if the URI has no mode.
    var mode: String?
    var isImmutable = false
    /// The other parameters: names and values alternately.
    var others: [String] = []
  }

  /// Creates a file from an absolute path.
  init(path: String, workingFolder: String? = nil) {
    self.path = path
    self.workingFolder = workingFolder
  }

  init(path: String, in workingFolder: String?, uri: DatabaseURI? = nil) throws {
    self.path = try Self.absolute(path, in: workingFolder)
    self.workingFolder = workingFolder
    guard var uri else { return }
    let mode = uri["mode"]
    guard mode.map({ ["ro", "rw", "rwc"].contains($0) }) ?? true else {
      throw DatabaseURI.refusal(path, "the mode of a URI must be ro, rw, rwc or memory")
    }
    let isImmutable = uri.isTrue("immutable")
    uri.remove("mode")
    uri.remove("immutable")
    self.uri = URIParameters(
      mode: mode, isImmutable: isImmutable, others: uri.parameters.flatMap { [$0.name, $0.value] })
  }

  /// Returns a path, prefixed with a folder if it is relative. Links and `..` remain; the system
  /// and SQLite resolve them.
  static func absolute(_ path: String, in folder: String?) throws -> String {
    guard !path.hasPrefix("/") else { return path }
    guard let folder else {
      throw DatabaseError(
        code: .cannotOpen,
        message: "\(path): the path is relative, and the working folder of the process no longer "
          + "exists; give an absolute path")
    }
    return folder.hasSuffix("/") ? folder + path : folder + "/" + path
  }

  /// The working folder of the process; nil if it was deleted, or if its name is not valid UTF-8.
  static var currentFolder: String? {
    guard let name = getcwd(nil, 0) else { return nil }
    defer { free(name) }
    return String(validatingCString: name)
  }

  /// Returns the configuration, made read-only or immutable if the URI demands it.
  func restricting(_ configuration: Configuration) -> Configuration {
    var configuration = configuration
    if uri?.mode == "ro" { configuration.isReadOnly = true }
    if uri?.isImmutable == true { configuration.isImmutable = true }
    return configuration
  }

  /// Whether the first connection may create the file.
  var mayCreate: Bool { uri?.mode != "rw" && uri?.mode != "ro" && opened == nil }

  /// The path that connections open: the resolved path of the file, once it is known.
  package var realPath: String { opened?.path ?? path }

  /// Returns the name of the file for `sqlite3_open_v2`: a path or a URI.
  func name(isImmutable: Bool) -> String {
    var name = DatabaseURI(path: realPath)
    let others = uri?.others ?? []
    for index in stride(from: 0, to: others.count, by: 2) {
      name = name.adding(others[index], others[index + 1])
    }
    if isImmutable { name = name.adding("immutable", "1") }
    return name.parameters.isEmpty ? realPath : name.text(path: realPath)
  }

  /// The name of the file for an ATTACH statement. The name contains the mode as a parameter,
  /// because ATTACH has no flags that could give the mode.
  var attachedName: String {
    var name = DatabaseURI(path: path)
    let others = uri?.others ?? []
    for index in stride(from: 0, to: others.count, by: 2) {
      name = name.adding(others[index], others[index + 1])
    }
    // The mode `rwc` is left out for two reasons. It is the default of a connection that may create
    // files. SQLite refuses it on a connection that may not create files.
    if let mode = uri?.mode, mode != "rwc" { name = name.adding("mode", mode) }
    if uri?.isImmutable == true { name = name.adding("immutable", "1") }
    return name.parameters.isEmpty ? path : name.text(path: path)
  }

  /// Returns a copy of this value that also identifies the file that the given connection has
  /// opened. All connections that are opened with the copy must open the same file.
  func asOpened(by handle: OpaquePointer) throws -> DatabaseFile {
    guard opened == nil else { return self }
    var file = self
    file.opened = try OpenedFile(of: handle, path: path)
    return file
  }
}

/// The file that the first connection of a database opened.
struct OpenedFile: Hashable, Sendable {
  /// The path after all links are resolved.
  let path: String
  private let identity: FileStatus.Identity

  /// Identifies the file that a connection has open. Returns nil if the database is not in a file
  /// of the file system. Throws `.cannotOpen` if another file has replaced this file in the
  /// meantime.
  init?(of handle: OpaquePointer, path: String) throws {
    guard let name = sqlite3_db_filename(handle, "main"), name.pointee != 0 else { return nil }
    self.path = String(cString: name)
    guard let identity = FileStatus(following: self.path)?.identity else { return nil }
    self.identity = identity
    guard !Self.hasMoved(handle) else {
      throw DatabaseError(
        code: .cannotOpen,
        message: "\(path): another file replaced it while it was being opened; open it again")
    }
  }

  /// Throws unless a newly opened connection has opened the same file as the first connection.
  func check(_ handle: OpaquePointer, path: String) throws {
    guard FileStatus(following: self.path)?.identity == identity, !Self.hasMoved(handle) else {
      throw DatabaseError(
        code: .cannotOpen,
        message: "\(path): the file at this path is no longer the one that this database has open, "
          + "which was moved, deleted or replaced; close the database, and open it again")
    }
  }

  /// Returns whether the path no longer leads to the file that a connection has open.
  ///
  /// - SeeAlso: <https://www.sqlite.org/c3ref/c_fcntl_begin_atomic_write.html>
  private static func hasMoved(_ handle: OpaquePointer) -> Bool {
    var hasMoved: Int32 = 0
    let code = sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved)
    return code == SQLITE_OK && hasMoved != 0
  }
}

extension DatabaseFile {
  // MARK: Opening

  /// The flags with which every connection opens. They include `SQLITE_OPEN_URI`, so that ATTACH
  /// accepts URIs regardless of SQLite's compile-time options. The path of the database itself is
  /// absolute, so it cannot be mistaken for a URI.
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
    // SQLite stores `errno` together with an error. Without this line, the value might be left over
    // from an earlier system call.
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

  // MARK: Immutable files

  /// Throws if a log or a journal beside the file holds changes. SQLite neither reads the log of an
  /// immutable file nor rolls back its journal.
  func requireNothingPending() throws {
    // SQLite keeps the log beside the file, not beside a link to it.
    let resolved = realpath(realPath, nil)
    defer { free(resolved) }
    let place = resolved.map { String(cString: $0) } ?? realPath
    for suffix in ["-wal", "-journal"] {
      // A journal that begins with a zero byte holds no changes. SQLite writes zeros over the
      // beginning of a journal that it keeps for reuse.
      guard let first = Self.firstByte(of: place + suffix), first != 0 else { continue }
      throw DatabaseError(
        code: .cannotOpen,
        message: "\(path): \(place)\(suffix) holds changes that are not in the file yet; "
          + "before you open the file as immutable, open it once for writing and close it")
    }
  }

  /// Returns the first byte of a file; nil if the file is empty or does not exist.
  private static func firstByte(of path: String) -> UInt8? {
    let descriptor = Self.openToRead(path)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var byte: UInt8 = 0
    return read(descriptor, &byte, 1) == 1 ? byte : nil
  }

  /// Calls the system's function `open`. The name of its module is needed, because this type has
  /// its own method `open`.
  private static func openToRead(_ path: String) -> Int32 {
    #if canImport(Darwin)
      Darwin.open(path, O_RDONLY | O_CLOEXEC)
    #elseif canImport(Glibc)
      Glibc.open(path, O_RDONLY | O_CLOEXEC)
    #elseif canImport(Musl)
      Musl.open(path, O_RDONLY | O_CLOEXEC)
    #endif
  }
}
