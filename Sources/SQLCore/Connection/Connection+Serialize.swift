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
  /// Throws misuse inside a transaction, or if the database is a file or does not exist. If the
  /// bytes are not a database, the first read of the database throws `.notADatabase`. If they are
  /// those of a file in WAL mode, it throws `.cannotOpen`; the bytes from `serialize` never are.
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
    guard let memory = sqlite3_malloc64(UInt64(max(1, data.count))) else {
      throw DatabaseError(
        code: .outOfMemory, message: "there is not enough memory for \(data.count) bytes")
    }
    data.withUnsafeBytes { bytes in
      if let start = bytes.baseAddress { memory.copyMemory(from: start, byteCount: bytes.count) }
    }
    let flags =
      SQLITE_DESERIALIZE_FREEONCLOSE
      | (isReadOnly ? SQLITE_DESERIALIZE_READONLY : SQLITE_DESERIALIZE_RESIZEABLE)
    // SQLite frees the memory, even if it returns an error.
    try core.check(
      sqlite3_deserialize(
        core.handle, database, memory.assumingMemoryBound(to: UInt8.self), Int64(data.count),
        Int64(data.count), UInt32(flags)))
    core.noteReplacedContent()
  }
}

extension ConnectionCore {
  /// Records that the content of the database was replaced, for which SQLite calls no hook.
  func noteReplacedContent() {
    state.pointee.isContentReplaced = true
    state.pointee.strictTables = [:]
  }

  fileprivate func databaseExists(_ name: String) -> Bool {
    sqlite3_db_readonly(handle, name) >= 0
  }
}
