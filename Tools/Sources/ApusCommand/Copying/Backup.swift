import Apus
import ArgumentParser
import CommandInterface
import Foundation
import ToolOutput

struct Backup: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Copies a file while other processes use it.",
    discussion: """
      The copy is a snapshot of the moment when the backup begins. It is checked for damage, and \
      appears at its path in one step when it is complete.

      EXAMPLES:
        apus backup blog.sqlite blog-2026-11-23.sqlite
        apus backup blog.sqlite latest.sqlite --force
      """)

  @OptionGroup var file: FileArgument
  @Argument(help: "The copy.", completion: .file())
  var copy: String
  @Flag(help: "Replace the file that exists there.")
  var force = false

  func run() throws {
    let progress = ProgressLine("copying")
    let database = try file.open()
    let pageSize = try database.read { try $0.row("PRAGMA page_size")?.get(Int.self, at: 0) } ?? 0
    var pages = 0
    do {
      try database.backup(
        to: FileArgument.literal(copy), pagesPerStep: 2_000, overwriting: force
      ) { step in
        try Interruption.check()
        pages = step.pageCount
        progress.update(
          bytes: (step.completedPageCount * pageSize, of: step.pageCount * pageSize))
      }
    } catch {
      progress.end()
      if Interruption.isRequested { throw Interruption.Failure("no copy was made") }
      throw problem(error)
    }
    progress.end()
    ErrorOutput.write("\(pages) pages were copied to \(copy)")
  }

  /// Returns the error to report for a failed copy: a sentence about the copy's path if the path is
  /// the cause, and otherwise the given error.
  private func problem(_ error: any Error) -> any Error {
    let files = FileManager.default
    let path = FileArgument.literal(copy)
    if !force, files.fileExists(atPath: path) {
      return ReadableError("\(copy) exists already; --force replaces it")
    }
    return PartialFile.missingFolder(of: path).map { ReadableError($0) } ?? error
  }
}
