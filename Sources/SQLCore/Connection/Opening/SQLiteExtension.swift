/// A loadable extension of SQLite: a shared library that adds functions, virtual tables or
/// collations to a connection.
///
/// ```swift
/// var configuration = Configuration()
/// configuration.extensions = [SQLiteExtension(path: "/usr/lib/sqlite/vec0.so")]
/// let db = try Database(path: "posts.sqlite", configuration: configuration)
/// ```
///
/// An extension is machine code that runs inside the program, with all of its rights. Load only
/// libraries that you trust as you trust the program itself.
/// - SeeAlso: <https://www.sqlite.org/loadext.html>
public struct SQLiteExtension: Hashable, Sendable {
  /// The path of the library. A relative path was completed with the folder that was the working
  /// folder when the value was made. A name without a slash is looked up by the system's linker.
  public let path: String
  /// The name of the function that SQLite calls in the library; nil for SQLite's own choice.
  public let entryPoint: String?

  /// Names a library.
  ///
  /// - Parameters:
  ///   - path: the path of the library. SQLite adds `.so`, `.dylib` or `.dll` if there is no file
  ///     of this name.
  ///   - entryPoint: the function that SQLite calls. If it is nil, SQLite tries
  ///     `sqlite3_extension_init`, and then a name that it makes of the file's name:
  ///     `sqlite3_vec_init` for `vec0.so`.
  public init(path: String, entryPoint: String? = nil) {
    let folder = DatabaseFile.currentFolder
    self.path =
      path.contains("/") ? (try? DatabaseFile.absolute(path, in: folder)) ?? path : path
    self.entryPoint = entryPoint
  }
}
