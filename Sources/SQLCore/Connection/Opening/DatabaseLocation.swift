import CSQLite

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The location of a database: a file, an unshared database that only one connection can use, or an
/// engine outside of this process.
package enum DatabaseLocation: Hashable, Sendable {
  case file(DatabaseFile)
  /// In memory, or in a temporary file without a name. `name` is passed to SQLite as the file name,
  /// such as `:memory:`. A second connection with this name would open a different database.
  case unshared(name: String)
  /// In an engine outside of this process, such as a cluster. The SQLite of this process has only a
  /// copy of the schema.
  case remote(RemoteDatabase)

  /// A database in the memory of this process.
  package static var memory: DatabaseLocation { .unshared(name: ":memory:") }

  /// Creates a location from a path or a URI. `":memory:"` and the empty path have the same meaning
  /// as in SQLite.
  ///
  /// A relative path is resolved against `folder` or, if `folder` is nil, against the working
  /// folder. A path that begins with `file:` is always a URI, regardless of SQLite's compile-time
  /// options. Throws `.cannotOpen` for a path that cannot be used.
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

  /// The working folder when the path was given; nil if it did not exist, or if the database is not
  /// a file.
  var workingFolder: String? {
    if case .file(let file) = self { file.workingFolder } else { nil }
  }

  /// Returns the configuration, made read-only or immutable if a URI has `mode=ro` or
  /// `immutable=1`.
  func restricting(_ configuration: Configuration) -> Configuration {
    guard case .file(let file) = self else { return configuration }
    return file.restricting(configuration)
  }

  /// Returns a copy of this location that also identifies the file that `core` has opened. All
  /// connections that are opened with the copy must open the same file.
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

  /// Returns the given error, which was thrown while the database was opened, with a message that
  /// adds the path, the cause and advice.
  func describe(_ error: DatabaseError, _ configuration: Configuration, on handle: OpaquePointer)
    -> DatabaseError
  {
    guard case .file(let file) = self else { return error }
    return OpeningFailure(
      file: file, isReadOnly: configuration.isReadOnly, systemError: sqlite3_system_errno(handle),
      isOpen: true, isUnlocked: configuration.unlockConnection != nil
    ).describe(error)
  }
}

/// A file URI as SQLite reads it, such as `file:data.sqlite?mode=ro`.
///
/// - SeeAlso: <https://www.sqlite.org/uri.html>
struct DatabaseURI {
  /// The path, percent-decoded; relative if the URI has a relative path.
  let path: String
  /// The parameters after the question mark, percent-decoded.
  private(set) var parameters: [(name: String, value: String)]

  /// Parses a URI. Returns nil for a plain path, and throws `.cannotOpen` for a URI that SQLite
  /// would refuse.
  init?(_ text: String) throws {
    guard text.hasPrefix("file:") else { return nil }
    var rest = Array(text.utf8.dropFirst("file:".utf8.count))[...]
    if rest.starts(with: "//".utf8) {
      let authority = rest.dropFirst(2).prefix { $0 != UInt8(ascii: "/") }
      guard authority.isEmpty || authority.elementsEqual("localhost".utf8) else {
        throw Self.refusal(
          text, "the authority of a URI, between `//` and the path, must be empty or localhost")
      }
      rest = rest.dropFirst(2 + authority.count)
    }
    rest = rest.prefix { $0 != UInt8(ascii: "#") }
    let path = rest.prefix { $0 != UInt8(ascii: "?") }
    self.path = try Self.decoded(path, in: text)
    parameters = try rest.dropFirst(path.count + 1).split(separator: UInt8(ascii: "&")).map {
      part in
      let name = part.prefix { $0 != UInt8(ascii: "=") }
      let value = part.dropFirst(name.count + 1)
      return (try Self.decoded(name, in: text), try Self.decoded(value, in: text))
    }
    // SQLite ignores a value without a name.
    parameters.removeAll { $0.name.isEmpty }
  }

  /// The value of a parameter; if it is given several times, the last value.
  subscript(name: String) -> String? {
    parameters.last { $0.name == name }?.value
  }

  mutating func remove(_ name: String) {
    parameters.removeAll { $0.name == name }
  }

  /// Whether SQLite keeps the database in memory, or in a file without a name.
  var isUnshared: Bool {
    path.isEmpty || path == ":memory:" || self["mode"] == "memory" || self["vfs"] == "memdb"
  }

  /// Returns whether a parameter is true for SQLite, such as `yes`, `on` or `1`.
  func isTrue(_ name: String) -> Bool {
    guard let value = self[name]?.lowercased() else { return false }
    return ["on", "yes", "true"].contains(value) || (Int(value) ?? 0) != 0
  }

  /// Returns a URI as text, with the given absolute path and the parameters of this URI.
  func text(path: String) -> String {
    let pairs = parameters.map { Self.encoded($0.name) + "=" + Self.encoded($0.value) }
    return "file://" + Self.encoded(path)
      + (pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&"))
  }

  static func refusal(_ text: String, _ reason: String) -> DatabaseError {
    DatabaseError(code: .cannotOpen, message: "\(text): \(reason)")
  }

  // MARK: Escapes

  private static func decoded(_ bytes: ArraySlice<UInt8>, in text: String) throws -> String {
    var decoded: [UInt8] = []
    var rest = bytes
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), rest.count >= 2, let high = digit(rest[rest.startIndex]),
        let low = digit(rest[rest.startIndex + 1])
      {
        decoded.append(high << 4 | low)
        rest = rest.dropFirst(2)
      } else {
        decoded.append(byte)
      }
    }
    // SQLite would ignore the rest of the text after U+0000.
    guard !decoded.contains(0) else { throw refusal(text, "a URI cannot hold U+0000") }
    guard let result = String(validating: decoded, as: UTF8.self) else {
      throw refusal(text, "the URI of a database must be valid UTF-8")
    }
    return result
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  private static func encoded(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "-"),
        UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "~"):
        bytes.append(byte)
      default:
        bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension DatabaseURI {
  /// Creates a URI without parameters.
  init(path: String) {
    self.path = path
    parameters = []
  }

  /// Returns a copy with one more parameter.
  func adding(_ name: String, _ value: String) -> DatabaseURI {
    var copy = self
    copy.parameters.append((name, value))
    return copy
  }
}
