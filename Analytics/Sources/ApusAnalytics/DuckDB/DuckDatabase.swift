import CDuckDB

/// An open database of DuckDB, which is stored in a file or in memory.
///
/// `@unchecked Sendable`: several threads may use the handle of a DuckDB database at the same time.
/// Only a connection must not be used by two threads at the same time.
final class DuckDatabase: @unchecked Sendable {
  /// The handle. It is nil only if the database could not be opened, so that the initializer
  /// throws.
  private var handle: adb_database?
  let version: String

  /// Opens a database. If the path is empty, the database is in memory.
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
    // Versions of DuckDB before 2.0 do not have the first setting, so this statement fails there.
    // These versions behave as if the setting were off.
    try? opened.run("SET error_on_division_by_zero = false")
    try opened.run("SET ieee_floating_point_ops = true")
    try opened.run("SET scalar_subquery_error_on_multiple_rows = false")
    for macro in SQLiteMacros.definitions { try opened.run("CREATE TEMP MACRO \(macro)") }
    return opened
  }
}
