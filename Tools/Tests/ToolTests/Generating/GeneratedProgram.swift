import Apus
import Foundation
import ModelGenerator

/// A program made of the generated models of several files, compiled against the modules of this
/// build.
///
/// It opens each file with its models, reads every row, and writes all rows into a copy of the file
/// through the models.
struct GeneratedProgram {
  /// The result for one file.
  struct Report {
    /// The migration plan; empty if there is nothing to do.
    var plan = ""
    /// The number of rows by the name of the table or view.
    var counts: [String: Int] = [:]
    var failures: [String] = []
  }

  private(set) var models: [GeneratedModels] = []
  private var files: [URL] = []

  /// Adds a file. Its models are generated here, and compiled together with the others.
  mutating func add(_ file: URL) throws {
    var configuration = Configuration.untrustedFile
    configuration.maximumReaders = 1
    let database = try Database(path: file.path, configuration: configuration)
    models.append(try database.read { try GeneratedModels(of: $0) })
    files.append(file)
    try database.close()
  }

  /// The copy of a file into which the program writes.
  static func copy(of file: URL) -> URL { file.appendingPathExtension("copy") }

  /// Compiles the program and runs it. Throws if it does not compile or crashes.
  func run() async throws -> [Report] {
    let toolchain = try Toolchain.find()
    let folder = try TestFolder()
    let program = folder.file("Client.swift")
    try source.write(to: program, atomically: false, encoding: .utf8)
    let executable = folder.file("client")
    let build = try await Command.run(
      toolchain.compiler,
      toolchain.arguments + toolchain.linkArguments + [
        "-Onone", "-warnings-as-errors", "-emit-executable", "-o", executable.path, program.path,
      ] + toolchain.objects())
    guard build.status == 0 else {
      throw Command.Failure(
        description: "the generated models do not compile:\n\(build.errors)\n\(source)")
    }
    let run = try await Command.run(executable, files.map(\.path))
    guard run.status == 0 else {
      throw Command.Failure(description: "the program failed: \(run.errors)\n\(run.output)")
    }
    return reports(run.output)
  }

  /// Reads the lines that the program prints: the number of the file, a word, a name and a text,
  /// divided by U+001F.
  private func reports(_ output: String) -> [Report] {
    var reports = files.map { _ in Report() }
    for line in output.split(separator: "\u{1E}") {
      let parts = line.drop { $0 == "\n" }.split(
        separator: "\u{1F}", omittingEmptySubsequences: false
      ).map(String.init)
      guard parts.count == 4, let number = Int(parts[0]) else { continue }
      switch parts[1] {
      case "plan": reports[number].plan = parts[3]
      case "count": reports[number].counts[parts[2]] = Int(parts[3])
      default: reports[number].failures.append("\(parts[2]): \(parts[3])")
      }
    }
    return reports
  }

  // MARK: The text

  /// The models of each file stand in a type of their own, since two files may have a table of the
  /// same name.
  private var source: String {
    var text = "import Apus\nimport Foundation\n\n"
    var calls = ""
    for (number, models) in models.enumerated() {
      let body = models.text.split(separator: "\n", omittingEmptySubsequences: false)
        .filter { !$0.hasPrefix("import ") }.joined(separator: "\n")
        .replacing("\nlet allModels", with: "\nstatic let allModels")
      text += "enum File\(number) {\n\(body)\n}\n\n"
      let rows = models.rowNames.map { name in
        "try trial.read(File\(number).\(name).self, File\(number).\(name).allRows, \"\(name)\")"
      }.joined(separator: "; ")
      calls +=
        "    try Trial.run(\(number), File\(number).allModels) { trial in \(rows) }\n"
    }
    return text + Self.trial
      + "@main struct Client {\n  static func main() throws {\n\(calls)  }\n}\n"
  }

  private static let trial = #"""
    struct Trial {
      let number: Int
      let database: Database
      let copy: Database

      func say(_ word: String, _ name: String, _ text: String) {
        print(number, word, name, text, separator: "\u{1F}", terminator: "\u{1E}\n")
      }

      static func run(
        _ number: Int, _ models: [any TableModel.Type], _ rows: (Trial) throws -> Void
      ) throws {
        let path = CommandLine.arguments[number + 1]
        var configuration = Configuration()
        configuration.enforcesForeignKeys = false
        let copy = try Database(path: path + ".copy", configuration: configuration)
        let database = try Database(path: path, configuration: configuration)
        let trial = Trial(number: number, database: database, copy: copy)
        let plan = try database.migrationPlan(for: models)
        if !plan.isEmpty { trial.say("plan", "", "\(plan)") }
        guard plan.isEmpty else { return }
        try database.close()
        let opened = Trial(
          number: number, database: try Database(path: path, models: models), copy: copy)
        let again = try opened.database.migrationPlan(for: models)
        if !again.isEmpty { trial.say("plan", "", "\(again)") }
        for model in models { try opened.table(model) }
        do { try rows(opened) } catch { opened.say("failure", "", "\(error)") }
      }

      func table<M: TableModel>(_ model: M.Type) throws {
        do {
          let rows = try database.fetch(M.all)
          say("count", M.tableName, "\(rows.count)")
          try copy.execute("DELETE FROM \(identifier: M.tableName)")
          try copy.insert(rows)
        } catch {
          say("failure", M.tableName, "\(error)")
        }
      }

      func read<R: ResultRow>(_ row: R.Type, _ sql: SQL, _ name: String) throws {
        say("count", name, "\(try database.read { try $0.fetch(R.self, sql) }.count)")
      }
    }

    """#
}
