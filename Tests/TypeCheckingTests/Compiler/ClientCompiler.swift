import Foundation

/// Type-checks client programs against the modules of this build, a few at a time.
///
/// A test that waits for the compiler holds no thread, so other tests of the process go on.
actor ClientCompiler {
  static let shared = ClientCompiler()

  /// The number of scopes that the solver may open over one expression. It bounds all these tests.
  ///
  /// Found by bisection with Swift 6.3.1 over the predicates of `PredicateProgram`: the least bound
  /// under which each ends as it should, with the mistake in the middle term:
  ///
  ///     terms                        8                  16                  32
  ///     one chain, right           110                 230                 470
  ///       one wrong literal        120                 235                 475
  ///       one unknown column     2,750               4,050               6,900
  ///     one a line, right            7                   7                   7
  ///       one wrong literal          180                 180                 180
  ///       one unknown column         7                   7                   7
  ///
  /// The last three are the scopes of the whole file.
  ///
  /// Arithmetic of 8, 16 and 32 terms: 104, 180 and 332 scopes, of integers beside reals a quarter
  /// more, of 8 terms that are assigned to a column 74. With an operand that does not go with the
  /// others, or a result that is assigned to a column of another type, up to 410 for 8, by the
  /// operators of `OperandIsNotANumber` and the like; more than a million without.
  static let scopes = 40_000

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  private let toolchain = Result { try Toolchain.find() }
  private var idle = ProcessInfo.processInfo.activeProcessorCount
  private var waiting: [CheckedContinuation<Void, Never>] = []

  /// Returns the errors that the compiler finds in a program, in its order; none if it compiles.
  ///
  /// Throws if the compiler cannot be run: it is missing, a module is missing, or it crashed.
  ///
  /// A script is compiled as `main.swift` is, with statements at the top level, and its warnings
  /// are errors.
  func errors(
    in program: ClientProgram, scopes: Int = scopes, isScript: Bool = false
  ) async throws -> [Diagnostic] {
    let toolchain = try toolchain.get()
    return try await inFolder(of: program) { folder, file in
      let run = try await run(
        toolchain.compiler,
        toolchain.arguments.filter { !isScript || $0 != "-parse-as-library" }
          + (isScript ? ["-warnings-as-errors"] : []) + [
            "-typecheck", "-Xfrontend", "-solver-scope-threshold=\(scopes)",
            "-diagnostic-style", "llvm", file.path,
          ], outputIn: folder)
      let errors = run.output.split(separator: "\n").compactMap(Diagnostic.init)
      guard run.status == 0 ? errors.isEmpty : !errors.isEmpty else {
        throw Failure(description: "swiftc ended with \(run.status):\n\(run.output)")
      }
      return errors
    }
  }

  /// Compiles a program, links it with the objects of this build, runs it and returns what it
  /// prints.
  ///
  /// Throws if one of the three fails.
  func output(of program: ClientProgram) async throws -> String {
    let toolchain = try toolchain.get()
    let objects = try toolchain.objects()
    return try await inFolder(of: program) { folder, file in
      let executable = folder.appending(path: "client")
      let link = try await run(
        toolchain.compiler,
        toolchain.arguments + toolchain.linkArguments + [
          "-Onone", "-emit-executable", "-o", executable.path, file.path,
        ] + objects, outputIn: folder)
      guard link.status == 0 else {
        throw Failure(description: "swiftc ended with \(link.status):\n\(link.output)")
      }
      let run = try await run(executable, [], outputIn: folder)
      guard run.status == 0 else {
        throw Failure(description: "the program ended with \(run.status):\n\(run.output)")
      }
      return run.output
    }
  }

  /// Writes a program into a folder of its own, and removes the folder at the end. As many run at
  /// once as there are processors.
  private func inFolder<Value: Sendable>(
    of program: ClientProgram, _ body: (_ folder: URL, _ file: URL) async throws -> Value
  ) async throws -> Value {
    await takeTurn()
    defer { endTurn() }
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "apus-client-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: ClientProgram.fileName)
    try program.source.write(to: file, atomically: false, encoding: .utf8)
    return try await body(folder, file)
  }

  private func run(
    _ executable: URL, _ arguments: [String], outputIn folder: URL
  ) async throws -> (status: Int32, output: String) {
    let output = folder.appending(path: "output")
    try Data().write(to: output)
    let handle = try FileHandle(forWritingTo: output)
    defer { try? handle.close() }

    let process = Process()
    process.executableURL = executable
    process.arguments = arguments
    process.currentDirectoryURL = folder
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = handle
    process.standardError = handle
    try await withCheckedThrowingContinuation { (ended: CheckedContinuation<Void, any Error>) in
      process.terminationHandler = { _ in ended.resume() }
      do {
        try process.run()
      } catch {
        ended.resume(throwing: error)
      }
    }
    let text = String(decoding: try Data(contentsOf: output), as: UTF8.self)
    guard process.terminationReason == .exit else {
      throw Failure(description: "\(executable.lastPathComponent) crashed:\n\(text)")
    }
    return (process.terminationStatus, text)
  }

  private func takeTurn() async {
    if idle > 0 {
      idle -= 1
    } else {
      await withCheckedContinuation { waiting.append($0) }
    }
  }

  private func endTurn() {
    if waiting.isEmpty {
      idle += 1
    } else {
      waiting.removeFirst().resume()
    }
  }
}
