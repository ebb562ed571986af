import Foundation

/// The compiler, and the parts of the build under test that a client program needs.
struct Toolchain: Sendable {
  /// The path of `swiftc`.
  let compiler: URL
  /// The folder of this build's `Apus.swiftmodule`, in debug and release and under every
  /// `--scratch-path`.
  let modules: URL
  /// The module map that the module `SQLCore` imports.
  let moduleMap: URL

  /// The folder into which the C modules are compiled once. The compiler refuses a cache that is
  /// named by two paths, one through a symbolic link, so this path is used only here.
  var moduleCache: URL {
    modules.deletingLastPathComponent().appending(path: "ClientModuleCache")
  }

  /// The arguments that the compiler needs for a program, whether or not it links it.
  var arguments: [String] {
    [
      "-swift-version", "6", "-parse-as-library", "-module-name", "Client", "-I", modules.path,
      "-module-cache-path", moduleCache.path, "-Xcc", "-fmodule-map-file=\(moduleMap.path)",
      "-plugin-path", testingMacros.path,
    ]
  }

  /// The folder with the macros of Swift Testing, for programs that import it.
  private var testingMacros: URL {
    compiler.resolvingSymlinksInPath().deletingLastPathComponent()
      .appending(path: "../lib/swift/host/plugins/testing").standardized
  }

  /// What links a program besides the objects.
  var linkArguments: [String] {
    // Objects that count coverage need the counters.
    let isCounting = ProcessInfo.processInfo.environment["LLVM_PROFILE_FILE"] != nil
    return ["-lsqlite3"] + (isCounting ? ["-profile-generate"] : [])
  }

  /// The objects of `Apus` and of what it imports, of those with which the running tests are
  /// linked: the folders may hold others, of files that are gone.
  func objects() throws -> [String] {
    let folder = modules.deletingLastPathComponent()
    let names = ["Apus", "SQLCore", "QueryDSL", "SchemaMigration", "ChangeObservation"]
      .map { "/\($0).build/" }
    let running = Self.places.map {
      URL(filePath: $0).deletingPathExtension().lastPathComponent + ".product"
    }
    let products = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".product") }.sorted()
    // Several packages may be built in the folder, some of them before the last change.
    for product in products.filter(running.contains) + products {
      let list = folder.appending(path: product).appending(path: "Objects.LinkFileList")
      guard let text = try? String(contentsOf: list, encoding: .utf8) else { continue }
      let objects = text.split(separator: "\n").map {
        $0.trimmingCharacters(in: CharacterSet(charactersIn: "'\""))
      }
      let found = objects.filter { object in names.contains { object.contains($0) } }
      if names.allSatisfy({ name in found.contains { $0.contains(name) } }) { return found }
    }
    throw NotFound(description: "no product in \(folder.path) is linked with Apus")
  }

  struct NotFound: Error, CustomStringConvertible {
    let description: String
  }

  static func find() throws -> Toolchain {
    Toolchain(compiler: try compiler(), modules: try modules(), moduleMap: try moduleMap())
  }

  private static func compiler() throws -> URL {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let candidates = path.split(separator: ":").map {
      URL(filePath: String($0)).appending(path: "swiftc")
    }
    guard let compiler = candidates.first(where: { isExecutable($0) }) else {
      throw NotFound(description: "no swiftc in PATH, which is \(path)")
    }
    return compiler
  }

  /// The paths of the running tests.
  private static var places: [String] {
    CommandLine.arguments.filter { $0.contains(".xctest") }
      + (Bundle.main.executablePath.map { [$0] } ?? [])
  }

  /// Searches the folders above the running tests, wherever they were built.
  private static func modules() throws -> URL {
    for place in places {
      var folder = URL(filePath: place).resolvingSymlinksInPath()
      while folder.pathComponents.count > 1 {
        folder.deleteLastPathComponent()
        let modules = folder.appending(path: "Modules")
        if exists(modules.appending(path: "Apus.swiftmodule")) { return modules }
      }
    }
    throw NotFound(description: "no Modules/Apus.swiftmodule above any of \(places)")
  }

  /// Searches the folders above this file, which the tests of the tools share by a link.
  private static func moduleMap() throws -> URL {
    var folder = URL(filePath: #filePath)
    while folder.pathComponents.count > 1 {
      folder.deleteLastPathComponent()
      let map = folder.appending(path: "Sources/CSQLite/module.modulemap")
      if exists(map) { return map }
    }
    throw NotFound(description: "no Sources/CSQLite/module.modulemap above \(#filePath)")
  }

  private static func exists(_ file: URL) -> Bool {
    FileManager.default.fileExists(atPath: file.path)
  }

  private static func isExecutable(_ file: URL) -> Bool {
    FileManager.default.isExecutableFile(atPath: file.path)
  }
}
