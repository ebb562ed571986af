import CDuckDB

/// An open database of DuckDB: a file, or one in memory.
///
/// `@unchecked Sendable`: DuckDB's database handle may be used from several threads; only its
/// connections may not.
final class DuckDatabase: @unchecked Sendable {
  /// The handle; nil only while the initializer fails.
  private var handle: adb_database?
  let version: String

  /// Opens a database. An empty path opens one in memory.
  init(path: String, library: String?, threads: Int?, memoryLimit: String?) throws {
    version = try DuckDBLibrary.load(path: library)
    var config: adb_config?
    guard adb_create_config(&config) == ADB_SUCCESS else {
      throw AnalyticsError.cannotOpen(path: path, reason: "there is no memory")
    }
    defer { adb_destroy_config(&config) }
    var options: [(String, String)] = []
    if let threads { options.append(("threads", "\(threads)")) }
    if let memoryLimit { options.append(("max_memory", memoryLimit)) }
    for (name, value) in options where adb_set_config(config, name, value) != ADB_SUCCESS {
      throw AnalyticsError.cannotOpen(path: path, reason: "\(value) is no value for \(name)")
    }
    var message: UnsafeMutablePointer<CChar>?
    guard adb_open_ext(path.isEmpty ? nil : path, &handle, config, &message) == ADB_SUCCESS else {
      let reason = message.map { String(cString: $0) } ?? "no reason is given"
      adb_free(message)
      adb_close(&handle)
      throw AnalyticsError.cannotOpen(path: path, reason: reason)
    }
  }

  deinit {
    adb_close(&handle)
  }

  /// Opens a connection, with the settings and functions that translated queries need.
  func connect() throws -> DuckConnection {
    var connection: adb_connection?
    guard adb_connect(handle, &connection) == ADB_SUCCESS, let connection else {
      throw AnalyticsError.failed(reason: "no connection can be opened", sql: "")
    }
    let opened = DuckConnection(connection, of: self)
    // Versions before 2.0 lack the first setting, and answer as if it were off.
    try? opened.run("SET error_on_division_by_zero = false")
    try opened.run("SET ieee_floating_point_ops = true")
    try opened.run("SET scalar_subquery_error_on_multiple_rows = false")
    for macro in SQLiteMacros.definitions { try opened.run("CREATE TEMP MACRO \(macro)") }
    return opened
  }
}
