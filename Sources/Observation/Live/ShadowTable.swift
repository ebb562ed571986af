import SQLCore

/// A table like another one in types and collations, in a database of its own in memory: there a
/// query is asked of a few rows alone.
///
/// The rows are those that the hook told of. Neither the writer nor a reader is needed, and what
/// others committed meanwhile is not seen.
struct ShadowTable: Hashable, Sendable {
  struct Column: Hashable, Sendable {
    let name: String
    let declaredType: String
    /// The name of its collation.
    let collationName: String
    var collation: BuiltInCollation? { BuiltInCollation(named: collationName) }
  }

  let name: String
  /// The stored columns.
  let columns: [Column]
  let isStrict: Bool

  /// Reads how the columns compare.
  init(of table: TrackedTable, on connection: Connection) throws {
    name = table.names.table
    let core = try connection.use()
    columns = try connection.declaredColumns(of: table.name)
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

/// A connection to a database in memory with shadow tables.
///
/// `@unchecked Sendable`: whoever takes one from `RowEvaluators` has it alone until it is given
/// back.
final class RowEvaluator: @unchecked Sendable {
  private let connection: Connection
  /// The statements for the columns that were asked for last: most often they are the same.
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

  /// The tables that are there, by folded name.
  private var tables: [String: ShadowTable] = [:]

  init(configuration: Configuration) throws {
    var configuration = configuration
    configuration.isReadOnly = false
    configuration.enforcesForeignKeys = false
    connection = try Connection(configuration: configuration)
  }

  /// Runs a closure while the table holds these rows, and nothing else.
  ///
  /// - Parameter columns: the columns of which there are values; the others are NULL.
  func evaluating<Result>(
    _ rows: [[DatabaseValue]], columns: [String], in table: ShadowTable,
    _ body: (ConnectionCore) throws -> Result
  ) throws -> Result {
    let core = try connection.use()
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

/// The evaluators of a database, made when they are needed.
final class RowEvaluators: Sendable {
  private let idle = Lock<[RowEvaluator]>([])
  private let configuration: Configuration
  /// So many are kept.
  private static let maximumIdle = 2

  init(configuration: Configuration) {
    self.configuration = configuration
  }

  /// Lends an evaluator. No lock is held while it is used: it may call functions of the user's.
  func withEvaluator<Result>(_ body: (RowEvaluator) throws -> Result) throws -> Result {
    let evaluator =
      try idle.withLock { $0.popLast() } ?? RowEvaluator(configuration: configuration)
    defer {
      idle.withLock { idle in
        if idle.count < Self.maximumIdle { idle.append(evaluator) }
      }
    }
    return try body(evaluator)
  }
}
