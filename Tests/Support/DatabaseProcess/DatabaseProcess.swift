import Dispatch
import SQLCore
import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A process of its own that uses a database, for tests with several processes.
///
/// - `add path count`: commits `count` transactions, each of one row.
/// - `step path count sql`: runs the SQL `count` times; the SQL contains its own transactions.
/// - `hold path`: takes the write lock.
/// - `read path`: holds a snapshot.
/// - `commit path`: writes rows from many tasks until it is killed, and prints the id of each one
///   after its write returned.
/// - `wander folder other`: opens a relative path in the folder, makes the other one the working
///   folder, and prints what it reads afterwards.
/// - `exhaust path`: has the system allow no more files, and prints the error of opening the
///   database.
///
/// `hold` and `read` print a line, wait until they read one, and then end.
@main
enum DatabaseProcess {
  static func main() {
    let arguments = CommandLine.arguments
    // An asynchronous `main` would end the main thread at once. On Linux, libdispatch then opens a
    // file, and traps if no more files are allowed.
    if arguments.count > 2, arguments[1] == "exhaust" { return exhaust(arguments[2]) }
    Task {
      await runOrSayWhy(arguments)
      exit(0)
    }
    dispatchMain()
  }

  private static func runOrSayWhy(_ arguments: [String]) async {
    do {
      try await run(arguments)
    } catch {
      // Random SQL may violate a constraint. A program that traps would print a backtrace.
      say("failed: \(error)")
      exit(1)
    }
  }

  private static func run(_ arguments: [String]) async throws {
    guard arguments.count > 2 else {
      return say("usage: add|step|hold|read|commit path [count [sql]]")
    }
    if arguments[1] == "wander" {
      return try await wander(from: arguments[2], to: arguments[3])
    }
    // Other processes write as well, for as long as that takes.
    var configuration = Configuration()
    configuration.busyTimeout = .seconds(3_600)
    let db = try Database(path: arguments[2], configuration: configuration)
    switch arguments[1] {
    case "add": try add(arguments.count > 3 ? Int(arguments[3]) ?? 1 : 1, to: db)
    case "step":
      let sql = SQL(unsafe: arguments[4])
      for _ in 0..<(Int(arguments[3]) ?? 0) {
        try await db.writeWithoutTransaction { try $0.execute(sql) }
      }
      say("done")
    case "hold": try hold(db)
    case "read": try read(db)
    case "commit": try await commit(to: db)
    default: say("unknown command \(arguments[1])")
    }
  }

  /// Prints a line at once; `print` would keep it in a buffer, since the output is not a terminal.
  private static func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = write(1, bytes, bytes.count)
  }

  private static func add(_ count: Int, to db: Database) throws {
    for _ in 0..<count { try db.execute("INSERT INTO item (name) VALUES ('child')") }
    say("done")
  }

  private static func hold(_ db: Database) throws {
    try db.write { tx in
      try tx.execute("INSERT INTO item (name) VALUES ('held')")
      say("held")
      _ = readLine()
      try tx.requestRollback()
    }
  }

  private static func read(_ db: Database) throws {
    try db.read { connection in
      say("\(try connection.fetch(Int.self, "SELECT count(*) FROM item"))")
      _ = readLine()
      say("\(try connection.fetch(Int.self, "SELECT count(*) FROM item"))")
    }
  }

  private static func wander(from folder: String, to other: String) async throws {
    let db = try open(in: folder)
    _ = chdir(other)
    try readAndCopy(db)
    let names: SQL = "SELECT name FROM item"
    for try await name in db.stream(String.self, names) { say("stream \(name)") }
    let chunks = db.blobChunks(table: "item", column: "name", rowID: 1)
    for try await chunk in chunks { say("chunk \(String(decoding: chunk, as: UTF8.self))") }
  }

  /// Opens databases by relative paths.
  private static func open(in folder: String) throws -> Database {
    _ = chdir(folder)
    var configuration = Configuration()
    configuration.prepareConnection = { try $0.attach(path: "attached.sqlite", as: "attached") }
    let db = try Database(path: "data.sqlite", configuration: configuration)
    try db.writeWithoutTransaction { connection in
      try connection.execute(
        """
        CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT);
        INSERT INTO item (name) VALUES ('first');
        CREATE TABLE IF NOT EXISTS attached.note (name TEXT);
        INSERT INTO attached.note VALUES ('first')
        """)
    }
    return db
  }

  private static func readAndCopy(_ db: Database) throws {
    let names: SQL = "SELECT name FROM item"
    say("path \(db.path ?? "none")")
    say("read \(try db.fetch(String.self, names))")
    say("attached \(try db.fetch(String.self, "SELECT name FROM note"))")
    say("snapshot \(try db.makeSnapshot().fetch(String.self, names))")
    try db.backup(to: "copy.sqlite")
    try db.vacuum(into: "vacuumed.sqlite")
  }

  private static func exhaust(_ path: String) {
    #if canImport(Glibc)
      let resource = Int32(RLIMIT_NOFILE.rawValue)
    #else
      let resource = RLIMIT_NOFILE
    #endif
    // The standard streams, and no other file. If the files were used up instead, another thread could
    // close one of its own before the database is opened.
    var limit = rlimit()
    getrlimit(resource, &limit)
    limit.rlim_cur = 3
    setrlimit(resource, &limit)
    do {
      _ = try Database(path: path)
      say("opened")
    } catch {
      say("\(error)")
    }
  }

  private static let lastID = Atomic(0)

  private static func commit(to db: Database) async throws {
    let last = try await db.fetch(Int.self, "SELECT coalesce(max(id), 0) FROM item").first ?? 0
    lastID.store(last, ordering: .relaxed)
    try await withThrowingTaskGroup { group in
      for _ in 0..<32 {
        group.addTask {
          while true {
            let id = lastID.wrappingAdd(1, ordering: .relaxed).newValue
            try await db.write { try $0.execute("INSERT INTO item (id) VALUES (\(id))") }
            say("\(id)")
          }
        }
      }
      try await group.waitForAll()
    }
  }
}
