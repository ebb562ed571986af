import SQLCore

/// A process of its own that uses a database, for tests of several processes.
///
/// `add path count`: that many transactions, each of one row. `hold path`: takes the write lock.
/// `read path`: holds a snapshot. The last two print a line, go on when one is read, and end.
@main
enum DatabaseProcess {
  static func main() throws {
    let arguments = CommandLine.arguments
    guard arguments.count > 2 else { return print("usage: add|hold|read path [count]") }
    let db = try Database(path: arguments[2])
    switch arguments[1] {
    case "add":
      for _ in 0..<(arguments.count > 3 ? Int(arguments[3]) ?? 1 : 1) {
        try db.execute("INSERT INTO item (name) VALUES ('child')")
      }
      print("done")
    case "hold":
      try db.write { tx in
        try tx.execute("INSERT INTO item (name) VALUES ('held')")
        print("held")
        _ = readLine()
        try tx.requestRollback()
      }
    case "read":
      try db.read { connection in
        print(try connection.fetch(Int.self, "SELECT count(*) FROM item"))
        _ = readLine()
        print(try connection.fetch(Int.self, "SELECT count(*) FROM item"))
      }
    default:
      print("unknown command \(arguments[1])")
    }
  }
}
