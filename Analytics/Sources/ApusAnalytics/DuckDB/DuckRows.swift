import ApusRemote
import CDuckDB
import SQLCore

/// The rows of a result of DuckDB, read one batch after another.
final class DuckRows {
  /// The result, which `deinit` frees.
  var result = adb_result()
  private let sql: String
  /// The connection, which must not be closed before its results.
  private let connection: DuckConnection
  private(set) var columnCount = 0
  private var columns: [Column] = []
  /// The batches that were read ahead, in reverse order: the last element is the next batch.
  private var waiting: [adb_chunk] = []
  private var chunk: adb_chunk?
  private var rowCount = 0
  private var row = -1
  private var isAtEnd = false
  /// Whether DuckDB has returned all batches of the result. If so, no further batch may be
  /// requested, because the connection may already run another statement.
  private var isFetched = false

  private struct Column {
    let type: Int
    var data: UnsafeMutableRawPointer?
    var validity: UnsafeMutablePointer<UInt64>?
  }

  init(sql: String, connection: DuckConnection) {
    self.sql = sql
    self.connection = connection
  }

  deinit {
    close()
    adb_destroy_result(&result)
  }

  /// Reads the types of the columns. Throws for types that no translated query returns.
  func readTypes() throws {
    columnCount = Int(adb_column_count(&result))
    columns = (0..<columnCount).map { Column(type: Int(adb_column_type(&result, UInt64($0)))) }
    let known = [
      ADB_BOOLEAN, ADB_TINYINT, ADB_SMALLINT, ADB_INTEGER, ADB_BIGINT, ADB_DOUBLE, ADB_VARCHAR,
      ADB_BLOB, ADB_SQLNULL,
    ]
    if let other = columns.first(where: { !known.contains($0.type) }) {
      throw AnalyticsError.failed(
        reason: "a column has DuckDB's type number \(other.type), which SQLite lacks", sql: sql)
    }
  }

  /// Goes to the next row. Returns false after the last one.
  func next(isStopped: () -> Bool) throws -> Bool {
    row += 1
    while row >= rowCount {
      guard !isAtEnd else { return false }
      if isStopped() { throw AnalyticsError.interrupted }
      guard let next = try waiting.popLast() ?? fetch() else {
        isAtEnd = true
        return false
      }
      show(next)
    }
    return true
  }

  private func fetch() throws -> adb_chunk? {
    guard !isFetched else { return nil }
    if let chunk = adb_fetch_chunk(result) { return chunk }
    isFetched = true
    if let message = adb_result_error(&result) { throw connection.failure(message, sql) }
    return nil
  }

  private func show(_ next: adb_chunk) {
    if chunk != nil { adb_destroy_data_chunk(&chunk) }
    chunk = next
    rowCount = Int(adb_data_chunk_get_size(next))
    row = 0
    for index in columns.indices {
      let vector = adb_data_chunk_get_vector(next, UInt64(index))
      columns[index].data = adb_vector_get_data(vector)
      columns[index].validity = adb_vector_get_validity(vector)
    }
  }

  /// Reads the remaining batches into memory, so that the connection can run another statement.
  func keepRemaining(isStopped: () -> Bool) throws {
    guard !isAtEnd else { return }
    var read: [adb_chunk] = []
    do {
      while let next = try fetch() {
        read.append(next)
        if isStopped() { throw AnalyticsError.interrupted }
      }
    } catch {
      Self.destroy(read)
      throw error
    }
    waiting = read.reversed() + waiting
  }

  /// Stops reading the rows, and frees the batches.
  func close() {
    isAtEnd = true
    row = 0
    rowCount = 0
    if chunk != nil { adb_destroy_data_chunk(&chunk) }
    Self.destroy(waiting)
    waiting = []
  }

  private static func destroy(_ chunks: [adb_chunk]) {
    for chunk in chunks {
      var chunk: adb_chunk? = chunk
      adb_destroy_data_chunk(&chunk)
    }
  }

  /// Calls a closure with the value in a column of the current row.
  func withValue(at index: Int, _ body: (RemoteValue) -> Void) {
    let column = columns[index]
    let isValid = column.validity.map { $0[row >> 6] & (1 << UInt64(row & 63)) != 0 } ?? true
    guard isValid, let data = column.data else { return body(.null) }
    func number<Number: FixedWidthInteger>(_ type: Number.Type) -> RemoteValue {
      .integer(Int64(truncatingIfNeeded: data.assumingMemoryBound(to: type)[row]))
    }
    switch column.type {
    case ADB_BOOLEAN, ADB_TINYINT: body(number(Int8.self))
    case ADB_SMALLINT: body(number(Int16.self))
    case ADB_INTEGER: body(number(Int32.self))
    case ADB_BIGINT: body(number(Int64.self))
    case ADB_DOUBLE:
      let real = data.assumingMemoryBound(to: Double.self)[row]
      body(real.isNaN ? .null : .real(real))
    default:
      let text = data.assumingMemoryBound(to: adb_text.self) + row
      let bytes = UnsafeRawBufferPointer(
        start: adb_text_bytes(text), count: Int(text.pointee.near.count))
      body(column.type == ADB_VARCHAR ? .text(bytes) : .blob(bytes))
    }
  }

  /// Returns all remaining rows.
  func allRows() throws -> [[DatabaseValue]] {
    var rows: [[DatabaseValue]] = []
    while try next(isStopped: { false }) {
      rows.append(
        (0..<columnCount).map { index in
          var value = DatabaseValue.null
          withValue(at: index) { value = DatabaseValue($0) }
          return value
        })
    }
    return rows
  }
}

extension DatabaseValue {
  init(_ value: RemoteValue) {
    switch value {
    case .null: self = .null
    case .integer(let integer): self = .integer(integer)
    case .real(let real): self = .real(real)
    case .text(let bytes): self = .text(String(decoding: bytes, as: UTF8.self))
    case .blob(let bytes): self = .blob(.init(bytes))
    }
  }
}
