import CSQLite

/// The statement that a stream reads, and the conversion of its rows to values.
package struct RowSource<Element: Sendable>: Sendable {
  /// A function that steps the statement and loads at most `capacity` rows into memory. Even if the
  /// function throws, `progress.count` is the number of rows that were loaded completely. `row` is
  /// the number that the first of these rows has in the stream.
  package typealias Load =
    @Sendable (
      _ core: ConnectionCore, _ statement: StatementPointer,
      _ memory: UnsafeMutablePointer<Element>, _ capacity: Int, _ row: Int,
      _ progress: inout RowProgress
    ) throws -> Void

  let prepare: @Sendable (ConnectionCore) throws -> StatementPointer
  let load: Load

  /// - Parameter prepare: the closure that returns the statement, to which its values are already
  ///   bound.
  package init(
    prepare: @escaping @Sendable (ConnectionCore) throws -> StatementPointer,
    load: @escaping Load
  ) {
    self.prepare = prepare
    self.load = load
  }

  /// Makes a source whose rows are read one by one.
  package init(
    prepare: @escaping @Sendable (ConnectionCore) throws -> StatementPointer,
    read: @escaping @Sendable (ConnectionCore, StatementPointer) throws -> Element
  ) {
    self.init(prepare: prepare) { core, statement, memory, capacity, row, progress in
      while progress.count < capacity {
        guard try core.step(statement) else {
          progress.isAtEnd = true
          return
        }
        do {
          let element = try read(core, statement)
          (memory + progress.count).initialize(to: element)
        } catch let error as ColumnValueError {
          throw error.at(table: nil, column: nil, row: row + progress.count)
        }
        progress.count += 1
      }
    }
  }

  /// Makes a source that reads the rows of raw SQL one by one.
  init(
    _ sql: SQL, read: @escaping @Sendable (ConnectionCore, StatementPointer) throws -> Element
  ) {
    self.init(prepare: { try $0.lendStatement(for: sql) }, read: read)
  }
}

/// The connection of a stream, with the statement at its current row.
///
/// The statement itself keeps the snapshot. From its first step to its reset, it sees only the
/// commits before its first step, so the stream needs no transaction.
///
/// `@unchecked Sendable`: the cursor moves between threads, but one thread at a time uses it.
/// Either the state of the `StreamProducer` holds the cursor, and no thread uses it, or one job has
/// taken the cursor out of that state.
final class StreamCursor<Element: Sendable>: @unchecked Sendable {
  let core: ConnectionCore
  private let source: RowSource<Element>
  private var statement: StatementPointer?
  private var progress = RowProgress()
  private var loaded = 0
  private var pacing = BatchPacing()

  init(core: ConnectionCore, source: RowSource<Element>) {
    self.core = core
    self.source = source
  }

  /// Prepares the statement, but does not step it. The first step reads the first row.
  func prepare() throws {
    statement = try source.prepare(core)
  }

  /// Whether every row was read.
  var isAtEnd: Bool { progress.isAtEnd }

  /// Whether the deadline of the stream has passed.
  var isLate: Bool { core.state.pointee.access.isLate }

  /// The maximum number of rows in the next batch.
  var room: Int { pacing.rows }

  /// Reads rows into a batch. If this method throws, the batch has the rows before the error.
  func fill(_ batch: RowBatch<Element>) throws {
    guard let statement else { return }
    pacing.beginBatch()
    let room = min(pacing.rows, batch.capacity)
    while batch.count < room {
      let slice = min(pacing.next(after: batch.count), room - batch.count)
      progress.count = 0
      defer {
        batch.count += progress.count
        loaded += progress.count
      }
      try source.load(
        core, statement, batch.memory + batch.count, slice, loaded, &progress)
      if progress.isAtEnd { return }
      let bytes = core.byteCount(ofRowAt: statement)
      guard pacing.noteSlice(of: progress.count, rowBytes: bytes) else { return }
    }
    pacing.grow()
  }

  /// Ends the statement, and with it the snapshot.
  func end() {
    if let statement { core.giveBack(statement) }
    statement = nil
  }
}

extension ConnectionCore {
  /// Returns the number of bytes in the texts and BLOBs of a statement's current row.
  fileprivate func byteCount(ofRowAt statement: StatementPointer) -> Int {
    var bytes = 0
    for index in 0..<sqlite3_data_count(statement.handle) {
      let type = sqlite3_column_type(statement.handle, index)
      guard type == SQLITE_TEXT || type == SQLITE_BLOB else { continue }
      bytes += Int(sqlite3_column_bytes(statement.handle, index))
    }
    return bytes
  }
}
