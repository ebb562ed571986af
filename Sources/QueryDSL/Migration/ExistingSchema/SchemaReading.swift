import SQLCore

/// The schema of a database, read by one statement and compared on the way with what models
/// declare.
///
/// Most often the two are equal. Then no definition is copied or parsed.
struct SchemaReading {
  private let entries: [ExistingSchema.Entry]
  /// Whether the existing definitions equal the declared ones character by character, no index or
  /// trigger stands beside them, and nothing is left to drop.
  let isExact: Bool

  init(of connection: Connection, for declared: Declarations) throws {
    let definitions = declared.definitions
    var entries: [ExistingSchema.Entry] = []
    entries.reserveCapacity(definitions.count)
    var next = 0
    var found = 0
    var hasOthers = false
    try connection.forEach("SELECT type, name, tbl_name, sql FROM sqlite_schema") { row in
      // A file that Apus made has its definitions in the declared order.
      if let index = try definitions.index(of: row, expecting: next) {
        entries.append(definitions[index])
        next = index + 1
        found += 1
      } else if let entry = try ExistingSchema.Entry(row) {
        entries.append(entry)
        hasOthers = hasOthers || definitions.areJoined(by: entry)
      }
    }
    self.entries = entries
    isExact =
      found == definitions.count && !hasOthers && definitions.areComplete
      && (declared.removals.isEmpty
        || declared.isWithoutRemovals(in: ExistingSchema(entries: entries)))
  }

  var schema: ExistingSchema { ExistingSchema(entries: entries) }
}
