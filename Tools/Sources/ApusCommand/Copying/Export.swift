import Apus
import ArgumentParser
import CommandInterface
import FileInspection
import Foundation
import ToolOutput

struct Export: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Writes the rows of a table, view or statement as CSV or JSON.",
    discussion: """
      The form follows the name of the output, or is CSV. A file appears in one step, when it is \
      complete.

      EXAMPLES:
        apus export blog.sqlite Post --output posts.csv
        apus export blog.sqlite Post --json > posts.json
        apus export blog.sqlite --query 'SELECT title FROM Post' --output titles.json
      """)

  @OptionGroup var file: FileArgument
  @Argument(help: "The table or view.")
  var table: String?
  @Option(help: "A statement in SQL, instead of a table.")
  var query: String?
  @Option(help: "The file that is written. Default: the standard output.", completion: .file())
  var output: String?
  @Flag(help: "Write JSON: an array with one object for each row.")
  var json = false
  @Flag(help: "Write CSV with a first line of names.")
  var csv = false
  @Flag(help: "Replace the file that exists there.")
  var force = false

  func validate() throws {
    guard !(json && csv) else { throw ValidationError("--json and --csv exclude each other.") }
    guard (table == nil) != (query == nil) else {
      throw ValidationError("Name a table, or give a statement with --query.")
    }
  }

  private var format: OutputFormat {
    json || !csv && output?.lowercased().hasSuffix(".json") ?? false ? .json : .csv
  }

  func run() throws {
    guard let output else {
      let count = try write(to: Output(format: format, width: nil))
      if !Terminal.isOutput { ErrorOutput.write("\(count) rows were written") }
      return
    }
    guard force || !FileManager.default.fileExists(atPath: output) else {
      throw ReadableError("\(output) exists already; --force replaces it")
    }
    let part = try PartialFile(replacing: URL(filePath: output))
    let count = try write(
      to: Output(format: format, width: nil, isColored: false, isTerminal: false, write: part.write)
    )
    try part.complete()
    ErrorOutput.write("\(count) rows were written to \(output)")
  }

  private func write(to output: Output) throws -> Int {
    let progress = ProgressLine(
      "exporting", "rows", isVisible: self.output != nil || !Terminal.isOutput)
    var count = 0
    _ = try file.open().read { connection in
      var sql = SQL(unsafe: query ?? "")
      var total: Int?
      if let table {
        let name = try Relation.named(table, in: connection).name
        sql = "SELECT * FROM \(identifier: name)"
        if ErrorOutput.isTerminal {
          total = try connection.row("SELECT count(*) FROM \(identifier: name)")?.get(at: 0)
        }
      }
      try output.rows { names, row in
        try connection.forEachRow(of: sql, names: names) { values in
          count += 1
          progress.update(count, of: total)
          return try row(values)
        }
      }
    }
    output.flush()
    return count
  }
}

/// A file that is written beside its place, and takes it when it is complete.
private final class PartialFile {
  private let url: URL
  private let part: URL
  private let handle: FileHandle
  private var failure: (any Error)?

  init(replacing url: URL) throws {
    self.url = url
    let folder = url.deletingLastPathComponent().path
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder), isFolder.boolValue
    else {
      throw ReadableError(
        "the folder \(folder) does not exist; create it first, with `mkdir -p '\(folder)'`")
    }
    part = url.deletingLastPathComponent()
      .appending(path: ".\(url.lastPathComponent).\(UUID().uuidString).part")
    try Data().write(to: part)
    handle = try FileHandle(forWritingTo: part)
  }

  deinit { try? FileManager.default.removeItem(at: part) }

  /// Writes a text. The first error is thrown when the file is complete.
  func write(_ text: String) {
    guard failure == nil else { return }
    do { try handle.write(contentsOf: Data(text.utf8)) } catch { failure = error }
  }

  func complete() throws {
    if let failure { throw failure }
    try handle.synchronize()
    try handle.close()
    guard rename(part.path, url.path) == 0 else {
      throw ReadableError("\(url.path) cannot be written: \(String(cString: strerror(errno)))")
    }
  }
}
