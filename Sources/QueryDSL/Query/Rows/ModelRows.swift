import SQLCore

/// The progress of loading a statement's rows into an array of models.
///
/// The type is not generic, so that this code is compiled only once. Only the code of the array is
/// compiled again for each model. The functions take the layout and the connection as arguments. If
/// the type stored them, it would have to retain and release them for each result.
@usableFromInline
struct ModelRows: ~Copyable {
  private var progress = RowProgress()
  private var loaded = 0
  private let limit: Int
  /// The position of each of the model's columns in the result; nil if the result has exactly these
  /// columns, in the model's order.
  private let positions: ColumnPositions?

  /// Steps to the first row.
  @usableFromInline
  init(
    of statement: StatementPointer, _ layout: borrowing ModelLayout,
    on core: borrowing ConnectionCore, limit: Int, findingColumnsByName: Bool
  ) throws {
    if !findingColumnsByName { try layout.checkColumnCount(of: statement) }
    let isAtRow = try core.step(statement)
    positions = findingColumnsByName ? try layout.positions(in: statement) : nil
    self.limit = limit
    progress.isAtRow = isAtRow
    progress.isAtEnd = !isAtRow
  }

  /// Whether all rows are loaded.
  @usableFromInline var isAtEnd: Bool { progress.isAtEnd }

  /// The number of rows for which the array makes room next. The first time, it is at most 16.
  /// After that, it is the number of rows that the array already has.
  @usableFromInline var room: Int { max(1, loaded == 0 ? min(16, limit) : loaded) }

  /// Loads rows into memory until there are no more rows or the memory is full. Sets `count` to the
  /// number of loaded rows, even if this function throws.
  @usableFromInline
  mutating func load(
    of statement: StatementPointer, _ layout: ModelLayout, on core: ConnectionCore,
    into memory: UnsafeMutableRawPointer, capacity: Int, count: inout Int
  ) throws {
    progress.count = 0
    defer {
      count = progress.count
      loaded += progress.count
    }
    do {
      try core.loadRows(
        of: statement, columns: layout.slots, at: positions, into: memory, capacity: capacity,
        initializingOthers: layout.hasIgnored ? { layout.initializeIgnored(in: $0) } : nil,
        progress: &progress)
    } catch {
      throw layout.locate(
        error, column: progress.column, row: loaded + progress.count, of: statement, positions)
    }
    if progress.isAtEnd { return }
    // Step to the next row now, so that the array grows only if there is another row. If the limit
    // is reached, no step is needed.
    progress.isAtRow = loaded + progress.count < limit ? try core.step(statement) : false
    progress.isAtEnd = !progress.isAtRow
  }
}

extension ColumnValueError {
  /// Adds the position of a statement's current row to an error. If the query selects a table and
  /// nothing else, adds the name of the table and the key of the row, too.
  package func at(
    row: Int, of statement: StatementPointer, _ query: SelectStatement
  ) -> ColumnValueError {
    let layout = query.layout
    return at(table: layout?.tableName, column: nil, row: row, key: layout?.key(of: statement))
  }
}

extension ModelLayout {
  /// Loads the statement's current row into memory that has room for a model, and returns the
  /// address of the model.
  @usableFromInline
  func load(
    rowOf statement: StatementPointer, on core: ConnectionCore, skipping first: Int, row: Int?,
    into memory: UnsafeMutableRawBufferPointer
  ) throws -> UnsafeMutableRawPointer {
    guard let model = memory.baseAddress else { throw Self.noMemory }
    var progress = RowProgress()
    do {
      try core.loadRow(
        of: statement, columns: slots, skipping: first, into: model, progress: &progress)
    } catch {
      throw locate(error, column: progress.column, row: row, of: statement, skipping: first)
    }
    if hasIgnored { initializeIgnored(in: model) }
    return model
  }

  @usableFromInline static var noMemory: any Error { DatabaseError.misuse("no memory") }

  /// Adds the table, column and row to a `ColumnValueError`.
  func locate(_ error: any Error, column: Int, row: Int?) -> any Error {
    guard let error = error as? ColumnValueError, columns.indices.contains(column) else {
      return error
    }
    return error.at(table: tableName, column: columns[column].name, row: row)
  }

  /// Adds the table, the column, the position of the row, and the key of a statement's current row
  /// to a `ColumnValueError`.
  ///
  /// - Parameters:
  ///   - positions: the position of each of the model's columns in the result; nil if the columns
  ///     are in the model's order, without gaps, from the index `first` on.
  func locate(
    _ error: any Error, column: Int, row: Int?, of statement: StatementPointer,
    _ positions: ColumnPositions? = nil, skipping first: Int = 0
  ) -> any Error {
    guard let located = locate(error, column: column, row: row) as? ColumnValueError else {
      return error
    }
    return located.at(
      table: nil, column: nil, row: nil, key: key(of: statement, positions, skipping: first))
  }

  /// Returns the key of a statement's current row. Returns nil if the model has no key, or if a
  /// part of the key is a text with invalid bytes, which has no value in Swift.
  fileprivate func key(
    of statement: StatementPointer, _ positions: ColumnPositions? = nil, skipping first: Int = 0
  ) -> [DatabaseValue]? {
    let row = StatementRow(statement: statement)
    let key = keyColumns.compactMap { index in
      try? row.databaseValue(at: positions?.indices.map { Int($0[index]) } ?? first + index)
    }
    return key.isEmpty || key.count < keyColumns.count ? nil : key
  }

  func checkColumnCount(of statement: StatementPointer) throws {
    let count = StatementRow(statement: statement).count
    guard count == columns.count else {
      throw DatabaseError(
        code: .range,
        message: "\(tableName) has \(columns.count) columns, but the statement returns \(count)",
        sql: statement.sql)
    }
  }
}

// These functions are `@inlinable`, so that a program that uses the library compiles them for each
// of its models, including the reference counting of an array of models. If they were called as
// generic functions that are not specialised for the model, reading a model would take 1.5 times as
// long.
extension ResultRow {
  /// The way to read rows of this type, column by column.
  @inlinable static var decoding: RowDecoding<Self> {
    RowDecoding(
      all: { core, statement, limit in try load(all: statement, on: core, limit: limit) },
      one: { reader in
        let layout = try layout
        defer { reader.position += layout.columns.count }
        return try load(
          layout, rowOf: reader.statement, on: reader.core, skipping: reader.position)
      },
      columns: {
        try layout.columns.map { ResultColumn(name: $0.name, type: $0.type, form: $0.form) }
      })
  }

  /// Reads all rows of a statement straight into the storage of an array.
  @inlinable
  static func load(
    all statement: StatementPointer, on core: ConnectionCore, limit: Int = .max,
    findingColumnsByName: Bool = false
  ) throws -> [Self] {
    let layout = try layout
    var rows = try ModelRows(
      of: statement, layout, on: core, limit: limit, findingColumnsByName: findingColumnsByName)
    var models: [Self] = []
    while !rows.isAtEnd {
      let room = rows.room
      try models.append(capacity: room) { memory, count in
        try rows.load(
          of: statement, layout, on: core, into: memory, capacity: room, count: &count)
      }
    }
    return models
  }

  /// Reads the statement's current row.
  @inlinable
  static func load(
    _ layout: ModelLayout, rowOf statement: StatementPointer, on core: ConnectionCore,
    skipping first: Int = 0, row: Int? = nil
  ) throws -> Self {
    // The closure sets a variable. If it returned the model, the model would be copied four times.
    var loaded: Self?
    try withUnsafeTemporaryAllocation(
      byteCount: MemoryLayout<Self>.size, alignment: MemoryLayout<Self>.alignment
    ) { memory in
      loaded = try layout.load(
        rowOf: statement, on: core, skipping: first, row: row, into: memory
      ).assumingMemoryBound(to: Self.self).move()
    }
    guard let loaded else { throw ModelLayout.noMemory }
    return loaded
  }
}

extension Array {
  /// Appends up to `capacity` elements, which a closure writes into the array's own storage. The
  /// closure counts the elements in its second argument. If the closure throws, the array either
  /// keeps the elements that were counted, or destroys them.
  @inlinable
  mutating func append(
    capacity: Int, initializing body: (UnsafeMutableRawPointer, inout Int) throws -> Void
  ) throws {
    if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
      try append(addingCapacity: capacity) { span in
        try span.withUnsafeMutableBufferPointer { buffer, count in
          guard let base = buffer.baseAddress else { return }
          var added = 0
          defer { count += added }
          try body(UnsafeMutableRawPointer(base + count), &added)
        }
      }
    } else {
      let chunk = try [Element](unsafeUninitializedCapacity: capacity) { buffer, count in
        guard let base = buffer.baseAddress else { return }
        try body(UnsafeMutableRawPointer(base), &count)
      }
      append(contentsOf: chunk)
    }
  }
}
