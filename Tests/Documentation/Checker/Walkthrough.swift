import Foundation

/// The pages of a tutorial: the files of one program, which grows from page to page, and the commands
/// that a reader gives.
///
/// Each file is the block of Swift below its name (`TutorialFile`). A later block with the same path
/// replaces it. Each block of `console` shows commands, after `$`, and what they print. The program is
/// compiled from the files that were shown so far, and the commands run in one folder, so that a step
/// meets the database that the steps before it wrote.
struct Walkthrough {
  let compiler: Compiler
  let path: String
  private(set) var outputs = 0
  private var files: [String: String] = [:]
  private var areCompiled = false
  private var failures: [String] = []

  init(compiler: Compiler, path: String) {
    self.compiler = compiler
    self.path = path
  }

  /// The parts of a page, in its order.
  enum Element {
    case file(path: String, line: Int, lines: [String])
    case console(line: Int, lines: [String])
  }

  private var folder: URL {
    compiler.folder.appending(path: "walk-\(path.split(separator: "/").last ?? "")")
  }
  private var sources: URL { folder.appending(path: "reading") }
  private var programs: URL { folder.appending(path: "bin") }

  /// Follows the pages, and returns a line for each failure.
  mutating func run(_ pages: [Page]) throws -> [String] {
    try? FileManager.default.removeItem(at: folder)
    for place in [sources, programs] {
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    }
    // The tests are compiled like the program, and their command is the reader's.
    try write("#!/bin/sh\n[ \"$*\" = test ] && exec tests 2>&1\n", to: programs, as: "swift")
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o755], ofItemAtPath: programs.appending(path: "swift").path)
    for page in pages {
      for element in page.elements {
        switch element {
        case .file(let path, let line, let lines):
          let place = "#sourceLocation(file: \"\(page.path)\", line: \(line))\n"
          let text = lines.joined(separator: "\n") + "\n"
          if path == "Package.swift" {
            try write(text, to: sources, as: path)
            failures += try compiler.typeCheck(manifest: sources.appending(path: path))
          } else {
            files[path] = text
            try write(place + text, to: sources, as: path)
          }
          areCompiled = false
        case .console(let line, let lines):
          if !areCompiled {
            let errors = try compile()
            guard errors.isEmpty else { return failures + errors }
          }
          try follow(lines, place: "\(page.path):\(line)")
        }
      }
    }
    return failures
  }

  private func write(_ text: String, to folder: URL, as path: String) throws {
    let file = folder.appending(path: path)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try text.write(to: file, atomically: true, encoding: .utf8)
  }

  /// Compiles the program and its tests, and returns the errors.
  private mutating func compile() throws -> [String] {
    areCompiled = true
    let program = files.keys.filter { $0.hasPrefix("Sources/") }.sorted()
    let tests = files.keys.filter { $0.hasPrefix("Tests/") }.sorted()
    let errors = try compiler.link(
      program.map { sources.appending(path: $0) }, module: "reading",
      to: programs.appending(path: "reading"))
    guard errors.isEmpty, !tests.isEmpty else { return errors }
    let runner = """
      import Testing
      @main struct Runner { static func main() async { await Testing.__swiftPMEntryPoint() as Never } }

      """
    try write(runner, to: folder, as: "Runner.swift")
    return try compiler.linkTests(
      tests.map { sources.appending(path: $0) } + [folder.appending(path: "Runner.swift")],
      of: program.map { sources.appending(path: $0) }, module: "reading",
      to: programs.appending(path: "tests"))
  }

  /// Gives the commands of a block one after the other, and compares what they print.
  private mutating func follow(_ lines: [String], place: String) throws {
    var background: [Running] = []
    defer { for process in background { process.end() } }
    var index = 0
    while index < lines.count {
      let command = lines[index].dropFirst(2)
      index += 1
      var shown: [String] = []
      while index < lines.count, !lines[index].hasPrefix("$ ") {
        shown.append(lines[index])
        index += 1
      }
      var printed: [String]
      if command.hasSuffix(" &") {
        let process = try Running(
          String(command.dropLast(2)), in: sources, path: programs.path)
        background.append(process)
        printed = process.lines(shown.count)
      } else {
        let process = try Running(String(command), in: sources, path: programs.path)
        printed = process.lines(nil)
        // The output of a program in the background after this command.
        for process in background where printed.count < shown.count {
          printed += process.lines(shown.count - printed.count)
        }
      }
      outputs += 1
      if !Check.matches(printed, shown) {
        failures.append(
          """
          \(place): error: `\(command)` prints
          \(printed.joined(separator: "\n"))
          and shows
          \(shown.joined(separator: "\n"))
          """)
      }
    }
  }
}
