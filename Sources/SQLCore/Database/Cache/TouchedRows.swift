#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The rows that the writer has touched since its last commit, as the pre-update hook reports them.
///
/// They may be more than those that the commit changes, because a savepoint may have been rolled
/// back; an entry that is removed without need is read again.
struct TouchedRows {
  /// The touched rows of one table.
  struct Table {
    /// The name, in lower case.
    let name: String
    /// The name as the hook passes it, with the zero at its end.
    fileprivate let text: [CChar]
    /// The rowids before the change, of rows that were updated or deleted.
    fileprivate(set) var rowIDs: [Int64] = []
    /// Whether any row may be touched, because too many were.
    fileprivate(set) var isWhole = false
  }

  private var tables: [Table] = []
  /// The table that was touched last.
  private var last = 0
  /// Whether changes may have been made that the hook did not report: of the schema, by VACUUM, or
  /// while a session had the slot of the hook.
  private(set) var isUnknown = false

  /// The number of rows of a table from which on the whole table counts as touched.
  private static let maximumCount = 10_000

  /// The names of the tables with touched rows, in lower case.
  var tableNames: [String] { tables.map(\.name) }

  /// Returns the touched rows of a table; nil if it was not touched.
  func table(_ name: String) -> Table? {
    tables.first { $0.name == name }
  }

  /// Notes a row of the main database.
  ///
  /// - Parameter rowID: The rowid before the change; nil for an insertion.
  mutating func note(_ table: UnsafePointer<CChar>, rowID: Int64?) {
    if last >= tables.count || strcmp(tables[last].text, table) != 0 { last = place(of: table) }
    guard let rowID, !tables[last].isWhole else { return }
    guard tables[last].rowIDs.count < Self.maximumCount else {
      tables[last].isWhole = true
      tables[last].rowIDs = []
      return
    }
    tables[last].rowIDs.append(rowID)
  }

  /// Notes that changes may be made that the hook does not report.
  mutating func noteUnknown() { isUnknown = true }

  mutating func removeAll() {
    if !tables.isEmpty { tables.removeAll() }
    last = 0
    isUnknown = false
  }

  private mutating func place(of table: UnsafePointer<CChar>) -> Int {
    if let place = tables.firstIndex(where: { strcmp($0.text, table) == 0 }) { return place }
    tables.append(
      Table(
        name: String(cString: table).lowercasedASCII,
        text: Array(UnsafeBufferPointer(start: table, count: strlen(table) + 1))))
    return tables.count - 1
  }
}
