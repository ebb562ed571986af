import CDuckDB
import Foundation

/// DuckDB's C library. A process loads it once, when it opens the first database.
///
/// The environment variable `APUS_DUCKDB` may contain the path of the library, or several paths
/// separated by colons. If there are several paths, the libraries are loaded in their order. The
/// last library must be DuckDB. The libraries before it are those that DuckDB needs. For example,
/// if DuckDB is part of a module for another language, it needs the library of that language.
enum DuckDBLibrary {
  static let variable = "APUS_DUCKDB"

  private static let lock = NSLock()
  /// The version of the library; nil until the library is loaded.
  nonisolated(unsafe) private static var loaded: String?

  /// Loads the library, unless it is loaded already, and returns its version.
  ///
  /// If `path` is given, only the library at this path is tried. If `path` is nil and the
  /// environment variable is set, only the library that the variable names is tried. If neither is
  /// given, the usual places are tried.
  static func load(path: String?) throws -> String {
    try lock.withLock {
      if let loaded { return loaded }
      let version = try find(path: path)
      loaded = version
      return version
    }
  }

  /// Loads the first library that can be used, and returns its version.
  static func find(path: String?) throws -> String {
    var tried: [AnalyticsError.Attempt] = []
    for candidate in candidates(path) {
      switch attempt(candidate) {
      case .success(let version): return version
      case .failure(let failure):
        tried.append(.init(path: candidate.joined(separator: ":"), reason: failure.reason))
      }
    }
    throw AnalyticsError.libraryNotFound(tried: tried)
  }

  private static func candidates(_ path: String?) -> [[String]] {
    func list(_ text: String) -> [String] { text.split(separator: ":").map(String.init) }
    if let path { return [list(path)] }
    if let named = ProcessInfo.processInfo.environment[variable], !named.isEmpty {
      return [list(named)]
    }
    #if canImport(Darwin)
      let name = "libduckdb.dylib"
    #else
      let name = "libduckdb.so"
    #endif
    return [[name], ["/usr/local/lib/\(name)"], ["/opt/homebrew/lib/\(name)"]]
  }

  private struct Failure: Error { let reason: String }

  private static func attempt(_ paths: [String]) -> Result<String, Failure> {
    var handle: UnsafeMutableRawPointer?
    for (index, path) in paths.enumerated() {
      var message: UnsafeMutablePointer<CChar>?
      handle = adb_load(path, index < paths.count - 1, &message)
      guard handle == nil else { continue }
      let reason = message.map { String(cString: $0) } ?? "it cannot be loaded"
      free(message)
      return .failure(Failure(reason: reason))
    }
    guard let handle else { return .failure(Failure(reason: "the path is empty")) }
    if let missing = adb_find(handle) {
      let version = adb_version(handle).map { String(cString: $0) } ?? "another library"
      return .failure(
        Failure(
          reason: "it has no function \(String(cString: missing)) (\(version)); "
            + "use DuckDB 1.5 or later"))
    }
    return .success(adb_version(handle).map { String(cString: $0) } ?? "")
  }

}
