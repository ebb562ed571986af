import CSQLite

extension SQLiteLibrary {
  /// A part of SQLite that a build of the library may lack.
  ///
  /// ```swift
  /// guard SQLiteLibrary.Feature.sessions.isAvailable else { return }
  /// ```
  ///
  /// A program starts even if the library lacks such a part, and can check at run time which parts
  /// the library has. A call that needs a missing part throws a `DatabaseError` or an
  /// `ExtensionError` that names the part.
  /// - SeeAlso: <https://www.sqlite.org/compile.html>
  public enum Feature: String, CaseIterable, Sendable {
    /// The hook that reports each row before it changes (`SQLITE_ENABLE_PREUPDATE_HOOK`). Without
    /// it, observation reports only the names of the changed tables, and undo in memory is not
    /// possible.
    case preUpdateHook
    /// Sessions and changesets (`SQLITE_ENABLE_SESSION`).
    case sessions
    /// The table and column from which a result column comes (`SQLITE_ENABLE_COLUMN_METADATA`).
    case columnMetadata
    /// Loading extensions (absent with `SQLITE_OMIT_LOAD_EXTENSION`, and on Apple's systems).
    case extensions
    /// Encrypted files, as in SQLCipher and other builds of SQLite that encrypt.
    case encryption

    /// Whether the library has this part. The check costs one comparison of an address.
    public var isAvailable: Bool {
      switch self {
      case .preUpdateHook: csqlite_has_preupdate_hook() != 0
      case .sessions: csqlite_has_sessions() != 0
      case .columnMetadata: csqlite_has_column_metadata() != 0
      case .extensions: csqlite_has_extensions() != 0
      case .encryption: csqlite_has_encryption() != 0
      }
    }

    /// Throws if the library lacks this part.
    package func require(for purpose: String) throws {
      guard !isAvailable else { return }
      throw DatabaseError(
        code: .error,
        message: "\(purpose) is not possible: SQLite \(SQLiteLibrary.version), which this program "
          + "uses, \(shortcoming); link another SQLite, or ask "
          + "`SQLiteLibrary.Feature.\(rawValue).isAvailable` first")
    }

    /// The reason why the library lacks this part.
    var shortcoming: String {
      switch self {
      case .preUpdateHook: "was built without SQLITE_ENABLE_PREUPDATE_HOOK"
      case .sessions: "was built without SQLITE_ENABLE_SESSION"
      case .columnMetadata: "was built without SQLITE_ENABLE_COLUMN_METADATA"
      case .extensions: "was built without loadable extensions"
      case .encryption: "cannot encrypt files, as SQLCipher can"
      }
    }
  }
}
