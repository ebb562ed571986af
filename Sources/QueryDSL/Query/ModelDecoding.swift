import SQLCore

extension Model {
  /// How rows are read that are this model, column by column.
  static var decoding: RowDecoding<Self> {
    RowDecoding(
      all: { core, statement in try load(all: statement, on: core) },
      one: { reader in
        defer { reader.position += (try? layout.columns.count) ?? 0 }
        return try load(
          rowOf: reader.statement, on: reader.core, skipping: reader.position, row: nil)
      },
      columns: {
        try layout.columns.map { ResultColumn(name: $0.name, type: $0.type, form: $0.form) }
      })
  }

  /// Reads all rows of a statement straight into the storage of an array.
  static func load(all statement: StatementPointer, on core: ConnectionCore) throws -> [Self] {
    let layout = try layout
    try layout.checkColumnCount(of: statement)
    try core.beginReading(statement)
    let others: ((UnsafeMutableRawPointer) -> Void)? =
      layout.hasIgnored ? { layout.initializeIgnored(in: $0) } : nil
    var models: [Self] = []
    var progress = RowProgress()
    var room = 16
    while !progress.isAtEnd {
      progress.count = 0
      do {
        try models.append(capacity: room) { memory in
          try core.loadRows(
            of: statement, columns: layout.slots, into: memory, capacity: room,
            initializingOthers: others, progress: &progress)
          return progress.count
        } countOnError: {
          progress.count
        }
      } catch {
        throw layout.locate(error, column: progress.column, row: models.count)
      }
      room = models.count
    }
    return models
  }

  /// Reads the row at which a statement stands.
  static func load(
    rowOf statement: StatementPointer, on core: ConnectionCore, skipping first: Int, row: Int?
  ) throws -> Self {
    let layout = try layout
    return try withUnsafeTemporaryAllocation(of: Self.self, capacity: 1) { memory in
      guard let model = memory.baseAddress else { throw DatabaseError.misuse("no memory") }
      var progress = RowProgress()
      do {
        try core.loadRow(
          of: statement, columns: layout.slots, skipping: first,
          into: UnsafeMutableRawPointer(model), progress: &progress)
      } catch {
        throw layout.locate(error, column: progress.column, row: row)
      }
      if layout.hasIgnored { layout.initializeIgnored(in: UnsafeMutableRawPointer(model)) }
      return model.move()
    }
  }
}

extension ModelLayout {
  /// Adds table, column and row to an error of a value.
  func locate(_ error: any Error, column: Int, row: Int?) -> any Error {
    guard let error = error as? ColumnValueError, columns.indices.contains(column) else {
      return error
    }
    return error.at(table: tableName, column: columns[column].name, row: row)
  }

  func checkColumnCount(of statement: StatementPointer) throws {
    let count = StatementRow(statement: statement).count
    guard count == columns.count else {
      throw DatabaseError(
        code: .range,
        message: "\(tableName) has \(columns.count) columns, and the statement gives \(count)",
        sql: statement.sql)
    }
  }
}

extension Array {
  /// Appends up to `capacity` elements that a closure writes into the array's own storage; it
  /// returns how many. After an error, those that `countOnError` tells stay.
  fileprivate mutating func append(
    capacity: Int, initializing body: (UnsafeMutableRawPointer) throws -> Int,
    countOnError: () -> Int
  ) throws {
    if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
      try append(addingCapacity: capacity) { span in
        try span.withUnsafeMutableBufferPointer { buffer, count in
          guard let base = buffer.baseAddress else { return }
          do {
            count += try body(UnsafeMutableRawPointer(base + count))
          } catch {
            count += countOnError()
            throw error
          }
        }
      }
    } else {
      let chunk = try [Element](unsafeUninitializedCapacity: capacity) { buffer, count in
        guard let base = buffer.baseAddress else { return }
        do {
          count = try body(UnsafeMutableRawPointer(base))
        } catch {
          count = countOnError()
          throw error
        }
      }
      append(contentsOf: chunk)
    }
  }
}
