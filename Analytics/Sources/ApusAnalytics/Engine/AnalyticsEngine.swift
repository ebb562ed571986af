import ApusRemote
import Foundation
import SQLCore

/// The engine behind `Analytics.database`: it answers SQLite's queries from the copies in DuckDB.
struct AnalyticsEngine: RemoteEngine {
  let duck: DuckDatabase
  let catalogue: Catalogue

  var name: String { "a copy in DuckDB" }
  /// ApusRemote allows at most 999 parameters, because each one is a column of a virtual table.
  var maximumParameterCount: Int { 900 }

  func connect(isReader: Bool, isStopped: () -> Bool) throws -> any RemoteSession {
    AnalyticsSession(try duck.connect(), catalogue)
  }
}

/// A session of the engine: a connection of DuckDB.
final class AnalyticsSession: RemoteSession {
  private let connection: DuckConnection
  private let catalogue: Catalogue
  private(set) var isOpen = true

  init(_ connection: DuckConnection, _ catalogue: Catalogue) {
    self.connection = connection
    self.catalogue = catalogue
  }

  func close() { isOpen = false }

  func rows(of statement: RemoteText, isStopped: () -> Bool) throws -> any RemoteRows {
    if statement.sql.contains("sqlite_schema") {
      return FixedRows(
        catalogue.tables.values.sorted { $0.name < $1.name }.map {
          [.text("table"), .text($0.name), .text($0.definition)]
        })
    }
    if statement.sql == "PRAGMA data_version" { return FixedRows([[.integer(catalogue.version)]]) }
    var translator = try Translator(
      statement.sql, values: statement.values, tables: catalogue.tables)
    let translated = try onLargeStack { try translator.statement() }
    if let number = ParquetExport.number(in: statement.sql),
      let export = catalogue.export(number)
    {
      let sql = export.statement(translated)
      try connection.rows(of: sql, translator.parameters, isStopped: isStopped)
        .keepRemaining(isStopped: isStopped)
      return FixedRows([])
    }
    return AnalyticsRows(
      try connection.rows(of: translated.sql, translator.parameters, isStopped: isStopped))
  }

  /// Runs the statements that begin and end transactions. Ignores PRAGMAs, and also savepoints,
  /// because no session writes anything. Throws for all other statements.
  func run(_ statement: RemoteText, isStopped: () -> Bool) throws -> RemoteOutcome {
    let word = statement.sql.prefix { $0.isLetter }.uppercased()
    switch word {
    case "BEGIN": try connection.run("BEGIN TRANSACTION")
    case "COMMIT", "END": try connection.run("COMMIT")
    case "ROLLBACK" where !statement.sql.uppercased().contains(" TO "):
      try connection.run("ROLLBACK")
    case "SAVEPOINT", "RELEASE", "ROLLBACK", "PRAGMA": break
    default:
      throw AnalyticsError.unsupported(
        feature: "a copy in DuckDB is only read",
        advice: "write to the database that is copied, and update the copy", sql: statement.sql)
    }
    return RemoteOutcome(lastInsertRowID: 0, changeCount: 0)
  }
}

/// The rows of a result of DuckDB.
final class AnalyticsRows: RemoteRows {
  private let rows: DuckRows

  init(_ rows: DuckRows) {
    self.rows = rows
  }

  var columnCount: Int { rows.columnCount }
  func next(isStopped: () -> Bool) throws -> Bool { try rows.next(isStopped: isStopped) }
  func withValue(at index: Int, _ body: (RemoteValue) -> Void) { rows.withValue(at: index, body) }
  func keepRemaining(isStopped: () -> Bool) throws { try rows.keepRemaining(isStopped: isStopped) }
  func close() { rows.close() }
}

/// Rows that the engine returns from memory, without a query of DuckDB.
final class FixedRows: RemoteRows {
  private let rows: [[DatabaseValue]]
  private var row = -1

  init(_ rows: [[DatabaseValue]]) {
    self.rows = rows
  }

  var columnCount: Int { rows.first?.count ?? 0 }

  func next(isStopped: () -> Bool) throws -> Bool {
    row += 1
    return row < rows.count
  }

  func withValue(at index: Int, _ body: (RemoteValue) -> Void) {
    switch rows[row][index] {
    case .null: body(.null)
    case .integer(let integer): body(.integer(integer))
    case .real(let real): body(.real(real))
    case .text(var text): text.withUTF8 { body(.text(UnsafeRawBufferPointer($0))) }
    case .blob(let data), .invalidText(let data): data.withUnsafeBytes { body(.blob($0)) }
    }
  }

  func keepRemaining(isStopped: () -> Bool) throws {}
  func close() {}
}
