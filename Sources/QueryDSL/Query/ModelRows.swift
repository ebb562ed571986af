import SQLCore

/// The rows of a statement on their way into an array of models, which lends the memory.
///
/// It is not generic: what a client compiles for its model is the array alone.
@usableFromInline
struct ModelRows: ~Copyable {
  private let layout: ModelLayout
  private let core: ConnectionCore
  private let statement: StatementPointer
  private var progress = RowProgress()
  private var loaded = 0
  private let limit: Int
  /// Where the columns are in the result; nil where they are the model's, in its order.
  private let positions: ColumnPositions?

  /// Steps to the first row.
  @usableFromInline
  init(
    of statement: StatementPointer, layout: ModelLayout, on core: ConnectionCore, limit: Int,
    findingColumnsByName: Bool
  ) throws {
    if !findingColumnsByName { try layout.checkColumnCount(of: statement) }
    let isAtRow = try core.step(statement)
    positions = findingColumnsByName ? try layout.positions(in: statement) : nil
    self.layout = layout
    self.core = core
    self.statement = statement
    self.limit = limit
    progress.isAtRow = isAtRow
    progress.isAtEnd = !isAtRow
  }

  /// Whether all rows are loaded.
  @usableFromInline var isAtEnd: Bool { progress.isAtEnd }

  /// For how many rows the array makes room next: few at first, then as many as it has.
  @usableFromInline var room: Int { max(1, loaded == 0 ? min(16, limit) : loaded) }

  /// Loads rows into memory until there are no more or it is full; `count` is how many, also where
  /// this throws.
  @usableFromInline
  mutating func load(
    into memory: UnsafeMutableRawPointer, capacity: Int, count: inout Int
  ) throws {
    defer {
      count = progress.count
      loaded += progress.count
    }
    progress.count = 0
    do {
      let layout = layout
      try core.loadRows(
        of: statement, columns: layout.slots, at: positions, into: memory, capacity: capacity,
        initializingOthers: layout.hasIgnored ? { layout.initializeIgnored(in: $0) } : nil,
        progress: &progress)
    } catch {
      throw layout.locate(error, column: progress.column, row: loaded + progress.count)
    }
    // The array grows only where there is one more row.
    if !progress.isAtEnd {
      progress.isAtRow = try core.step(statement)
      progress.isAtEnd = !progress.isAtRow
    }
  }
}

extension ModelLayout {
  /// Loads the row at which a statement stands into memory that has room for a model, and returns
  /// where it lies.
  @usableFromInline
  func load(
    rowOf statement: StatementPointer, on core: ConnectionCore, skipping first: Int, row: Int?,
    into memory: UnsafeMutableRawBufferPointer
  ) throws -> UnsafeMutableRawPointer {
    guard let model = memory.baseAddress else { throw DatabaseError.misuse("no memory") }
    var progress = RowProgress()
    do {
      try core.loadRow(
        of: statement, columns: slots, skipping: first, into: model, progress: &progress)
    } catch {
      throw locate(error, column: progress.column, row: row)
    }
    if hasIgnored { initializeIgnored(in: model) }
    return model
  }

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
