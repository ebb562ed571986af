import SQLCore
import Synchronization

/// A connection to a database in memory, with shadow tables in which queries are evaluated for a
/// few rows.
///
/// `@unchecked Sendable`: only one caller at a time uses an evaluator. The caller takes the
/// evaluator from the `EvaluatorPool` and returns it.
final class RowEvaluator: @unchecked Sendable {
  private let connection: Connection
  /// The SQL for the last table and columns. The next call usually needs the same SQL.
  private var lastTexts: Texts?

  private struct Texts {
    let table: String
    let columns: [String]
    let name: String
    let insertion: String
    let deletion: String
  }

  private func texts(for table: ShadowTable, _ columns: [String]) -> Texts {
    if let lastTexts, lastTexts.table == table.name, lastTexts.columns == columns {
      return lastTexts
    }
    let name = Identifier(table.name).quoted
    let names = columns.map { Identifier($0).quoted }.joined(separator: ", ")
    let places = columns.map { _ in "?" }.joined(separator: ", ")
    let texts = Texts(
      table: table.name, columns: columns, name: name,
      insertion: "INSERT INTO \(name) (\(names)) VALUES (\(places))",
      deletion: "DELETE FROM \(name)")
    lastTexts = texts
    return texts
  }

  /// The shadow tables that the connection has, by folded name.
  private var tables: [String: ShadowTable] = [:]
  let encoding: TextEncoding
  private let installFunctions: @Sendable (ConnectionCore) throws -> Void

  /// - Parameter installFunctions: registers the functions and collations of the database on the
  ///   connection.
  init(
    configuration: Configuration, encoding: TextEncoding,
    _ installFunctions: @escaping @Sendable (ConnectionCore) throws -> Void
  ) throws {
    var configuration = configuration
    configuration.isReadOnly = false
    configuration.enforcesForeignKeys = false
    configuration.onStatement = nil
    // The schema policy must allow the evaluator to create the shadow tables, and scans of these
    // tables must not be reported.
    configuration.schemaPolicy = .automatic
    configuration.onTableScan = nil
    self.encoding = encoding
    self.installFunctions = installFunctions
    connection = try Connection(configuration: configuration)
    guard encoding != .utf8 else { return }
    try connection.execute("PRAGMA encoding = '\(unsafe: encoding.rawValue)'")
    guard try connection.textEncoding() == encoding else {
      throw DatabaseError.misuse(
        "`Configuration.prepareConnection` creates a table or another object, which fixes the "
          + "encoding of text; single rows of a file in \(encoding.rawValue) cannot be tested")
    }
  }

  /// Runs a closure while the shadow table holds exactly the given rows.
  ///
  /// - Parameter columns: the names of the columns to which the values of each row belong. In all
  ///   other columns, the rows have NULL.
  func evaluating<Result>(
    _ rows: [[DatabaseValue]], columns: [String], in table: ShadowTable,
    _ body: (ConnectionCore) throws -> Result
  ) throws -> Result {
    let core = try connection.use()
    try installFunctions(core)
    let texts = texts(for: table, columns)
    let name = texts.name
    if tables[table.name.lowercasedASCII] != table {
      try connection.execute("DROP TABLE IF EXISTS \(unsafe: name)")
      try connection.execute(SQL(unsafe: table.creation))
      tables[table.name.lowercasedASCII] = table
    }
    defer { try? core.run(cached: texts.deletion) }
    let insert = try core.lendStatement(text: texts.insertion)
    defer { core.giveBack(insert) }
    for row in rows {
      try core.bind(SQL(text: "", bindings: row.map { .value($0) }), to: insert)
      try core.run(insert)
    }
    return try body(core)
  }
}

/// The evaluators of a database, together with the values of the arguments of one query.
struct RowEvaluators: Sendable {
  private let pool: EvaluatorPool
  private var values: [DatabaseValue] = []

  init(_ pool: EvaluatorPool) { self.pool = pool }

  /// Returns the evaluators for a query whose arguments have the given values.
  func with(_ values: [DatabaseValue]) -> RowEvaluators {
    var evaluators = self
    evaluators.values = values
    return evaluators
  }

  /// The number of rows evaluated so far. The number grows with the watched rows that commits
  /// touch.
  var evaluatedRowCount: Int { pool.evaluatedRowCount }

  /// Runs a closure while the shadow table holds exactly the given rows.
  ///
  /// No lock is held meanwhile, because the closure may call the user's functions.
  func evaluating<Result>(
    _ rows: [[DatabaseValue]], columns: [String], in table: ShadowTable,
    _ body: (ConnectionCore) throws -> Result
  ) throws -> Result {
    try pool.evaluating(rows, columns: columns, in: table) { core in
      try core.withArguments(values) { try body(core) }
    }
  }

  /// Runs a closure that evaluates rows. If there are few rows, it runs on the calling thread, and
  /// otherwise on a worker thread.
  func offloading<Result: Sendable>(
    rowCount: Int, _ body: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    try await pool.offloading(rowCount: rowCount, body)
  }
}

/// The evaluators of a database, created on demand.
final class EvaluatorPool: Sendable {
  private let idle = Lock<[RowEvaluator]>([])
  private let configuration: Configuration
  private let installFunctions: @Sendable (ConnectionCore) throws -> Void
  /// The threads that evaluate many rows. The threads of Swift's own pool are not used, because the
  /// pool has only a few of them, and the writer may be waiting for one.
  private let threads = WorkerThreads(maximum: 2)
  private let rowCount = Atomic<Int>(0)
  /// The number of idle evaluators that are kept.
  private static let maximumIdle = 2
  /// The greatest number of rows that are evaluated on the calling thread.
  private static let fewRows = 64

  init(of database: Database) {
    configuration = database.configuration
    installFunctions = database.functionInstaller
  }

  /// The number of rows evaluated so far. The number grows with the watched rows that commits
  /// touch.
  var evaluatedRowCount: Int { rowCount.load(ordering: .relaxed) }

  /// Runs a closure while the shadow table holds exactly the given rows.
  ///
  /// No lock is held meanwhile, because the closure may call the user's functions.
  func evaluating<Result>(
    _ rows: [[DatabaseValue]], columns: [String], in table: ShadowTable,
    _ body: (ConnectionCore) throws -> Result
  ) throws -> Result {
    rowCount.add(rows.count, ordering: .relaxed)
    let known = idle.withLock { idle in
      idle.lastIndex { $0.encoding == table.encoding }.map { idle.remove(at: $0) }
    }
    let evaluator =
      try known
      ?? RowEvaluator(configuration: configuration, encoding: table.encoding, installFunctions)
    defer {
      idle.withLock { idle in
        if idle.count < Self.maximumIdle { idle.append(evaluator) }
      }
    }
    return try evaluator.evaluating(rows, columns: columns, in: table, body)
  }

  /// Runs a closure that evaluates rows. If there are few rows, it runs on the calling thread, and
  /// otherwise on a worker thread.
  func offloading<Result: Sendable>(
    rowCount: Int, _ body: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    guard rowCount > Self.fewRows else { return try body() }
    return try await withUnsafeThrowingContinuation { continuation in
      threads.submit { continuation.resume(with: Swift.Result { try body() }) }
    }
  }
}

/// A copy of a table's declaration, with its types and collations, in a separate database in
/// memory. A query is evaluated there for only a few rows.
///
/// The rows come from the pre-update hook. So the evaluation needs neither the writer nor a reader,
/// and does not see later commits of other connections.
struct ShadowTable: Hashable, Sendable {
  struct Column: Hashable, Sendable {
    let name: String
    let declaredType: String
    /// The name of the column's collation.
    let collationName: String
    var collation: BuiltInCollation? { BuiltInCollation(named: collationName) }
  }

  let name: String
  /// The columns whose values are stored. VIRTUAL generated columns are left out.
  let columns: [Column]
  let isStrict: Bool
  let encoding: TextEncoding

  /// Reads the types and collations of the columns.
  init(of table: TrackedTable, on connection: Connection) throws {
    name = table.names.table
    encoding = try connection.textEncoding()
    let core = try connection.use()
    columns = try connection.columns(of: table.name)
      .filter { $0.generation != .virtual && $0.generation != .hidden }
      .map { column in
        Column(
          name: column.name, declaredType: column.declaredType,
          collationName: try core.collation(ofColumn: column.name, in: table.names.table))
      }
    isStrict =
      try connection.row("SELECT strict FROM pragma_table_list(\(name)) WHERE schema = 'main'")?
      .get(Bool.self, at: 0) == true
  }

  var creation: String {
    let columns = columns.map { column in
      "\(Identifier(column.name).quoted) \(column.declaredType) "
        + "COLLATE \(Identifier(column.collationName).quoted)"
    }
    return "CREATE TABLE \(Identifier(name).quoted) (\(columns.joined(separator: ", ")))"
      + (isStrict ? " STRICT" : "")
  }
}
