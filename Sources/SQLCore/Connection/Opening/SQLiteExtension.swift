import CSQLite

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A loadable extension of SQLite: a shared library that adds functions, virtual tables or
/// collations to a connection.
///
/// ```swift
/// var configuration = Configuration()
/// configuration.extensions = [SQLiteExtension(path: "/usr/lib/sqlite/vec0.so")]
/// let db = try Database(path: "posts.sqlite", configuration: configuration)
/// ```
///
/// An extension is machine code that runs inside the program, with all of the program's rights.
/// Load only libraries that you trust as much as the program itself.
/// - SeeAlso: <https://www.sqlite.org/loadext.html>
public struct SQLiteExtension: Hashable, Sendable {
  /// The path of the library. If a relative path was given, it is prefixed with the working folder
  /// at the time when the value was created. A name without a slash is looked up by the system's
  /// linker.
  public let path: String
  /// The name of the function that SQLite calls in the library; nil if SQLite chooses the name.
  public let entryPoint: String?

  /// Creates a value that names a library.
  ///
  /// - Parameters:
  ///   - path: the path of the library. SQLite adds `.so`, `.dylib` or `.dll` if there is no file
  ///     of this name.
  ///   - entryPoint: the name of the function that SQLite calls. If it is nil, SQLite tries
  ///     `sqlite3_extension_init`, and then a name made from the file's name: `sqlite3_vec_init`
  ///     for `vec0.so`.
  public init(path: String, entryPoint: String? = nil) {
    let folder = DatabaseFile.currentFolder
    self.path =
      path.contains("/") ? (try? DatabaseFile.absolute(path, in: folder)) ?? path : path
    self.entryPoint = entryPoint
  }
}

/// An error thrown when an extension of SQLite cannot be loaded. The connection does not open, and
/// nothing in the database was read or changed.
/// - SeeAlso: <https://www.sqlite.org/loadext.html>
public struct ExtensionError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The reasons why an extension cannot be loaded.
  public enum Reason: Hashable, Sendable {
    /// There is no file at the path.
    case missingFile
    /// The system cannot load the file: it is not a library, was built for another kind of
    /// processor, or needs a library that is missing.
    case notLoadable
    /// The library has no function with the name of the entry point.
    case missingEntryPoint
    /// The entry point returned an error.
    case failed
    /// The SQLite of this system cannot load extensions.
    case unsupported
  }

  /// The reason why the extension was not loaded.
  public let reason: Reason
  /// The path of the library that was not loaded.
  public let path: String
  /// The entry point that the configuration names; nil if SQLite chose it.
  public let entryPoint: String?
  /// The explanation that the system or SQLite gives, and advice.
  public let message: String

  /// The path and the message.
  public var description: String { "the extension \(path) was not loaded: \(message)" }
}

extension ConnectionCore {
  /// Loads the extensions of the configuration, in their order. Throws `ExtensionError` for the
  /// first that cannot be loaded.
  ///
  /// Loading is allowed only during these calls. SQLite has a second switch for the SQL function
  /// `load_extension`, which stays off.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/c_dbconfig_defensive.html>
  func loadExtensions() throws {
    guard !configuration.extensions.isEmpty else { return }
    csqlite_db_config(handle, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 1)
    defer { csqlite_db_config(handle, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0) }
    for library in configuration.extensions { try load(library) }
  }

  private func load(_ library: SQLiteExtension) throws {
    guard SQLiteLibrary.Feature.extensions.isAvailable else {
      throw ExtensionError(
        reason: .unsupported, path: library.path, entryPoint: library.entryPoint,
        message: "SQLite \(SQLiteLibrary.version), which this program uses, "
          + "\(SQLiteLibrary.Feature.extensions.shortcoming); link another one")
    }
    #if !canImport(Darwin)
      guard !library.path.utf8.contains(0), library.entryPoint?.utf8.contains(0) != true else {
        throw ExtensionError(
          reason: .missingFile, path: library.path, entryPoint: library.entryPoint,
          message: "a path or name must not contain U+0000")
      }
      var text: UnsafeMutablePointer<CChar>?
      let code = sqlite3_load_extension(handle, library.path, library.entryPoint, &text)
      defer { sqlite3_free(text) }
      guard code != SQLITE_OK else { return }
      throw library.failure(code, text.map { String(cString: $0) } ?? "")
    #endif
  }
}

#if !canImport(Darwin)
  extension SQLiteExtension {
    /// Returns the error for a failed call of `sqlite3_load_extension`.
    ///
    /// SQLite tries the path with the suffix `.so` last, and returns the system's message for that
    /// path. This method therefore tries to load the existing file itself, to get the system's
    /// message about that file.
    fileprivate func failure(_ code: Int32, _ said: String) -> ExtensionError {
      let tried = [path, path + ".so"]
      let file = tried.first { FileStatus(following: $0) != nil }
      func error(_ reason: ExtensionError.Reason, _ message: String) -> ExtensionError {
        ExtensionError(
          reason: reason, path: file ?? path, entryPoint: entryPoint, message: message)
      }
      if path.contains("/"), file == nil {
        return error(
          .missingFile, "there is no such file; install it, or correct `Configuration.extensions`")
      }
      if file.map({ FileStatus(following: $0)?.isFile == false }) == true {
        return error(.notLoadable, "it is not a file; name the library itself")
      }
      guard let library = tried.lazy.compactMap({ dlopen($0, RTLD_NOW | RTLD_LOCAL) }).first else {
        _ = dlopen(file ?? path, RTLD_NOW | RTLD_LOCAL)
        let reason = dlerror().map { String(cString: $0) } ?? said
        return error(
          .notLoadable,
          "the system says “\(reason)”; use a library that was built for this system and processor, "
            + "and install the libraries that it needs")
      }
      defer { dlclose(library) }
      // The library was loaded. Either it has no function with the name of the entry point, or this
      // function returned an error. SQLite puts a prefix before the text of such an error.
      let prefix = "error during initialization: "
      guard said.hasPrefix(prefix) else {
        let advice =
          entryPoint == nil
          ? "name the function that begins it: `SQLiteExtension(path:entryPoint:)`"
          : "its documentation names the function, or `nm -D` lists all of them"
        return error(.missingEntryPoint, "the system says “\(said)”; \(advice)")
      }
      let reason = String(said.dropFirst(prefix.count))
      return error(
        .failed,
        reason.isEmpty ? "it returned the code \(code)" : "its entry point failed: \(reason)")
    }
  }
#endif
