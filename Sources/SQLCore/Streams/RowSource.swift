/// The statement that a stream reads, and the conversion of its rows to values.
package struct RowSource<Element: Sendable>: Sendable {
  /// A function that steps the statement and loads at most `capacity` rows into memory.
  /// `progress.count` is the number of rows that were loaded completely, even if it throws; `row`
  /// is the number of the first row.
  package typealias Load =
    @Sendable (
      _ core: ConnectionCore, _ statement: StatementPointer,
      _ memory: UnsafeMutablePointer<Element>, _ capacity: Int, _ row: Int,
      _ progress: inout RowProgress
    ) throws -> Void

  let prepare: @Sendable (ConnectionCore) throws -> StatementPointer
  let load: Load

  /// - Parameter prepare: lends the statement with its values bound.
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
