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
    let progress = ProgressLine("copying", "pages")
    var pages = 0
    do {
      try file.open().backup(
        to: FileArgument.literal(copy), pagesPerStep: 2_000, overwriting: force
      ) { step in
        pages = step.pageCount
        progress.update(step.completedPageCount, of: step.pageCount)
      }
    } catch let error as DatabaseError where error.code.primary == .cannotOpen && !force {
      guard FileManager.default.fileExists(atPath: copy) else { throw error }
      throw ReadableError("\(copy) exists already; --force replaces it")
    }
    progress.end()
    ErrorOutput.write("\(pages) pages were copied to \(copy)")
  }
}
