import CSQLite

/// A database that a connection uses: its own database (`main`), the database of its temporary
/// tables (`temp`), or an attached database.
/// - SeeAlso: <https://www.sqlite.org/pragma.html#pragma_database_list>
public struct AttachedDatabase: Hashable, Sendable {
  /// The name of the database in SQL, as in `name.table`. The connection's own database is `main`.
  public let name: String
  /// The path of the file; nil for a database in memory or in a temporary file.
  public let path: String?
  /// Whether the connection can only read the database.
  public let isReadOnly: Bool
}

extension Connection {
  /// Attaches a file, or `:memory:`, so that statements can use it in addition to the connection's
  /// own database.
  ///
  /// SQL: `ATTACH ? AS "name"`. The database stays attached to this connection until it is
  /// detached. To attach it to every connection of a pool, use `Configuration.prepareConnection`. A
  /// reader cannot attach a database. The connection of `writeWithoutTransaction { }` can attach
  /// one.
  ///
  /// A relative path is resolved against the current working folder. The closure
  /// `prepareConnection` is an exception: there, a relative path is resolved against the folder
  /// that was current when the database was opened. Each connection of the pool therefore attaches
  /// the same file. Throws `.cannotOpen` if the file cannot be opened. The readers of a pool never
  /// create the file.
  /// - SeeAlso: <https://www.sqlite.org/lang_attach.html>
  public func attach(path: String, as name: String) throws {
    let core = try use()
    guard
      case .file(let file) = try DatabaseLocation(
        path: path, in: core.state.pointee.attachingFolder)
    else { return try execute("ATTACH \(path) AS \(identifier: name)") }
    do {
      try execute("ATTACH \(file.attachedName) AS \(identifier: name)")
    } catch let error as DatabaseError where error.code.primary == .cannotOpen {
      throw OpeningFailure(
        file: file, isReadOnly: core.isReader || core.configuration.isReadOnly,
        systemError: sqlite3_system_errno(core.handle), isOpen: false
      ).describe(error)
    }
  }

  /// Detaches a database. SQL: `DETACH "name"`
  ///
  /// Throws `DatabaseError` while a statement or a transaction still uses the database.
  /// - SeeAlso: <https://www.sqlite.org/lang_detach.html>
  public func detach(_ name: String) throws {
    try execute("DETACH \(identifier: name)")
  }

  /// The databases of the connection: `main`, `temp`, and then the attached ones.
  public var databases: [AttachedDatabase] {
    get throws {
      let core = try use()
      var databases: [AttachedDatabase] = []
      var index: Int32 = 0
      while let name = sqlite3_db_name(core.handle, index) {
        let path = sqlite3_db_filename(core.handle, name).map { String(cString: $0) }
        databases.append(
          AttachedDatabase(
            name: String(cString: name), path: path?.isEmpty == false ? path : nil,
            isReadOnly: sqlite3_db_readonly(core.handle, name) == 1))
        index += 1
      }
      return databases
    }
  }
}

extension Connection {
  /// Gives SQLite the key of an encrypted file. Call this method in
  /// `Configuration.unlockConnection`, before anything reads the file.
  ///
  /// ```swift
  /// let secret = "open sesame"
  /// configuration.unlockConnection = { try $0.setEncryptionKey(secret.utf8) }
  /// ```
  ///
  /// If the file is new, it is encrypted with the key. If the key is wrong, the first read of the
  /// file throws `.notADatabase`. SQLCipher derives the actual key from the bytes of `key`, which
  /// takes a tenth of a second or more for each connection. If the bytes are the text `x'…'` with
  /// 64 hexadecimal digits, SQLCipher uses the digits as the key itself. The key is never part of
  /// SQL text, so errors and traces do not show it.
  ///
  /// Throws `DatabaseError` if the SQLite that the program uses cannot encrypt
  /// (`SQLiteLibrary.Feature.encryption`), or if the key is empty.
  /// - SeeAlso: <https://www.sqlite.org/see/doc/trunk/www/readme.wiki>
  /// - SeeAlso: <https://www.zetetic.net/sqlcipher/sqlcipher-api/#sqlite3_key>
  public func setEncryptionKey(
    _ key: some Sequence<UInt8>, ofDatabase database: String = "main"
  ) throws {
    let core = try use()
    try core.requireLocal("an encryption key")
    try SQLiteLibrary.Feature.encryption.require(for: "opening an encrypted database")
    let bytes = Array(key)
    guard !bytes.isEmpty, let count = Int32(exactly: bytes.count) else {
      throw DatabaseError.misuse(
        "an encryption key must have at least one byte, and less than 2 GiB")
    }
    let code = bytes.withUnsafeBytes { csqlite_key(core.handle, database, $0.baseAddress, count) }
    guard code == SQLITE_OK else {
      throw DatabaseError(
        code: ResultCode(rawValue: code),
        message: "the key of the database \(database) was not accepted; is there such a database?")
    }
  }
}
