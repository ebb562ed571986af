import Apus
import ArgumentParser
import CommandInterface
import FileInspection
import Foundation
import ModelGenerator
import ToolOutput

struct Generate: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Writes Swift models for the tables of a file.",
    discussion: """
      Types follow the declarations and all values of the file: dates in their stored form, UUIDs, \
      booleans. A comment says where a type was guessed. The models open the file with an empty \
      migration plan. A table that cannot have such a model becomes a type that only reads its rows; \
      the reason is printed and stands in its comment.

      EXAMPLES:
        apus generate blog.sqlite > Models.swift
        apus generate blog.sqlite --output Sources/Blog/Models
        apus generate blog.sqlite --tables Post,Author
      """)

  @OptionGroup var file: FileArgument
  @Option(
    help: "The folder for one file for each table. Default: everything goes to the output.",
    completion: .directory)
  var output: String?
  @Option(help: "The tables and views, separated by commas. Default: all.")
  var tables: String?
  @Flag(help: "Replace files that exist in the folder.")
  var force = false

  func run() throws {
    let names = tables?.split(separator: ",").map(String.init)
    let models = try file.read { connection in
      for name in names ?? [] { _ = try Relation.named(name, in: connection) }
      return try GeneratedModels(of: connection, tables: names)
    }
    // After an interruption, tables seem to be unreadable. In place of notes about such tables, the
    // interruption is reported.
    try Interruption.check()
    for note in models.notes { ErrorOutput.write("note: \(note)") }
    guard let output else {
      return StandardOutput.write(models.text)
    }
    try write(models, to: URL(fileURLWithPath: output, isDirectory: true))
  }

  private func write(_ models: GeneratedModels, to folder: URL) throws {
    let files = models.files.map { (folder.appendingPathComponent($0.name + ".swift"), $0.text) }
    let existing = files.map(\.0.path).filter { FileManager.default.fileExists(atPath: $0) }
    guard force || existing.isEmpty else {
      throw ReadableError(
        "these files exist already: \(existing.joined(separator: ", ")); --force replaces them")
    }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for (url, text) in files { try Data(text.utf8).write(to: url, options: .atomic) }
    ErrorOutput.write("\(files.count) files were written to \(folder.path)")
  }
}
