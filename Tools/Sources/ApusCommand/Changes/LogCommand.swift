import Apus
import ApusHistory
import ArgumentParser
import CommandInterface
import FileInspection
import Foundation
import ToolOutput

struct LogCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "log",
    abstract: "Shows the change log of a file that Apus wrote: each transaction and its rows.",
    discussion: """
      A file has a change log if a model declares Logged(). Only transactions that are complete are \
      shown: another program leaves its last one open.

      EXAMPLES:
        apus log blog.sqlite
        apus log blog.sqlite --after 1200 --limit 1000 --json
        apus log blog.sqlite --tables Post
      """)

  @OptionGroup var file: FileArgument
  @Option(
    help: "Show the transactions after this number or position. Default: the newest ones.")
  var after: String?
  @Option(help: "The largest number of transactions.")
  var limit = 50
  @Option(help: "The tables, separated by commas. Default: all.")
  var tables: String?
  @OptionGroup var options: OutputOptions

  func validate() throws {
    guard limit > 0 else { throw ValidationError("--limit must be at least 1.") }
    if let after, LogPosition(after) == nil {
      throw ValidationError("--after must be a number, or a position of the log.")
    }
  }

  func run() throws {
    let names = tables?.split(separator: ",").map { $0.lowercased() }
    let entries = try file.read { connection in
      do {
        return try connection.logEntries(after: try position(connection), limit: limit)
      } catch let error as LogError {
        throw words(for: error).map { ReadableError($0) } ?? error
      }
    }.map { entry in
      LogLines(
        entry,
        entry.changes.filter { names?.contains($0.table.lowercased()) ?? true }
          .map { LogLines.Change(row: $0.difference, uncertain: $0.uncertainColumns) })
    }.filter { names == nil || !$0.changes.isEmpty }
    let output = options.output()
    switch output.format {
    case .table:
      let writer = DifferenceWriter(output)
      for entry in entries { entry.write(to: writer) }
      if entries.isEmpty { output.line("no transaction is in the log", .dim) }
    case .json:
      output.put(
        entries.isEmpty
          ? "[]\n" : "[\n" + entries.map { "  " + $0.json }.joined(separator: ",\n") + "\n]\n")
    case .csv:
      output.csv(LogLines.csvNames.map { .text($0) })
      for line in entries.flatMap(\.csvLines) { output.csv(line) }
    }
  }

  private func words(for error: LogError) -> String? {
    switch error {
    case .noLog:
      "\(file.file) has no change log; programs that use Apus keep one for the tables that they name"
    case .expired(_, let purged):
      "the log of \(file.file) no longer has the transactions up to \(purged.number); show those after "
        + "it with --after \(purged.number)"
    case .unknownPosition(let position, let newest, _):
      "the log of \(file.file) has no transaction \(position); its last one is \(newest.number)"
    default: nil
    }
  }

  /// Returns the position in the log at which the output begins. The transactions that follow this
  /// position are shown.
  private func position(_ connection: Connection) throws -> LogPosition {
    if let after, let position = LogPosition(after) {
      return after.contains(":") ? position : try self.position(position.number, connection)
    }
    // This call also throws if the file has no log.
    let last = try connection.logPosition()
    let first = try connection.row(
      """
      SELECT min(sequence) FROM (SELECT sequence FROM apus_log_entry WHERE NOT isOpen
        AND sequence > (SELECT purged FROM apus_log) ORDER BY sequence DESC LIMIT \(limit))
      """)?.get(Int64?.self, at: 0)
    return try first.map { try position($0 - 1, connection) } ?? last
  }

  /// Returns the position that has the given number in the log of this file.
  private func position(_ number: Int64, _ connection: Connection) throws -> LogPosition {
    guard number > 0, try connection.tableExists("apus_log_epoch"),
      let epoch = try connection.row(
        "SELECT epoch FROM apus_log_epoch WHERE first <= \(number) ORDER BY first DESC LIMIT 1")?
        .get(Int64.self, at: 0)
    else { return LogPosition("\(number)") ?? .start }
    return LogPosition("\(String(UInt64(bitPattern: epoch), radix: 16)):\(number)") ?? .start
  }
}

/// The text of a transaction in the change log.
private struct LogLines {
  struct Change {
    let row: RowDifference
    /// The columns whose values the log does not have.
    let uncertain: [String]
  }

  let entry: LogEntry
  let changes: [Change]

  init(_ entry: LogEntry, _ changes: [Change]) {
    self.entry = entry
    self.changes = changes
  }

  private var time: String { entry.date.formatted(.iso8601) }

  /// Writes the transaction in the form in which the command `watch` writes changes.
  func write(to writer: DifferenceWriter) {
    var title = "\(entry.sequence)  \(time)"
    if let label = entry.label { title += "  label \(label)" }
    if let author = entry.author { title += "  author \(author)" }
    if let undone = entry.undoneSequence { title += "  undoes \(undone)" }
    writer.begin(title)
    if let gap = entry.gap { writer.note("earlier changes of \(gap) are not in the log") }
    for change in changes {
      writer.write(change.row)
      guard !change.uncertain.isEmpty else { continue }
      writer.note("  uncertain: \(change.uncertain.joined(separator: ", "))")
    }
  }

  var json: String {
    let members = changes.map { change in
      var members = change.row.jsonMembers.map { "\($0.name.jsonLiteral): \($0.json)" }
      if !change.uncertain.isEmpty {
        let columns = change.uncertain.map(\.jsonLiteral).joined(separator: ", ")
        members.append("\"uncertain\": [\(columns)]")
      }
      return "{" + members.joined(separator: ", ") + "}"
    }
    return "{\"sequence\": \(entry.sequence), "
      + "\"position\": \(entry.position.description.jsonLiteral), \"date\": \(time.jsonLiteral), "
      + "\"label\": \(entry.label?.jsonLiteral ?? "null"), "
      + "\"author\": \(entry.author?.jsonLiteral ?? "null"), "
      + "\"undoes\": \(entry.undoneSequence.map(String.init) ?? "null"), "
      + "\"gap\": \(entry.gap?.jsonLiteral ?? "null"), "
      + "\"changes\": [\(members.joined(separator: ", "))]}"
  }

  static let csvNames = [
    "sequence", "date", "label", "author", "change", "table", "key", "column", "old", "new",
  ]

  var csvLines: [[DatabaseValue]] {
    let head: [DatabaseValue] = [
      .integer(entry.sequence), .text(time), entry.label.map { .text($0) } ?? .null,
      entry.author.map { .text($0) } ?? .null,
    ]
    return changes.flatMap(\.row.csvLines).map { head + $0 }
  }
}

extension AnyLogChange {
  /// The change as a difference between two states.
  fileprivate var difference: RowDifference {
    let columns = changedColumns.filter { !uncertainColumns.contains($0) }
    let kind: RowDifference.Kind =
      switch kind {
      case .inserted: .inserted
      case .updated: .updated
      case .deleted: .deleted
      }
    return RowDifference(
      kind, table: table, key: keyValues, columns: columns,
      old: kind == .inserted ? [] : columns.map { old($0) ?? .null },
      new: kind == .deleted ? [] : columns.map { new($0) ?? .null })
  }
}
