import Apus
import ArgumentParser
import CommandInterface
import FileInspection
import Foundation
import RowImport
import ToolOutput

struct Import: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Inserts rows from CSV or JSON into a table.",
    discussion: """
      It writes all rows or none, also if Ctrl-C ends it. The first line of CSV names the columns, as the members of each \
      JSON object do. An empty field is NULL, and \"\" is an empty text. A BLOB is base64. A number \
      of which the column would lose digits is refused. Foreign keys are enforced. Triggers run only \
      with --trust, since they are code of the file.

      EXAMPLES:
        apus import blog.sqlite Post posts.csv
        apus import blog.sqlite Post posts.json --on-conflict replace
        curl https://example.org/posts.csv | apus import blog.sqlite Post -
      """)

  @OptionGroup var file: FileArgument
  @Argument(help: "The table.")
  var table: String
  @Argument(help: "The file with the rows; - for the standard input.", completion: .file())
  var data: String
  @Flag(help: "The rows are JSON: an array of objects, or an object on each line.")
  var json = false
  @Flag(help: "The rows are CSV. Default: the name of the file decides.")
  var csv = false
  @Option(
    help: "The names of the columns, separated by commas, for CSV without a first line of names.")
  var columns: String?
  @Option(help: "What separates the fields of CSV: a character, or 'tab'.")
  var separator = ","
  @Option(help: "The treatment of a row whose key exists: fail, ignore or replace.")
  var onConflict = TableImport.Conflict.fail
  @Flag(help: "Run the triggers of the table, such as those that feed a full-text index.")
  var trust = false

  func validate() throws {
    guard !(json && csv) else { throw ValidationError("--json and --csv exclude each other.") }
    guard separator == "tab" || separator.utf8.count == 1 else {
      throw ValidationError("--separator must be one ASCII character, or 'tab'.")
    }
  }

  private var isJSON: Bool {
    let name = data.lowercased()
    return json || !csv && [".json", ".jsonl", ".ndjson"].contains { name.hasSuffix($0) }
  }

  func run() throws {
    let source = try source()
    let database = try open()
    let progress = ProgressLine("importing")
    let result: TableImport
    let deleted: [(String, Int)]
    do {
      (result, deleted) = try FileProblem(path: file.file).explaining {
        try database.write { try insert(source, into: $0, progress) }
      }
      try? database.close()
    } catch {
      progress.end()
      // Closing the database removes the journal or the write-ahead log beside the file.
      try? database.close()
      if Interruption.isRequested { throw Interruption.Failure("nothing was imported") }
      let message = (error as? DatabaseError)?.message ?? "\(error)"
      throw ReadableError("\(message); nothing was imported")
    }
    progress.end()
    for column in result.leftOut.sorted() {
      ErrorOutput.write("note: \(column) is calculated by the table, and was left out")
    }
    ErrorOutput.write(result.count.rows("imported"))
    if result.ignoredCount > 0 {
      ErrorOutput.write(result.ignoredCount.rows("ignored") + ", because of a constraint")
    }
    for (name, count) in deleted {
      ErrorOutput.write(
        "\(name.orQuotes): "
          + count.rows("deleted, since others replace " + (count == 1 ? "it" : "them")))
    }
  }

  /// Inserts the rows. Returns the import, and how many rows REPLACE deleted in each table.
  private func insert(
    _ source: ByteSource, into connection: Connection, _ progress: ProgressLine
  ) throws -> (TableImport, [(String, Int)]) {
    let relation = try Relation.named(table, in: connection)
    guard relation.kind != .view else {
      throw ReadableError("\(relation.name) is a view; rows are inserted into tables")
    }
    try requireTrust(in: relation.name, connection)
    let insertion = try TableImport(into: relation.name, onConflict, in: connection)
    var count = 0
    func step(_ bytes: Int) throws {
      try Interruption.check()
      count += 1
      guard count == 1 || count % 1_024 == 0 else { return }
      progress.update(bytes: (bytes, of: source.size), rows: (count, of: nil))
    }
    if isJSON {
      let objects = try JSONObjects(source)
      try insertion.insert(objects) { try step(objects.byteCount) }
    } else {
      let names = columns?.split(separator: ",").map(String.init)
      let byte = separator == "tab" ? UInt8(ascii: "\t") : separator.utf8.first ?? 0x2C
      let records = try CSVRecords(source, separator: byte)
      try insertion.insert(records, names: names) { try step(records.byteCount) }
    }
    // Deletions in the shadow tables of a full-text index are left out, because the index itself
    // makes them.
    let tables = try Relation.all(in: connection).filter { $0.kind == .table }
    let deleted = insertion.deletedRows
    return (insertion, tables.compactMap { table in deleted[table.name].map { (table.name, $0) } })
  }

  /// Throws if the table has triggers and the file is not trusted. The triggers would not run, and
  /// the data that they keep up to date would no longer agree with the rows.
  private func requireTrust(in table: String, _ connection: Connection) throws {
    let row = try connection.row(
      """
      SELECT group_concat(name, ', ') FROM sqlite_schema
      WHERE type = 'trigger' AND lower(tbl_name) = lower(\(table))
      """)
    guard !trust, let names = try row?.get(String?.self, at: 0) else { return }
    throw ReadableError(
      "\(table.orQuotes) has triggers (\(names)), and --trust is missing to run them")
  }

  private func source() throws -> ByteSource {
    guard data != "-" else {
      return ByteSource(FileHandle.standardInput, named: "the standard input")
    }
    guard let file = FileHandle(forReadingAtPath: data) else {
      throw ReadableError(
        FileManager.default.fileExists(atPath: data)
          ? "\(data) cannot be read" : "\(data) does not exist")
    }
    return ByteSource(file, named: data)
  }

  /// Opens the file for writing, without changing its journal mode.
  private func open() throws -> Database {
    // The file is opened for reading first: opening it for writing would create a missing file, and
    // would switch an existing file to WAL.
    let mode = try file.read { connection in
      try connection.row("PRAGMA journal_mode")?.get(String.self, at: 0) ?? "delete"
    }
    var configuration = Configuration()
    configuration.trustsSchema = trust
    configuration.maximumReaders = 0
    let replaces = onConflict == .replace
    configuration.prepareConnection = { connection in
      if mode != "wal" { try connection.execute("PRAGMA journal_mode = \(unsafe: mode)") }
      // Without this setting, rows that REPLACE deletes would fire no triggers. Triggers that keep
      // a log or an index up to date would miss these deletions.
      if replaces { try connection.execute("PRAGMA recursive_triggers = ON") }
    }
    return try FileArgument.open(file.file, configuration)
  }
}

extension TableImport.Conflict: ExpressibleByArgument {}
