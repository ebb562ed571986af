import Apus
import ApusHistory
import CSQLiteBench

/// A row whose changes are logged.
struct LoggedNote: Model {
  @PrimaryKey var id: Int64
  @Column var title: String
  @Column var stars = 0

  static var schema: Schema<LoggedNote> { Logged() }
}

/// The log of the C side, as a programmer would write it by hand: triggers insert a row for each
/// change, with the old and the new values.
private let loggedByHand = """
  CREATE TABLE "change" (id INTEGER PRIMARY KEY, time INTEGER, kind TEXT, note INTEGER,
    old_title TEXT, new_title TEXT, old_stars INTEGER, new_stars INTEGER);
  CREATE TRIGGER note_insert AFTER INSERT ON "LoggedNote" BEGIN
    INSERT INTO "change" (time, kind, note, new_title, new_stars)
    VALUES (strftime('%s', 'now'), 'insert', new.id, new.title, new.stars);
  END;
  CREATE TRIGGER note_update AFTER UPDATE ON "LoggedNote" BEGIN
    INSERT INTO "change" (time, kind, note, old_title, new_title, old_stars, new_stars)
    VALUES (strftime('%s', 'now'), 'update', new.id, old.title, new.title, old.stars, new.stars);
  END;
  CREATE TRIGGER note_delete AFTER DELETE ON "LoggedNote" BEGIN
    INSERT INTO "change" (time, kind, note, old_title, old_stars)
    VALUES (strftime('%s', 'now'), 'delete', old.id, old.title, old.stars);
  END;
  """

extension Workload {
  static let loggedWrites = Workload(
    name: "W20", title: "5,000 transactions of an insert and an update into a logged table",
    operations: 5_000, target: .c(1.5)
  ) { fixture in
    let (database, connection) = (fixture.database, fixture.connection)
    try createLoggedNotes(in: fixture)
    let clear: () throws -> Void = { [unowned fixture] in
      try database.execute("DELETE FROM LoggedNote")
      try database.log.purge(keeping: .init(count: 0))
      try connection.execute("DELETE FROM LoggedNote")
      try connection.execute("DELETE FROM \"change\"")
      try fixture.checkpoint()
    }
    return Sides(
      c: Side(prepare: clear) {
        try connection.withStatement(
          #"INSERT INTO "LoggedNote" ("id", "title", "stars") VALUES (?, 'title', 0)"#
        ) { insertion in
          try connection.withStatement(
            #"UPDATE "LoggedNote" SET "stars" = 1 WHERE "id" = ?"#
          ) { update in
            for id in 0..<Int64(5_000) {
              try connection.transaction("BEGIN IMMEDIATE") {
                for statement in [insertion, update] {
                  sqlite3_bind_int64(statement, 1, id)
                  guard sqlite3_step(statement) == SQLITE_DONE else {
                    throw CError(code: sqlite3_reset(statement))
                  }
                  try check(sqlite3_reset(statement))
                }
              }
            }
            return 5_000
          }
        }
      },
      apus: Side(prepare: clear) {
        for id in 0..<Int64(5_000) {
          try database.write { connection in
            var note = LoggedNote(id: id, title: "title")
            try connection.insert(note)
            note.stars = 1
            try connection.update(note)
          }
        }
        return 5_000
      })
  }

  /// Creates the logged table in the files of Apus and of the C side.
  static func createLoggedNotes(in fixture: Fixture) throws {
    try fixture.database.migrate([LoggedNote.self])
    let table = try fixture.database.row(
      "SELECT sql FROM sqlite_schema WHERE name = 'LoggedNote'")?[
        "sql", as: String.self]
    try fixture.connection.execute(table ?? "")
    try fixture.connection.execute(loggedByHand)
  }
}
