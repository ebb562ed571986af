import Foundation
import SQLCore

/// The list of the tables that were copied into a database of DuckDB. All sessions share the list.
///
/// `@unchecked Sendable`: the lock guards all stored properties.
final class Catalogue: @unchecked Sendable {
  private let lock = NSLock()
  private var known: [String: CopiedTable] = [:]
  private var changes: Int64 = 1
  private var exports: [Int: ParquetExport] = [:]
  private var lastExport = 0

  /// The tables by their names in lower case.
  var tables: [String: CopiedTable] { lock.withLock { known } }

  /// The number of changes to the copies. Observers notice a change of the copies by comparing this
  /// number with the last one that they read.
  var version: Int64 { lock.withLock { changes } }

  /// Adds tables, and notes that copies have changed.
  func add(_ tables: [CopiedTable]) {
    lock.withLock {
      for table in tables { known[table.name.lowercased()] = table }
      changes += 1
    }
  }

  // MARK: Exports

  /// Stores the description of the Parquet file that a query is about to write. Returns a number
  /// for this file. A comment before the query has this number, so that the session finds the
  /// description.
  func begin(_ export: ParquetExport) -> Int {
    lock.withLock {
      lastExport += 1
      exports[lastExport] = export
      return lastExport
    }
  }

  func export(_ number: Int) -> ParquetExport? { lock.withLock { exports[number] } }

  func end(_ number: Int) { lock.withLock { exports[number] = nil } }
}
