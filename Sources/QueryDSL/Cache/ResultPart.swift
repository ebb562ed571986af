import SQLCore

/// A part of a query's result (all rows, the first row or the count), and the way to read it for the
/// cache.
struct ResultPart<Row: Sendable, Value: Sendable>: Sendable {
  /// The number that stands for the part in a key.
  let number: UInt8
  /// Reads the part, and returns how large it is.
  let read: @Sendable (Query<Row>, Connection) throws -> (Value, ResultSize)
}

/// The size of a cached result.
struct ResultSize {
  /// The number of rows, as far as they are kept.
  var rows = 0
  /// The memory that the rows take, in bytes, roughly.
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
  /// Whether there is any row.
  static var exists: Self {
    Self(number: 4) { query, connection in
      (try connection.exists(query), ResultSize(rows: 1, bytes: 0))
    }
  }
}

extension RowDecoding {
  /// Returns the next row of a statement, or nil, and adds its size.
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
