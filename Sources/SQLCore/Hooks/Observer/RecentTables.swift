#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A small cache of the tables that the pre-update hook reported most recently. With each table, it
/// stores a number that the caller gives. A lookup makes no `String` of the table's name.
///
/// The hook passes the same pointer for all rows of a table. After a schema change, the pointer may
/// belong to another table, so the names are also compared. This costs little, because names are
/// short.
///
/// The cache owns memory; `removeAll()` frees it.
package struct RecentTables {
  private struct Entry {
    var pointer: UnsafePointer<CChar>
    let database: UnsafeMutablePointer<CChar>
    let table: UnsafeMutablePointer<CChar>
    let value: Int

    func free() {
      database.deallocate()
      table.deallocate()
    }
  }

  private var entries: UnsafeMutablePointer<Entry>?
  private var count = 0
  private var nextPlace = 0
  /// The maximum number of tables in the cache. Most statements, with their triggers, write to no
  /// more than four tables.
  private static let capacity = 4

  package init() {}

  /// Returns the number that was stored for the table of the changing row; nil if no number was
  /// stored.
  package func value(of event: borrowing PreUpdateEvent) -> Int? {
    guard let entries else { return nil }
    for index in 0..<count where entries[index].pointer == event.table {
      if strcmp(entries[index].table, event.table) == 0,
        strcmp(entries[index].database, event.database) == 0
      {
        return entries[index].value
      }
    }
    return nil
  }

  /// Stores a number for the table of the changing row. The table must not have a number yet. If
  /// the cache is full, the oldest table is removed.
  package mutating func note(_ value: Int, of event: borrowing PreUpdateEvent) {
    let entries = self.entries ?? .allocate(capacity: Self.capacity)
    self.entries = entries
    let entry = Entry(
      pointer: event.table, database: copy(event.database), table: copy(event.table), value: value)
    if count == Self.capacity {
      entries[nextPlace].free()
      entries[nextPlace] = entry
    } else {
      (entries + nextPlace).initialize(to: entry)
      count += 1
    }
    nextPlace = (nextPlace + 1) % Self.capacity
    #if DEBUG
      InvariantChecks.run { try checkInvariants() }
    #endif
  }

  /// Removes all entries and frees their memory.
  package mutating func removeAll() {
    guard let entries else { return }
    for index in 0..<count { entries[index].free() }
    entries.deallocate()
    self = RecentTables()
  }

  #if DEBUG
    /// Throws unless each table has one entry.
    package func checkInvariants() throws {
      try InvariantChecks.require(
        (0...Self.capacity).contains(count) && (0..<Self.capacity).contains(nextPlace),
        "\(count) tables are noted")
      guard let entries else { return }
      let keys = (0..<count).map { index in
        let entry = entries[index]
        return "\(entry.pointer) \(String(cString: entry.database)).\(String(cString: entry.table))"
      }
      try InvariantChecks.require(Set(keys).count == count, "a table is noted twice: \(keys)")
    }
  #endif

  private func copy(_ name: UnsafePointer<CChar>) -> UnsafeMutablePointer<CChar> {
    let length = strlen(name) + 1
    let copy = UnsafeMutablePointer<CChar>.allocate(capacity: length)
    copy.initialize(from: name, count: length)
    return copy
  }
}
