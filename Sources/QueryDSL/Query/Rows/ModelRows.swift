import SQLCore

/// The rows of a statement while they are loaded into the memory of an array of models.
///
/// It is not generic: a client compiles only the array for its model.
@usableFromInline
struct ModelRows: ~Copyable {
  private let layout: ModelLayout
  private let core: ConnectionCore
  private let statement: StatementPointer
  private var progress = RowProgress()
  private var loaded = 0
  private let limit: Int
  /// The positions of the columns in the result; nil if they are exactly the model's, in its order.
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

  /// The number of rows for which the array makes room next: few at first, then as many as it has.
  @usableFromInline var room: Int { max(1, loaded == 0 ? min(16, limit) : loaded) }

  /// Loads rows into memory until there are no more rows or the memory is full. `count` is set to
  /// their number, even if this throws.
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
    // Step ahead, so that the array grows only if there is another row.
    if !progress.isAtEnd {
      progress.isAtRow = try core.step(statement)
      progress.isAtEnd = !progress.isAtRow
    }
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

  /// Adds the table, column and row to a `ColumnValueError`.
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
        message: "\(tableName) has \(columns.count) columns, but the statement returns \(count)",
        sql: statement.sql)
    }
  }
}
