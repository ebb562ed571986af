import CSQLite

/// A database of a connection: its own, which is called `main`, or an attached one.
/// - SeeAlso: <https://www.sqlite.org/pragma.html#pragma_database_list>
public struct AttachedDatabase: Hashable, Sendable {
  /// The name by which SQL addresses its tables: `name.table`.
  public let name: String
  /// The path of the file; nil for a database in memory.
  public let path: String?
  /// Whether it can only be read.
  public let isReadOnly: Bool
}

extension Connection {
  /// Attaches a file, or `:memory:`, so that statements can use it besides the connection's own
  /// database.
  ///
  /// SQL: `ATTACH ? AS "name"`. The database stays attached to this connection until it is
  /// detached. To attach it to every connection of a pool, use `Configuration.prepareConnection`. A
  /// reader cannot attach; `writeWithoutTransaction { }` can.
  ///
  /// A relative path is resolved against the working folder. In `prepareConnection` it is resolved
  /// against the folder that was the working folder when the database was opened, so that each
  /// connection attaches the same file. Throws `.cannotOpen` if the file cannot be opened; readers
  /// of a pool do not create it.
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

  /// The databases of the connection.
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
