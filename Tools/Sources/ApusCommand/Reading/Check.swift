import Apus
import ArgumentParser
import ToolOutput

struct Check: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Looks for damage: in the file, in foreign keys and in full-text indexes.",
    discussion: """
      Full-text indexes can only be checked by a connection that may write. If the file has any, it \
      is copied into the temporary folder, and the copy is checked.

      The exit status is 3 if a fault was found, and 1 if the file could not be checked.

      EXAMPLES:
        apus check blog.sqlite
        apus check blog.sqlite --quick && echo fine
      """)

  @OptionGroup var file: FileArgument
  @Flag(help: "Do not compare indexes with their tables, which takes most of the time.")
  var quick = false
  @OptionGroup var options: OutputOptions

  func run() throws {
    let database = try file.open()
    var faults = try database.read { connection in
      try Self.damage(in: connection, isQuick: quick) + Self.brokenReferences(in: connection)
    }
    if faults.isEmpty { faults = try Self.brokenSearchIndexes(of: database) }
    let output = options.output()
    if output.format == .table, faults.isEmpty {
      return output.line("no fault was found", .green)
    }
    try output.rows(["kind", "table", "row", "fault"], faults)
    guard faults.isEmpty else {
      output.flush()
      throw ExitStatus.found
    }
  }

  private static func damage(
    in connection: Connection, isQuick: Bool
  ) throws -> [[DatabaseValue]] {
    var faults: [[DatabaseValue]] = []
    let pragma: SQL = isQuick ? "PRAGMA quick_check" : "PRAGMA integrity_check"
    try connection.forEachRow(of: pragma, names: { _ in }) { values in
      if values.first != .text("ok") { faults.append([.text("file"), .null, .null] + values) }
      return true
    }
    return faults
  }

  private static func brokenReferences(in connection: Connection) throws -> [[DatabaseValue]] {
    var faults: [[DatabaseValue]] = []
    // A foreign key to a table without such a key ends the check of all tables, so each is checked
    // by itself.
    for relation in try Relation.all(in: connection) where relation.kind == .table {
      do {
        let sql: SQL = """
          SELECT "table", rowid, "parent" FROM pragma_foreign_key_check(\(relation.name))
          """
        try connection.forEachRow(of: sql, names: { _ in }) { values in
          var target = ""
          if case .text(let name) = values[2] { target = name }
          faults.append([
            .text("foreign key"), values[0], values[1], .text("refers to no row of \(target)"),
          ])
          return true
        }
      } catch let error as DatabaseError where error.code.primary == .error {
        faults.append([
          .text("foreign key"), .text(relation.name), .null, .text(error.message),
        ])
      }
    }
    return faults
  }

  private static func brokenSearchIndexes(of database: Database) throws -> [[DatabaseValue]] {
    let indexes = try database.read { connection in
      try connection.rows(
        """
        SELECT name, sql LIKE '%using%fts5%' FROM sqlite_schema
        WHERE sql LIKE 'CREATE VIRTUAL%using%fts5%' OR sql LIKE 'CREATE VIRTUAL%using%fts4%'
        """
      ).map { (name: try $0.get(String.self, at: 0), isFTS5: try $0.get(Bool.self, at: 1)) }
    }
    guard !indexes.isEmpty else { return [] }
    var configuration = Configuration()
    configuration.trustsSchema = false
    let copy = try Database.temporary(configuration: configuration)
    try database.backup(to: copy)
    return try indexes.compactMap { name, isFTS5 in
      // The second form also compares the index with the table whose text it has.
      let command: SQL =
        isFTS5
        ? """
        INSERT INTO \(identifier: name) (\(identifier: name), rank) VALUES ('integrity-check', 1)
        """
        : "INSERT INTO \(identifier: name) (\(identifier: name)) VALUES ('integrity-check')"
      do {
        try copy.execute(command)
        return nil
      } catch let error as DatabaseError {
        let message =
          error.code.primary == .corrupt
          ? "the index does not agree with its text; rebuild it" : error.message
        return [.text("full-text index"), .text(name), .null, .text(message)]
      }
    }
  }
}
