import SQLCore

/// Binds the values of a query to the parameters of its statement, in the order in which they are
/// met.
struct BindingSink: QuerySink {
  private let core: ConnectionCore
  private let statement: StatementPointer
  private var index: Int32 = 0

  init(core: ConnectionCore, statement: StatementPointer) {
    self.core = core
    self.statement = statement
  }

  mutating func value(_ value: BoundValue) throws {
    index &+= 1
    try core.bind(value, to: statement, at: index)
  }

  mutating func fragment(_ sql: SQL) throws {
    for binding in sql.bindings { try value(binding) }
  }

  func token(_ token: SQLToken) {}
  func table(_ table: TableID) {}
  func tableName(_ table: TableID) {}
  func column(_ column: ColumnID) {}
  func columnName(_ column: ColumnID) {}
  func allColumns(of table: TableID) {}
  func function(_ name: String) {}
  func alias(_ name: String) {}
  func openScope(_ tables: @autoclosure () -> [TableID]) {}
  func closeScope() {}
}
