import Apus

private let database = try? Database.inMemory()

/// Uses an input as the name of a table and a column, and as a value. The library must either
/// return it unchanged or throw an error.
func interpolate(_ bytes: [UInt8]) {
  guard let database else { return }
  let parts = bytes.split(separator: 0xFF, maxSplits: 1, omittingEmptySubsequences: false)
  let name = text(parts[0])
  let value = parts.count > 1 ? text(parts[1]) : name
  mayThrow {
    try database.write { tx in
      try tx.execute("CREATE TABLE \(identifier: name) (\(identifier: name) TEXT)")
      try tx.execute("INSERT INTO \(identifier: name) VALUES (\(value))")
      let rows = try tx.rows("SELECT \(identifier: name) FROM \(identifier: name)")
      expect(rows.map(\.values) == [[.text(value)]], "another value comes back")
      expect(rows[0].columnNames == [name], "another name comes back")
      try expect(
        tx.rows("SELECT name FROM sqlite_schema").map(\.values) == [[.text(name)]],
        "something else was made")
      try tx.requestRollback()
    }
  }
  mayThrow {
    try expect(
      database.row("SELECT \(value), \(bytes)")?.values
        == [.text(value), .blob(.init(bytes))], "another value comes back")
  }
}
