import CSQLite

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Connection {
  /// Returns the content of a database as the bytes of a database file: a copy of all its pages,
  /// held in memory.
  ///
  /// The copy is never in WAL mode, even if the database is. Throws `DatabaseError` if the
  /// connection has no database of this name.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/serialize.html>
  public func serialize(database: String = "main") throws -> Data {
    let core = try use()
    try core.requireLocal("`serialize`")
    var count: Int64 = 0
    guard let memory = sqlite3_serialize(core.handle, database, &count, 0) else {
      // A database in memory that has no pages yet has no bytes either.
      guard core.databaseExists(database), count <= 0 else {
        throw DatabaseError(
          code: .error,
          message: "the database \(database) cannot be serialized: it does not exist, or there is "
            + "not enough memory")
      }
      return Data()
    }
    defer { sqlite3_free(memory) }
    var data = Data(bytes: memory, count: Int(count))
    // These bytes are the file format's write and read versions. The value 2 means WAL, which is
    // not possible in memory.
    for index in 18...19 where data.count > index && data[index] == 2 { data[index] = 1 }
    return data
  }

  /// Replaces the content of a database in memory by the bytes of a database file.
  ///
  /// Throws misuse inside a transaction, or if the database is a file or does not exist. Throws
  /// `.notADatabase` if the bytes are not a database, and `.cannotOpen` if they come from a file in
  /// WAL mode; this never happens with bytes from `serialize`.
  ///
  /// If `isReadOnly` is true, the errors `.notADatabase` and `.cannotOpen` are not thrown by this
  /// method, but by the first read of the database. The connection must not have used a
  /// table-valued function, such as `json_each`, before this call. The bytes are copied once if
  /// `isReadOnly` is true, and twice if it is false.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/deserialize.html>
  public func deserialize(
    _ data: Data, into database: String = "main", isReadOnly: Bool = false
  ) throws {
    let core = try use()
    try core.requireLocal("`deserialize`")
    try core.checkWriting()
    guard core.databaseExists(database),
      sqlite3_db_filename(core.handle, database).map({ $0.pointee == 0 }) ?? true
    else {
      throw DatabaseError.misuse(
        "\(database) is a file or does not exist; `deserialize` needs a database in memory")
    }
    guard !core.isInTransaction else {
      throw DatabaseError.misuse(
        "a database cannot be deserialized inside a transaction; end the transaction first")
    }
    if isReadOnly {
      try core.check(core.deserialize(data, on: core.handle, into: database, isReadOnly: true))
    } else {
      try core.check(core.copy(data, into: database))
    }
    // SQLite compiles a statement again only if the version of the schema has changed. If
    // `isReadOnly` is true, the new content may have other tables but the same version. The cached
    // statements are therefore removed.
    core.evictStatements()
    core.noteReplacedContent()
  }
}

extension ConnectionCore {
  /// Lets SQLite read a copy of the bytes as a database. Returns SQLite's code.
  fileprivate func deserialize(
    _ data: Data, on handle: OpaquePointer?, into database: String, isReadOnly: Bool
  ) -> Int32 {
    guard let memory = sqlite3_malloc64(UInt64(max(1, data.count))) else { return SQLITE_NOMEM }
    data.withUnsafeBytes { bytes in
      if let start = bytes.baseAddress { memory.copyMemory(from: start, byteCount: bytes.count) }
    }
    let flags =
      SQLITE_DESERIALIZE_FREEONCLOSE
      | (isReadOnly ? SQLITE_DESERIALIZE_READONLY : SQLITE_DESERIALIZE_RESIZEABLE)
    // SQLite frees the memory, even if it returns an error.
    return sqlite3_deserialize(
      handle, database, memory.assumingMemoryBound(to: UInt8.self), Int64(data.count),
      Int64(data.count), UInt32(flags))
  }

  /// Copies the bytes of a database into a database of this connection. Returns SQLite's code.
  ///
  /// `sqlite3_deserialize` on this connection would leave pointers to the former schema in
  /// table-valued functions that were used before, such as `json_each`, and their next use could
  /// crash the program. After a backup, such pointers stay valid.
  fileprivate func copy(_ data: Data, into database: String) -> Int32 {
    var source: OpaquePointer?
    defer { sqlite3_close_v2(source) }
    let opened = sqlite3_open_v2(":memory:", &source, SQLITE_OPEN_READWRITE, nil)
    guard opened == SQLITE_OK else { return opened }
    let read = deserialize(data, on: source, into: "main", isReadOnly: false)
    guard read == SQLITE_OK else { return read }
    guard let backup = sqlite3_backup_init(handle, database, source, "main") else {
      return sqlite3_errcode(handle)
    }
    sqlite3_backup_step(backup, -1)
    let code = sqlite3_backup_finish(backup)
    // A backup cannot change the page size of a database in memory, and then returns
    // SQLITE_READONLY. In this case, the bytes are deserialized on this connection instead.
    guard code == SQLITE_READONLY else { return code }
    return deserialize(data, on: handle, into: database, isReadOnly: false)
  }

  /// Records that the content of the database was replaced. SQLite calls no hook for this.
  func noteReplacedContent() {
    state.pointee.isContentReplaced = true
    state.pointee.strictTables = [:]
  }

  fileprivate func databaseExists(_ name: String) -> Bool {
    sqlite3_db_readonly(handle, name) >= 0
  }
}
