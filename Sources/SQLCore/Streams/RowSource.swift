/// What a stream reads, and how its rows become values.
package struct RowSource<Element: Sendable>: Sendable {
  /// Loads rows into memory, stepping the statement: at most `capacity`. `progress.count` tells how
  /// many are whole, also when it throws; `row` is the number of the first.
  package typealias Load =
    @Sendable (
      _ core: ConnectionCore, _ statement: StatementPointer,
      _ memory: UnsafeMutablePointer<Element>, _ capacity: Int, _ row: Int,
      _ progress: inout RowProgress
    ) throws -> Void

  let prepare: @Sendable (ConnectionCore) throws -> StatementPointer
  let load: Load

  /// - Parameter prepare: lends the statement, its values bound.
  package init(
    prepare: @escaping @Sendable (ConnectionCore) throws -> StatementPointer,
    load: @escaping Load
  ) {
    self.prepare = prepare
    self.load = load
  }

  /// Rows that are read one by one.
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

  /// Rows of raw SQL that are read one by one.
  init(
    _ sql: SQL, read: @escaping @Sendable (ConnectionCore, StatementPointer) throws -> Element
  ) {
    self.init(prepare: { try $0.lendStatement(for: sql) }, read: read)
  }
}
