import CFaults

/// A connection through the C interface, as simple as possible.
final class PlainConnection {
  let handle: OpaquePointer

  init(path: String, readOnly: Bool = false) throws {
    var opened: OpaquePointer?
    let flags = readOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE
    let code = sqlite3_open_v2(path, &opened, flags, nil)
    guard code == SQLITE_OK, let opened else {
      sqlite3_close_v2(opened)
      throw PlainError(code: code, message: "open")
    }
    handle = opened
    sqlite3_busy_timeout(handle, 2_000)
  }

  /// Creates a file.
  init(creating path: String) throws {
    var opened: OpaquePointer?
    let code = sqlite3_open_v2(path, &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nil)
    guard code == SQLITE_OK, let opened else {
      sqlite3_close_v2(opened)
      throw PlainError(code: code, message: "create")
    }
    handle = opened
  }

  deinit { sqlite3_close_v2(handle) }

  func execute(_ sql: String) throws {
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw error(code) }
  }

  /// Reads all values of all rows, one after another.
  func forEach(
    _ sql: String, _ body: (PlainValue) throws -> Void, row: () throws -> Void = {}
  ) throws {
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v2(handle, sql, -1, &statement, nil)
    guard code == SQLITE_OK, let statement else { throw error(code) }
    defer { sqlite3_finalize(statement) }
    while true {
      let code = sqlite3_step(statement)
      if code == SQLITE_DONE { return }
      guard code == SQLITE_ROW else { throw error(code) }
      for index in 0..<sqlite3_column_count(statement) {
        try body(Self.value(statement, index))
      }
      try row()
    }
  }

  func rows(_ sql: String) throws -> [[PlainValue]] {
    var rows: [[PlainValue]] = []
    var row: [PlainValue] = []
    try forEach(sql) {
      row.append($0)
    } row: {
      rows.append(row)
      row = []
    }
    return rows
  }

  func requireWhole() throws {
    let findings = try rows("PRAGMA integrity_check(3)")
    try require(findings == [[.text("ok")]], "integrity_check: \(findings)")
    let violations = try rows("PRAGMA foreign_key_check")
    try require(violations.isEmpty, "foreign_key_check: \(violations.count) rows")
  }

  static func value(_ statement: OpaquePointer, _ index: Int32) -> PlainValue {
    let type = sqlite3_column_type(statement, index)
    switch type {
    case SQLITE_INTEGER: return .integer(sqlite3_column_int64(statement, index))
    case SQLITE_FLOAT: return .real(sqlite3_column_double(statement, index).bitPattern)
    case SQLITE_TEXT, SQLITE_BLOB:
      let start = UnsafeRawPointer(
        type == SQLITE_TEXT
          ? UnsafeRawPointer(sqlite3_column_text(statement, index))
          : sqlite3_column_blob(statement, index))
      let count = Int(sqlite3_column_bytes(statement, index))
      let bytes = start.map { Array(UnsafeRawBufferPointer(start: $0, count: count)) } ?? []
      guard type == SQLITE_TEXT, let text = String(validating: bytes, as: UTF8.self) else {
        return .bytes(bytes)
      }
      return .text(text)
    default: return .null
    }
  }

  private func error(_ code: Int32) -> PlainError {
    PlainError(
      code: code, message: sqlite3_errmsg(handle).map { String(cString: $0) } ?? "unknown")
  }
}

/// An error of the C interface.
struct PlainError: Error, CustomStringConvertible {
  let code: Int32
  let message: String
  var description: String { "SQLite \(code): \(message)" }
}
