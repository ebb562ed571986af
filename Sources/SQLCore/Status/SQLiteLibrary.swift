import CSQLite

/// The SQLite library that this process uses.
/// - SeeAlso: <https://www.sqlite.org/c3ref/libversion.html>
public enum SQLiteLibrary {
  /// The version of the library, such as `3.40.1`.
  ///
  /// - SeeAlso: <https://www.sqlite.org/c3ref/libversion.html>
  public static var version: String { String(cString: sqlite3_libversion()) }

  /// The version as a number, such as 3040001 for 3.40.1.
  ///
  /// - SeeAlso: <https://www.sqlite.org/c3ref/libversion.html>
  public static var versionNumber: Int { Int(sqlite3_libversion_number()) }

  /// The options with which the library was compiled.
  ///
  /// - SeeAlso: <https://www.sqlite.org/compile.html>
  public static var compileOptions: [String] {
    var options: [String] = []
    while let option = sqlite3_compileoption_get(Int32(clamping: options.count)) {
      options.append(String(cString: option))
    }
    return options
  }
}
