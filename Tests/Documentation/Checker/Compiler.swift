import Foundation

/// The compiler, with what is needed to import the modules of the library.
struct Compiler {
  let root: URL
  /// The folder of the debug build.
  let binaries: URL
  /// The folder for what is generated.
  let folder: URL
  /// The folder of a package beside the library whose modules the pages import, or nil.
  let package: String?

  private static let modules = [
    "Apus", "SQLCore", "QueryDSL", "SchemaMigration", "ChangeObservation", "ApusHistory",
    "ApusRemote", "DataFrames", "SQLFunctions", "ApusTestSupport",
  ]

  /// The folders in `Sources` of the modules that have other names than their folders.
  private static let folders = [
    "SchemaMigration": "Migration", "ChangeObservation": "Observation", "ApusHistory": "History",
    "ApusRemote": "Remote",
  ]

  private var arguments: [String] {
    [
      "-swift-version", "6", "-parse-as-library", "-suppress-warnings", "-diagnostic-style", "llvm",
      "-I", binaries.appending(path: "Modules").path, "-I", folder.path,
      "-I", root.appending(path: "Sources/CSQLite").path,
      "-plugin-path", "\(Compiler.toolchain)/lib/swift/host/plugins/testing",
    ] + packageArguments
  }

  /// The folder of the package's modules, and what describes the C modules that they import.
  private var packageArguments: [String] {
    guard let package else { return [] }
    // As SwiftPM has it.
    let folder = ProcessInfo.processInfo.environment["SWIFTPM_BUILD_DIR"]
    let build = folder.map { URL(filePath: $0) } ?? root.appending(path: "\(package)/.build")
    let debug = build.appending(path: "debug").resolvingSymlinksInPath()
    // A package describes its C modules, or SwiftPM does.
    let maps =
      Compiler.files(named: "module.modulemap", in: build.appending(path: "checkouts"))
      .filter { $0.hasSuffix("/include/module.modulemap") }
      + Compiler.files(named: "module.modulemap", in: debug)
      .filter { $0.hasSuffix(".build/module.modulemap") }
    return ["-I", "\(debug.path)/Modules"]
      + maps.flatMap { ["-Xcc", "-fmodule-map-file=\($0)"] }
  }

  private static func files(named name: String, in folder: URL) -> [String] {
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    return (files?.compactMap { ($0 as? URL)?.path } ?? []).filter { $0.hasSuffix("/\(name)") }
      .sorted()
  }

  private static let toolchain: String = {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let folder = path.split(separator: ":").first { folder in
      FileManager.default.isExecutableFile(atPath: "\(folder)/swiftc")
    }
    let compiler = URL(filePath: "\(folder ?? "/usr/bin")/swiftc").resolvingSymlinksInPath()
    return compiler.deletingLastPathComponent().deletingLastPathComponent().path
  }()

  private var objects: [String] {
    get throws {
      try Compiler.modules.flatMap { module in
        let build = binaries.appending(path: "\(module).build").path
        // SwiftPM keeps the object of a file that was removed, or moved to another module.
        let folder = Compiler.folders[module] ?? module
        let sources = try Set(
          Compiler.swiftFiles(in: root.appending(path: "Sources/\(folder)"))
            .map { $0.lastPathComponent })
        return try FileManager.default.contentsOfDirectory(atPath: build)
          .filter { $0.hasSuffix(".swift.o") && sources.contains(String($0.dropLast(2))) }
          .map { "\(build)/\($0)" }
      }
    }
  }

  static func swiftFiles(in folder: URL) throws -> [URL] {
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    return (files?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "swift" }
      .sorted { $0.path < $1.path }
  }

  /// Compiles the module that all pages import, and returns its object.
  func buildPrelude() throws -> (object: URL, errors: [String]) {
    let object = folder.appending(path: "Prelude.o")
    let files = try Compiler.swiftFiles(in: root.appending(path: "Tests/Documentation/Prelude"))
    let output = try run(
      "swiftc",
      arguments + [
        "-module-name", "Prelude", "-enable-testing", "-wmo", "-emit-module", "-emit-module-path",
        folder.appending(path: "Prelude.swiftmodule").path, "-emit-object", "-o", object.path,
      ] + files.map(\.path))
    return (object, Compiler.errors(output))
  }

  /// Returns the errors in files that are one module.
  func typeCheck(_ files: [URL]) throws -> [String] {
    let output = try run(
      "swiftc",
      arguments + [
        "-typecheck", "-module-name", "Examples", "-j2", "-continue-building-after-errors",
      ] + files.map(\.path))
    return Compiler.errors(output)
  }

  /// Returns the errors in a description of a package.
  func typeCheck(manifest: URL) throws -> [String] {
    let library = "\(Compiler.toolchain)/lib/swift/pm/ManifestAPI"
    let output = try run(
      "swiftc",
      [
        "-typecheck", "-swift-version", "6", "-suppress-warnings", "-diagnostic-style", "llvm",
        "-I", library, "-package-description-version", "6.2.0", manifest.path,
      ])
    return Compiler.errors(output)
  }

  /// Links a program, and returns the errors.
  func link(_ files: [URL], prelude: URL, to executable: URL) throws -> [String] {
    let output = try run(
      "swiftc",
      arguments + [
        "-Onone", "-module-name", "Examples", "-emit-executable", "-o", executable.path, "-j2",
        "-lsqlite3", prelude.path,
      ] + files.map(\.path) + objects)
    return Compiler.errors(output)
  }

  /// Links a program of its own, whose warnings are errors, and returns the errors.
  func link(_ files: [URL], module: String, to executable: URL) throws -> [String] {
    let output = try run(
      "swiftc",
      strict + [
        "-Onone", "-module-name", module, "-emit-executable", "-o", executable.path, "-j2",
        "-lsqlite3",
      ] + files.map(\.path) + objects)
    return Compiler.errors(output)
  }

  /// Links the tests of a program, as the package manager does: its `main` gets another name.
  func linkTests(
    _ tests: [URL], of files: [URL], module: String, to executable: URL
  ) throws -> [String] {
    let place = executable.deletingLastPathComponent()
    let object = place.appending(path: "\(module).o").path
    let program = try run(
      "swiftc",
      strict + [
        "-module-name", module, "-enable-testing", "-wmo", "-emit-module", "-emit-module-path",
        place.appending(path: "\(module).swiftmodule").path, "-emit-object", "-o", object,
        "-Xfrontend", "-entry-point-function-name", "-Xfrontend", "\(module)_main",
      ] + files.map(\.path))
    guard program.status == 0 else { return Compiler.errors(program) }
    let output = try run(
      "swiftc",
      strict + [
        "-I", place.path, "-Onone", "-module-name", "\(module)Tests", "-emit-executable", "-o",
        executable.path, "-j2", "-lsqlite3", object,
      ] + tests.map(\.path) + objects)
    return Compiler.errors(output)
  }

  private var strict: [String] {
    arguments.map { $0 == "-suppress-warnings" ? "-warnings-as-errors" : $0 }
  }

  private static func errors(_ output: (status: Int32, text: String)) -> [String] {
    var found: Set<String> = []
    // The compiler repeats an error for each file that it compiles with.
    let errors = output.text.components(separatedBy: "\n")
      .filter { $0.contains(": error: ") && found.insert($0).inserted }
    // The compiler or the linker failed without naming a place.
    return output.status != 0 && errors.isEmpty ? [output.text] : errors
  }

  /// Runs a program in the generated folder, and returns what it prints.
  func run(
    _ command: String, _ arguments: [String], in place: URL? = nil
  ) throws -> (status: Int32, text: String) {
    let output = folder.appending(path: "output")
    try Data().write(to: output)
    let handle = try FileHandle(forWritingTo: output)
    let process = Process()
    process.executableURL =
      command.hasPrefix("/")
      ? URL(filePath: command) : URL(filePath: "\(Compiler.toolchain)/bin/\(command)")
    process.arguments = arguments
    process.currentDirectoryURL = place ?? root
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = handle
    process.standardError = handle
    try process.run()
    process.waitUntilExit()
    try handle.close()
    let text = String(decoding: try Data(contentsOf: output), as: UTF8.self)
      .replacing("\r\n", with: "\n")
    return (process.terminationStatus, text)
  }
}
