import CSQLiteBench

// The program of `SmallApus`, written with the C API. The sizes of the two are compared.

struct Note {
  var id: Int64
  var text: String
}

struct Failure: Error {
  let code: Int32
}

func check(_ code: Int32, _ expected: Int32 = SQLITE_OK) throws {
  guard code == expected else { throw Failure(code: code) }
}

func withStatement<Result>(
  _ handle: OpaquePointer?, _ sql: String, _ body: (OpaquePointer) throws -> Result
) throws -> Result {
  var statement: OpaquePointer?
  try check(sqlite3_prepare_v2(handle, sql, -1, &statement, nil))
  defer { sqlite3_finalize(statement) }
  guard let statement else { throw Failure(code: SQLITE_MISUSE) }
  return try body(statement)
}

@main
enum SmallC {
  static func main() throws {
    var handle: OpaquePointer?
    try check(sqlite3_open_v2(":memory:", &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nil))
    defer { sqlite3_close(handle) }
    try withStatement(handle, "CREATE TABLE Note (id INTEGER PRIMARY KEY, text TEXT NOT NULL)") {
      try check(sqlite3_step($0), SQLITE_DONE)
    }
    try withStatement(handle, "INSERT INTO Note (id, text) VALUES (?, ?)") { statement in
      sqlite3_bind_int64(statement, 1, 1)
      try check(csqlite_bench_bind_text(statement, 2, "small", 5))
      try check(sqlite3_step(statement), SQLITE_DONE)
    }
    let notes = try withStatement(handle, "SELECT id, text FROM Note") { statement in
      var notes: [Note] = []
      while sqlite3_step(statement) == SQLITE_ROW {
        guard let text = sqlite3_column_text(statement, 1) else { continue }
        notes.append(Note(id: sqlite3_column_int64(statement, 0), text: String(cString: text)))
      }
      return notes
    }
    print(notes[0].text)
  }
}
