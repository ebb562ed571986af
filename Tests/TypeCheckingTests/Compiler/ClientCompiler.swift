import Foundation

/// Type-checks client programs against the modules of this build, a few at a time.
///
/// A test that waits for the compiler holds no thread, so other tests of the process go on.
actor ClientCompiler {
  static let shared = ClientCompiler()

  /// The number of scopes that the solver may open over one expression. It bounds all these tests.
  ///
  /// Found by bisection with Swift 6.3.1 over the predicates of `PredicateProgram`: the least bound
  /// under which each ends as it should. Mistakes are in the first, the middle or the last term:
  ///
  ///     terms                        8                  16                  32
  ///     one chain, right            64                 134                 272
  ///       one wrong literal   1344 1024 408    2688 1600 464    5440 3008 576
  ///       one unknown column    54   55  50     108  108 104     216  216 212
  ///     one a line, right            7                   7                   7
  ///       one wrong literal          180                 180                 180
  ///       one unknown column         7                   7                   7
  ///
  /// The most expensive mistake is in arithmetic, `$0.$int + "x" == 1`: about 18,000. So there is
  /// twice the room for each mistake and a hundred times for correct code; without the operators
  /// of `SIMDLogic` a wrong literal among 16 terms took 96,000, among 32 900,000.
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
  func errors(in program: ClientProgram) async throws -> [Diagnostic] {
    let toolchain = try toolchain.get()
    await takeTurn()
    defer { endTurn() }

    let folder = FileManager.default.temporaryDirectory
      .appending(path: "apus-client-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: ClientProgram.fileName)
    try program.source.write(to: file, atomically: false, encoding: .utf8)

    let run = try await run(toolchain, file, outputIn: folder)
    let errors = run.output.split(separator: "\n").compactMap(Diagnostic.init)
    guard run.status == 0 ? errors.isEmpty : !errors.isEmpty else {
      throw Failure(description: "swiftc ended with \(run.status):\n\(run.output)")
    }
    return errors
  }

  private func run(
    _ toolchain: Toolchain, _ file: URL, outputIn folder: URL
  ) async throws -> (status: Int32, output: String) {
    let output = folder.appending(path: "output")
    try Data().write(to: output)
    let handle = try FileHandle(forWritingTo: output)
    defer { try? handle.close() }

    let process = Process()
    process.executableURL = toolchain.compiler
    process.arguments = [
      "-typecheck", "-swift-version", "6", "-parse-as-library", "-module-name", "Client",
      "-I", toolchain.modules.path,
      "-module-cache-path", toolchain.moduleCache.path,
      "-Xcc", "-fmodule-map-file=\(toolchain.moduleMap.path)",
      "-Xfrontend", "-solver-scope-threshold=\(Self.scopes)",
      "-diagnostic-style", "llvm", file.path,
    ]
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
      throw Failure(description: "swiftc crashed:\n\(text)")
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
