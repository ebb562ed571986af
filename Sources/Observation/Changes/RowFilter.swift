import QueryDSL
import SQLCore

/// A filter that reduces the changes of a write to the rows that match a query's predicates before
/// or after the write.
final class RowFilter: Sendable {
  private let statement: SelectStatement
  /// The reference is weak, so that it does not keep the database alive: a stream of changes ends
  /// when the last reference to its database is released.
  private weak let database: Database?
  private let evaluators: RowEvaluators?
  private let state = Lock(State.unknown)

  private enum State {
    case unknown
    case known(RowTest)
    /// The predicates cannot be tested on single rows, because they need more than the values of
    /// the row.
    case impossible(reason: String)
  }

  init(_ statement: SelectStatement, in database: Database) {
    self.statement = statement
    self.database = database
    evaluators = ChangeTracker.of(database)?.evaluators(for: database)
  }

  /// Returns the write with only those changed rows that match the predicates. This method is
  /// `@concurrent`, so that it does not occupy the caller's actor.
  @concurrent
  func filter(_ write: WriteChanges) async -> WriteChanges {
    guard let layout = LayoutRegistry.shared.layout(number: statement.from.layout) else {
      return write
    }
    let table = QualifiedTableName(layout.tableName)
    guard let changes = write.tables[table] else { return write }
    // The table was altered or replaced, so its columns may no longer be those for which the test
    // was prepared.
    if changes.events.contains(.schemaChanged) { state.withLock { $0 = .unknown } }
    var filtered = write
    do {
      let test = try await test()
      guard let evaluators else { return write }
      filtered.tables[table]?.rows = try await evaluators.offloading(rowCount: changes.rows.count) {
        try test.rows(of: changes, evaluators)
      }
    } catch {
      filtered.unfilteredReason = (error as? RowTest.Problem)?.reason ?? "\(error)"
    }
    return filtered
  }

  /// Returns the test that finds the matching rows. The test is prepared when the first write
  /// arrives. If the database cannot be read at that moment, throws an error, and the next write
  /// prepares the test.
  private func test() async throws -> RowTest {
    switch state.withLock({ $0 }) {
    case .known(let test): return test
    case .impossible(let reason): throw RowTest.Problem(reason: reason)
    case .unknown: break
    }
    guard let database else { throw RowTest.Problem(reason: "the database was released") }
    let statement = statement
    let found = try await database.observing(hops: false) { core in
      try core.run(cached: "BEGIN DEFERRED")
      try core.lend().refreshSchema()
      let found = Result { try RowTest(statement, on: core) }
      try core.run(cached: "COMMIT")
      return found
    }
    switch found {
    case .success(let test):
      state.withLock { $0 = .known(test) }
      return test
    case .failure(let problem as RowTest.Problem):
      state.withLock { $0 = .impossible(reason: problem.reason) }
      throw problem
    case .failure(let error): throw error
    }
  }
}

/// A test that finds the rows that match a query's predicates. SQLite evaluates the predicates in a
/// copy of the query's table that holds only the rows to test.
final class RowTest: Sendable {
  /// The reason why predicates cannot be tested on single rows.
  struct Problem: Error {
    let reason: String
  }

  private let table: ShadowTable
  /// Selects the rowids of the tested rows that match the predicates.
  private let statement: SelectStatement
  /// The names, in lower case, of the columns that the predicates read.
  private let columns: Set<String>

  /// The date functions. Such a function uses the current time if it is called with 'now' or
  /// without arguments.
  private static let dateFunctions: Set<String> = [
    "date", "time", "datetime", "julianday", "unixepoch", "strftime", "timediff",
  ]

  /// Prepares the test. Throws `Problem` if the predicates need more than the values of one row.
  init(_ select: SelectStatement, on core: ConnectionCore) throws {
    let connection = core.lend()
    guard let layout = LayoutRegistry.shared.layout(number: select.from.layout),
      let tracked = try TrackedTable(
        named: QualifiedTableName(layout.tableName), recording: nil, on: connection)
    else { throw Problem(reason: "the model's table does not exist") }
    table = try ShadowTable(of: tracked, on: connection)
    var statement = select
    (statement.order, statement.limit, statement.offset) = (.none, nil, nil)
    statement.selection = .terms([.expression(.constant("1"))])
    let reads = try core.reads(of: try statement.rendered().text)
    let analysis = try QueryAnalysis(of: statement)
    let own = QualifiedTableName(layout.tableName)
    let dependencies = reads.columns.filter { $0.table != ArrayTable.name }
    guard analysis.isOfOneRow,
      dependencies.allSatisfy({ QualifiedTableName(schema: $0.database, $0.table) == own })
    else { throw Problem(reason: "the predicates read other rows, or other tables") }
    guard !analysis.readsRowID else {
      throw Problem(reason: "the predicates read the rowid, which is not recorded")
    }
    columns = Set(dependencies.map(\.column.lowercasedASCII)).subtracting([""])
    let stored = Set(table.columns.map(\.name.lowercasedASCII))
    if let column = columns.subtracting(stored).min() {
      throw Problem(
        reason: "the predicates read \(column), which is calculated on reading and not recorded")
    }
    let changing = try connection.rows(
      """
      SELECT DISTINCT name FROM pragma_function_list
      WHERE type = 's' AND flags & \(Self.deterministic) = 0
        AND name COLLATE NOCASE IN \(array: reads.functions.sorted())
      """
    ).map { try $0.get(String.self, at: 0) }
    if let name = changing.first {
      throw Problem(
        reason: "the predicates call \(name)(), which is not registered as `.deterministic`")
    }
    guard !analysis.mayNameNow || reads.functions.isDisjoint(with: Self.dateFunctions) else {
      throw Problem(reason: "the predicates depend on the current time")
    }
    statement.selection = .terms([.expression(.fragment(SQL(unsafe: tracked.shadowRowIDName)))])
    self.statement = statement
  }

  /// The bit of SQLITE_DETERMINISTIC in the column `flags` of `pragma_function_list`.
  private static let deterministic = 0x800

  /// Returns the rows that match the predicates before or after the write.
  func rows(of changes: NettedTable, _ evaluators: RowEvaluators) throws -> [NettedRow] {
    let recorded = changes.names.keys.map(\.lowercasedASCII) + changes.names.foldedColumns
    if let column = columns.subtracting(recorded).min() {
      throw Problem(reason: "the predicates read \(column), which is not a column of the model")
    }
    let places = changes.names.places(of: columns)
    guard changes.rows.allSatisfy({ changes.isExact($0, at: places) }) else {
      throw Problem(reason: "the write changed text that is invalid in the file's encoding")
    }
    // The states of all changed rows before and after the write. `owners` has, for each state, the
    // index of its row. SQLite tests the states in a copy of the table, in which the rowid of the
    // first state is 1.
    var states: [[DatabaseValue]] = []
    var owners: [Int] = []
    for (index, row) in changes.rows.enumerated() {
      let change = changes.change(row, at: places)
      for values in [change.old, change.new] {
        guard let values else { continue }
        // In a table without a key, the recorded key is the rowid. It is left out, because it is
        // not a column.
        states.append((changes.names.keys.isEmpty ? [] : change.key.values) + values)
        owners.append(index)
      }
    }
    guard !states.isEmpty else { return [] }
    let columns = changes.names.keys + places.map { changes.names.columns[$0] }
    let found = try evaluators.evaluating(states, columns: columns, in: table) { core in
      let statement = try core.lendStatement(for: statement)
      defer { core.giveBack(statement) }
      var found: Set<Int> = []
      while try core.step(statement) {
        let number = try StatementRow(statement: statement).get(Int.self, at: 0)
        found.insert(owners[number - 1])
      }
      return found
    }
    return found.sorted().map { changes.rows[$0] }
  }
}

extension TrackedTable {
  /// One of SQLite's names for the rowid, such as `_rowid_`, that no column of the shadow table
  /// has.
  fileprivate var shadowRowIDName: String {
    let columns = Set(recorded.map(\.name.lowercasedASCII) + names.keys.map(\.lowercasedASCII))
    return TableColumn.freeRowIDNames(besides: columns.contains).first ?? "rowid"
  }
}
