import SQLCore

extension WriteFrame {
  /// Separates the entries of the change log: an entry that another program left open ends when a
  /// write begins, and the entry of the write ends with it.
  ///
  /// A trigger cannot see where a transaction ends. It adds to the open entry, or begins one.
  ///
  /// The first write after the file was opened or replaced begins an epoch.
  static func changeLog(of tables: [TableDefinition]) -> WriteFrame {
    WriteFrame(for: PresentNames(of: tables)) { core in
      try ignoringMissingLog { try close(on: core) }
    } end: { core in
      try ignoringMissingLog {
        guard let label = core.writeLabel else { return try close(on: core) }
        try core.lend().execute(
          """
          UPDATE "apus_log_entry" SET "isOpen" = 0, "label" = coalesce("label", \(label)) \
          WHERE "sequence" = \(unsafe: LogTables.newest) AND "isOpen"
          """)
      }
    }
  }

  private static func close(on core: ConnectionCore) throws {
    try core.run(cached: LogTables.closing) { try core.noteLogEpoch($0) }
  }

  /// The file has no log before the first migration, or after an older copy has replaced it.
  private static func ignoringMissingLog(_ body: () throws -> Void) throws {
    do {
      try body()
    } catch let error as DatabaseError
      where error.code == .error && error.message.hasPrefix("no such table")
    {}
  }
}

extension ConnectionCore {
  /// The present names of what the models of this database have renamed.
  var presentNames: PresentNames { frameContext as? PresentNames ?? PresentNames() }
}
