import Apus
import ApusHistory
import CSQLiteBench

/// Workloads that undo the deletion of 31,000 rows. They are compared with the deletion itself on
/// the C side, because an undo should take only a little longer than the change.
extension Workload {
  static let undoneDeletions = Workload(
    name: "W21", title: "undo 31,000 deleted rows in memory; C deletes them", operations: 31_000
  ) { try undo(in: $0, isLogged: false) }

  static let undoneDeletionsOfLog = Workload(
    name: "W21l", title: "undo 31,000 deleted rows by the log; C deletes them and logs that",
    operations: 31_000
  ) { try undo(in: $0, isLogged: true) }

  private static func undo(in fixture: Fixture, isLogged: Bool) throws -> Sides {
    let (database, connection) = (fixture.database, fixture.connection)
    try createLoggedNotes(in: fixture)
    if !isLogged {
      try database.migrate([PlainNote.self])
      try connection.execute(
        "CREATE TABLE PlainNote (id INTEGER PRIMARY KEY NOT NULL, title TEXT NOT NULL, "
          + "stars INTEGER NOT NULL) STRICT")
    }
    let table = isLogged ? "LoggedNote" : "PlainNote"
    let history =
      isLogged
      ? try History(of: [LoggedNote.self], inLogOf: database)
      : try History(of: [PlainNote.self], in: database)
    let rows = """
      WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 31000) \
      INSERT INTO \(table) SELECT i, 'a title of ' || i, i % 5 FROM n
      """
    let refill: () throws -> Void = { [unowned fixture] in
      try database.execute(SQL(unsafe: "DELETE FROM \(table)"))
      try database.log.purge(keeping: .init(count: 0))
      try connection.execute("DELETE FROM \(table)")
      try connection.execute("DELETE FROM \"change\"")
      try database.execute(SQL(unsafe: rows))
      try connection.execute(rows)
      try history.write { try $0.execute(SQL(unsafe: "DELETE FROM \(table) WHERE stars >= 0")) }
      try fixture.checkpoint()
    }
    return Sides(
      c: Side(prepare: refill) {
        try connection.execute("DELETE FROM \(table) WHERE stars >= 0")
        return Int(sqlite3_changes(connection.handle))
      },
      apus: Side(prepare: refill) {
        try history.undo()
        return try database.row(SQL(unsafe: "SELECT count(*) FROM \(table)"))?.get(at: 0) ?? 0
      })
  }
}

/// A row whose changes are recorded in memory only.
private struct PlainNote: Model {
  @PrimaryKey var id: Int64
  @Column var title: String
  @Column var stars = 0
}
