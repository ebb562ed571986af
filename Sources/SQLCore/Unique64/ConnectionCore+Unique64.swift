import CSQLite

/// The facts that a connection knows about the mark in its database file. The mark is a number that
/// no generated id in the file exceeds. It makes sure that no id is used twice.
///
/// A generator remembers its last id only in memory. A file in which ids were stored therefore
/// keeps a mark in the table `apus_unique64`. No id that was ever stored in the file is greater
/// than the mark. This holds for ids in all columns, and for ids whose row was deleted. The writer
/// moves the mark in the transaction that stores the ids. It moves the mark half a second beyond
/// the last id, so that this costs at most two statements a second. Opening the file moves the
/// generator past the mark.
///
/// The table has no key, so that sessions do not record it.
struct UniqueIDMark {
  /// Whether ids of the generator were stored in the file.
  var isUsed = false
  /// The time part of the mark in the file, in ticks; 0 if the mark is not known yet.
  var ticks: Int64 = 0

  static let table = "apus_unique64"
  /// Half a second.
  static let reserve = Unique64.ticksPerSecond / 2
  /// Integers up to this one are never regarded as ids of a generator. An id with this value would
  /// have been made in 2003.
  @inline(__always) static var leastID: Int64 { 1 << 58 }

  static let creation: SQL = """
    CREATE TABLE IF NOT EXISTS "apus_unique64" ("last" INTEGER NOT NULL)
    """
}

extension ConnectionCore {
  /// Moves the generator past the ids that were stored in the file. Runs one statement if the table
  /// of the mark exists; otherwise runs none.
  func readUniqueIDMark() {
    let column = sqlite3_table_column_metadata(
      handle, "main", UniqueIDMark.table, "last", nil, nil, nil, nil, nil)
    // If the table does not exist, there is no mark. If the schema cannot be read, no statement can
    // store an id either.
    guard column == SQLITE_OK else { return }
    state.pointee.uniqueIDs.isUsed = true
    let generator = Unique64.generator
    let mark = try? integer(
      "SELECT max(\"last\") FROM main.\"apus_unique64\" WHERE \"last\" <= ?",
      binding: generator.advanceLimit.rawValue)
    if let mark { generator.advance(past: Unique64(rawValue: mark)) }
  }

  /// Checks an integer that is bound to a statement. If the generator may have made it as an id,
  /// records that the mark is needed.
  @inline(__always)
  func noteBound(_ integer: Int64) {
    if integer > UniqueIDMark.leastID { noteUniqueID(integer) }
  }

  @inline(never)
  private func noteUniqueID(_ integer: Int64) {
    guard !state.pointee.uniqueIDs.isUsed, !isReader,
      Unique64.generator.mayHaveMade(Unique64(rawValue: integer))
    else { return }
    state.pointee.uniqueIDs.isUsed = true
  }

  /// Moves the mark in the file past all ids that were made so far. This is called before a write
  /// ends.
  func keepUniqueIDMark() throws {
    let generator = Unique64.generator
    guard generator.lastTicks > state.pointee.uniqueIDs.ticks,
      sqlite3_txn_state(handle, "main") == SQLITE_TXN_WRITE,
      state.pointee.remote == nil, sqlite3_db_filename(handle, "main")?.pointee ?? 0 != 0
    else { return }
    let ticks = min(generator.lastTicks + UniqueIDMark.reserve, Unique64.maximumTicks)
    let (mark, limit) = (Unique64(ticks: ticks, tag: -1).rawValue, generator.advanceLimit.rawValue)
    let rowID = lastInsertRowID
    defer { lastInsertRowID = rowID }
    let connection = lend()
    // A greater mark in the file was written by another process, and is kept. A mark above the
    // limit is damaged, and is replaced.
    let update: SQL = """
      UPDATE main."apus_unique64" SET "last" = CASE WHEN "last" BETWEEN \(mark) AND \(limit) \
      THEN "last" ELSE \(mark) END
      """
    do {
      try connection.execute(update)
    } catch let error as DatabaseError where error.message.hasPrefix("no such table") {
      switch configuration.schemaPolicy {
      case .validated, .locked: return
      case .automatic, .lockedTables: try connection.execute(UniqueIDMark.creation)
      }
      try connection.execute(update)
    }
    if changeCount == 0 {
      try connection.execute("INSERT INTO main.\"apus_unique64\" (\"last\") VALUES (\(mark))")
    }
    state.pointee.uniqueIDs.ticks = ticks
  }
}
