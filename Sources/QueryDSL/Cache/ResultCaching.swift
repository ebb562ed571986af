import SQLCore
import Synchronization

/// The caching of the results of queries.
enum ResultCaching {
  /// Whether the schema of any model in the process declares `CachedResults()`.
  static let isDeclared = Atomic<Bool>(false)
}

/// The key of a cached result. It consists of the query, the query's values, the type of the rows,
/// and the part of the result that is read, such as the count.
struct ResultKey: Sendable {
  let model: CachedModel
  let key: CacheKey
  /// The shape of the query.
  let shape: [UInt8]

  /// Makes the key; returns nil for a query whose results are not cached.
  init?<Row, Value>(_ query: Query<Row>, _ part: ResultPart<Row, Value>) {
    guard !query.decoding.isMapped,
      let layout = LayoutRegistry.shared.layout(number: query.statement.from.layout),
      let model = layout.resultCaching
    else { return nil }
    var writer = ShapeWriter(StatementDraft())
    defer { writer.draft.deallocate() }
    query.statement.write(to: &writer)
    // A query that cannot be rendered has no key. When this query runs, it throws its error.
    guard (try? writer.check()) != nil else { return nil }
    shape = Array(writer.draft.key.bytes)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(shape.count + 64)
    bytes.append(part.number)
    withUnsafeBytes(of: ObjectIdentifier(Row.self)) { bytes.append(contentsOf: $0) }
    // Queries with the same SQL may read values in different forms, for example a date in seconds
    // or in milliseconds.
    if !(Row.self is any ResultRow.Type) {
      guard let columns = try? query.decoding.columns() else { return nil }
      for column in columns {
        withUnsafeBytes(of: ObjectIdentifier(column.type)) { bytes.append(contentsOf: $0) }
        bytes.append(column.form.rawValue)
      }
    }
    withUnsafeBytes(of: shape.count) { bytes.append(contentsOf: $0) }
    bytes.append(contentsOf: shape)
    guard writer.draft.values.append(to: &bytes) else { return nil }
    self.model = model
    key = .bytes(bytes)
  }
}

/// A cached result.
final class CachedResult<Value: Sendable>: CachedValue {
  let value: Value

  init(_ value: Value) {
    self.value = value
  }
}

/// A lookup that did not find a result, with the values that are needed to cache the result after
/// it is read.
private struct ResultMiss: Sendable {
  let key: ResultKey
  let ticket: CacheTicket
  let cache: DatabaseCache
}

private enum ResultLookup<Value: Sendable> {
  case hit(Value, DatabaseCache)
  case miss(ResultMiss)
  /// Results of this query are not cached.
  case none
}

extension DatabaseReader {
  /// Returns a part of a query's result, such as the first row or the count. Uses the cache if
  /// possible.
  func cachedRead<Q: Fetchable, Value: Sendable>(
    _ query: Q, _ part: ResultPart<Q.Row, Value>, _ fileID: StaticString, _ line: UInt,
    _ body: (Connection) throws -> Value
  ) throws -> Value {
    switch try lookUp(query, part) {
    case .hit(let value, _): return value
    case .miss(let miss):
      return try _readOnce(fileID, line) { try $0.read(query, part, after: miss, body) }
    case .none: return try _readOnce(fileID, line, body)
    }
  }

  /// Returns a part of a query's result, such as the first row or the count. Uses the cache if
  /// possible. A cached result is returned without waiting for a connection.
  func cachedRead<Q: Fetchable, Value: Sendable>(
    _ query: Q, _ part: ResultPart<Q.Row, Value>, on execution: ReadExecution,
    _ fileID: StaticString,
    _ line: UInt, _ body: @escaping @Sendable (Connection) throws -> Value
  ) async throws -> Value {
    switch try lookUp(query, part) {
    case .hit(let value, let cache):
      try Task.checkCancellation()
      if cache.isTimeToYield { await Task.yield() }
      return value
    case .miss(let miss):
      return try await _readOnce(on: execution, fileID, line) {
        try $0.read(query, part, after: miss, body)
      }
    case .none: return try await _readOnce(on: execution, fileID, line, body)
    }
  }

  @inline(__always)
  private func lookUp<Q: Fetchable, Value>(
    _ query: Q, _ part: ResultPart<Q.Row, Value>
  ) throws -> ResultLookup<Value> {
    guard ResultCaching.isDeclared.load(ordering: .relaxed), let cache = _cache,
      let key = ResultKey(query.query, part)
    else { return .none }
    switch try cache.lookUp(key.key, in: key.model) {
    case .hit(let result):
      // The cast is safe, because the key contains the type.
      return .hit(unsafeDowncast(result, to: CachedResult<Value>.self).value, cache)
    case .miss(let ticket): return .miss(ResultMiss(key: key, ticket: ticket, cache: cache))
    }
  }
}

extension Connection {
  /// Reads a part of a result that is not in the cache. Caches the part if possible.
  fileprivate func read<Q: Fetchable, Value>(
    _ query: Q, _ part: ResultPart<Q.Row, Value>, after miss: ResultMiss,
    _ body: (Connection) throws -> Value
  ) throws -> Value {
    let core = try use()
    defer { miss.cache.useIndex(of: core, with: miss.ticket) }
    let query = query.query
    guard miss.ticket.allowsStoring,
      let tables = try core.resultTables(
        of: miss.key.shape, text: { try query.statement.rendered().text })
    else { return try body(self) }
    let (value, size) = try part.read(query, self)
    let entry = CacheEntry(
      CachedResult(value), for: miss.key.key, byteCount: size.bytes + miss.key.shape.count * 2,
      rowCount: size.rows, tables: tables)
    miss.cache.store(entry, for: miss.key.key, in: miss.key.model, with: miss.ticket)
    return value
  }
}

/// A part of a query's result, and how to read it for the cache. The parts are all rows, the first
/// row, the count, and whether there is a row.
struct ResultPart<Row: Sendable, Value: Sendable>: Sendable {
  /// The number that identifies this part in a `ResultKey`.
  let number: UInt8
  /// Reads the part, and returns it with its size.
  let read: @Sendable (Query<Row>, Connection) throws -> (Value, ResultSize)
}

/// The size of a cached result.
struct ResultSize {
  /// The number of rows in the cached result.
  var rows = 0
  /// The approximate memory that the rows take, in bytes.
  var bytes = 0
}

extension ResultPart where Value == [Row] {
  /// All rows.
  static var rows: Self {
    Self(number: 1) { query, connection in
      let core = try connection.use()
      var size = ResultSize()
      let statement = try core.lendStatement(for: query.statement)
      defer { core.giveBack(statement) }
      var rows: [Row] = []
      while let row = try query.decoding.next(of: statement, on: core, &size) { rows.append(row) }
      return (rows, size)
    }
  }
}

extension ResultPart where Value == Row? {
  /// The first row, or nil.
  static var first: Self {
    Self(number: 2) { query, connection in
      let core = try connection.use()
      var size = ResultSize()
      let statement = try core.lendStatement(for: query.withOneRow.statement)
      defer { core.giveBack(statement) }
      return (try query.decoding.next(of: statement, on: core, &size), size)
    }
  }
}

extension ResultPart where Value == Int {
  /// The number of rows.
  static var count: Self {
    Self(number: 3) { query, connection in
      (try connection.count(query), ResultSize(rows: 1, bytes: 0))
    }
  }
}

extension ResultPart where Value == Bool {
  /// Whether the result has a row.
  static var exists: Self {
    Self(number: 4) { query, connection in
      (try connection.exists(query), ResultSize(rows: 1, bytes: 0))
    }
  }
}

extension RowDecoding {
  /// Returns the next row of a statement, and adds the size of the row to `size`. Returns nil after
  /// the last row.
  fileprivate func next(
    of statement: StatementPointer, on core: ConnectionCore, _ size: inout ResultSize
  ) throws -> Row? {
    guard try core.step(statement) else { return nil }
    var reader = RowReader(core: core, statement: statement)
    do {
      let row = try one(&reader)
      size.rows += 1
      size.bytes += MemoryLayout<Row>.stride + core.contentByteCount(of: statement)
      return row
    } catch let error as ColumnValueError {
      throw error.at(table: nil, column: nil, row: size.rows)
    }
  }
}
