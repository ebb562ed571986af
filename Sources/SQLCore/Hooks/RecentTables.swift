#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// What is known of the tables that the pre-update hook told of last, found without making a
/// `String` of their names.
///
/// The hook gives the same pointer for all rows of a table; after a change of the schema it may be
/// another table's, and so the names themselves are compared as well, which are short.
///
/// It owns memory: `removeAll()` frees it.
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
  /// As many as one statement with its triggers writes, most often.
  private static let capacity = 4

  package init() {}

  /// What was noted of the table whose row changes; nil where nothing was.
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

  /// Notes something of the table whose row changes, in the place of what was noted longest ago.
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
  }

  /// Forgets everything.
  package mutating func removeAll() {
    guard let entries else { return }
    for index in 0..<count { entries[index].free() }
    entries.deallocate()
    self = RecentTables()
  }

  private func copy(_ name: UnsafePointer<CChar>) -> UnsafeMutablePointer<CChar> {
    let length = strlen(name) + 1
    let copy = UnsafeMutablePointer<CChar>.allocate(capacity: length)
    copy.initialize(from: name, count: length)
    return copy
  }
}
