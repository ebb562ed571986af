import Apus
import ArgumentParser
import CommandInterface
import FileInspection
import Foundation
import ToolOutput

struct Watch: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows what changes in a file, as it happens, whichever process writes.",
    discussion: """
      Rows are compared by the primary key; rows of a table without one, as a whole. What several \
      commits did to a row between two looks is shown as one change. The first look copies the \
      tables into the temporary folder, and each commit is followed by reading all of them: for a \
      large file, name the tables with --tables. A table whose rows cannot be compared is named. \
      JSON has an object on each line.

      It ends with Ctrl-C, with status 0.

      EXAMPLES:
        apus watch blog.sqlite
        apus watch blog.sqlite --tables Post --json | jq .new
      """)

  @OptionGroup var file: FileArgument
  @Option(help: "The tables, separated by commas. Default: all.")
  var tables: String?
  @Option(help: "The seconds between two looks.")
  var interval = 0.2
  @Option(help: "End after this number of changes.")
  var limit: Int?
  @OptionGroup var options: OutputOptions

  func validate() throws {
    guard interval > 0, interval <= 3_600 else {
      throw ValidationError("--interval must be more than 0, and at most 3600.")
    }
  }

  private static func count(_ number: Int, _ noun: String) -> String {
    "\(number) \(noun)\(number == 1 ? "" : "s")"
  }

  func run() throws {
    let watcher = try FileWatcher(
      path: file.file, tables: tables?.split(separator: ",").map(String.init))
    ErrorOutput.write(
      "watching \(Self.count(watcher.tableCount, "table")) with "
        + "\(Self.count(watcher.rowCount, "row")); Ctrl-C ends")
    let output = options.output(isPaged: false)
    let writer = DifferenceWriter(output, isEndless: true)
    for table in watcher.uncompared { writer.write(table) }
    var count = 0
    while !Interruption.isRequested, limit.map({ count < $0 }) ?? true {
      var isFirst = true
      func begin() {
        if isFirst { writer.begin(Self.time) }
        isFirst = false
        count += 1
      }
      do {
        try watcher.look(
          {
            begin(); writer.write($0)
          },
          {
            begin(); writer.write($0)
          },
          { writer.write($0) })
      } catch let error as DatabaseError where [.busy, .locked].contains(error.code.primary) {
        // Another process holds a lock on the file. The next call of `look` tries to read it again.
      } catch  where Interruption.isRequested {
        break
      }
      output.flush()
      Interruption.sleep(seconds: interval)
    }
    writer.end()
  }

  private static var time: String {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.dateFormat = "HH:mm:ss"
    return formatter.string(from: Date())
  }
}
