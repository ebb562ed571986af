import CDuckDB
import Foundation
import SQLCore

/// A connection of DuckDB. Only one thread at a time may use it.
final class DuckConnection {
  fileprivate var handle: adb_connection?
  /// The database, which must not be closed before its connections.
  private let database: DuckDatabase

  init(_ handle: adb_connection, of database: DuckDatabase) {
    self.handle = handle
    self.database = database
  }

  deinit {
    adb_disconnect(&handle)
  }

  // MARK: Statements

  /// Runs statements that have no parameters, and ignores their rows.
  func run(_ sql: String) throws {
    var result = adb_result()
    defer { adb_destroy_result(&result) }
    guard adb_query(handle, sql, &result) == ADB_SUCCESS else {
      throw failure(adb_result_error(&result), sql)
    }
  }

  /// Runs a closure between BEGIN and COMMIT. If the closure or COMMIT throws an error, rolls the
  /// transaction back.
  func transaction<Result>(_ body: () throws -> Result) throws -> Result {
    try run("BEGIN TRANSACTION")
    do {
      let result = try body()
      try run("COMMIT")
      return result
    } catch {
      try? run("ROLLBACK")
      throw error
    }
  }

  /// Starts a statement with values for its parameters, and returns when its first rows can be
  /// read.
  ///
  /// While the statement runs, `isStopped` is called again and again. If it returns true, the
  /// statement is interrupted, and `AnalyticsError.interrupted` is thrown.
  func rows(
    of sql: String, _ values: [DatabaseValue] = [], isStopped: () -> Bool = { false }
  ) throws -> DuckRows {
    var statement: adb_statement?
    var pending: adb_pending?
    defer {
      adb_destroy_pending(&pending)
      adb_destroy_prepare(&statement)
    }
    try onLargeStack {
      guard adb_prepare(handle, sql, &statement) == ADB_SUCCESS else {
        throw failure(adb_prepare_error(statement), sql)
      }
      for (index, value) in values.enumerated() {
        guard bind(value, at: UInt64(index + 1), of: statement) == ADB_SUCCESS else {
          throw AnalyticsError.failed(
            reason: "the value of parameter \(index + 1) cannot be bound", sql: sql)
        }
      }
      guard adb_pending_prepared_streaming(statement, &pending) == ADB_SUCCESS else {
        throw failure(adb_pending_error(pending), sql)
      }
    }
    var state = Int(adb_pending_execute_task(pending))
    while state == ADB_NOT_READY || state == ADB_NO_TASKS {
      if isStopped() {
        adb_interrupt(handle)
        throw AnalyticsError.interrupted
      }
      if state == ADB_NO_TASKS { Thread.sleep(forTimeInterval: 0.000_1) }
      state = Int(adb_pending_execute_task(pending))
    }
    guard state == ADB_READY else { throw failure(adb_pending_error(pending), sql) }
    let rows = DuckRows(sql: sql, connection: self)
    guard adb_execute_pending(pending, &rows.result) == ADB_SUCCESS else {
      throw failure(adb_result_error(&rows.result), sql)
    }
    try rows.readTypes()
    return rows
  }

  private func bind(
    _ value: DatabaseValue, at index: UInt64, of statement: adb_statement?
  ) -> Int {
    switch value {
    case .null: return Int(adb_bind_null(statement, index))
    case .integer(let integer): return Int(adb_bind_int64(statement, index, integer))
    case .real(let real): return Int(adb_bind_double(statement, index, real))
    case .text(var text):
      return text.withUTF8 { bytes in
        bytes.withMemoryRebound(to: CChar.self) {
          Int(
            adb_bind_varchar_length(statement, index, $0.baseAddress ?? Self.none, UInt64($0.count))
          )
        }
      }
    case .blob(let data), .invalidText(let data):
      return data.withUnsafeBytes { bytes in
        Int(adb_bind_blob(statement, index, bytes.baseAddress ?? Self.nothing, UInt64(bytes.count)))
      }
    }
  }

  /// An address that can be passed for an empty text, because the buffer of an empty text may have
  /// no base address.
  private static var none: UnsafePointer<CChar> {
    UnsafeRawPointer(empty.utf8Start).assumingMemoryBound(to: CChar.self)
  }
  private static var nothing: UnsafeRawPointer { UnsafeRawPointer(empty.utf8Start) }
  private static let empty = StaticString("")

  // MARK: Appending

  /// Returns an appender to a table.
  func appender(to table: String) throws -> DuckAppender {
    var appender: adb_appender?
    guard adb_appender_create(handle, nil, table, &appender) == ADB_SUCCESS else {
      let error = failure(adb_appender_error(appender), "appending to \(table)")
      _ = adb_appender_destroy(&appender)
      throw error
    }
    return DuckAppender(appender, table: table, connection: self)
  }

  // MARK: Errors

  /// Returns an error with a copy of DuckDB's message.
  func failure(_ message: UnsafePointer<CChar>?, _ sql: String) -> AnalyticsError {
    let text = message.map { String(cString: $0) } ?? "no reason is given"
    let line = text.split(separator: "\n").first.map(String.init) ?? text
    if line.hasPrefix("INTERRUPT") { return .interrupted }
    if line.hasPrefix("Out of Range Error: ") {
      return .outOfRange(reason: String(line.dropFirst("Out of Range Error: ".count)), sql: sql)
    }
    if line.hasPrefix("Conversion Error: "), line.contains("out of range") {
      return .outOfRange(reason: String(line.dropFirst("Conversion Error: ".count)), sql: sql)
    }
    return .failed(reason: line, sql: sql)
  }
}
