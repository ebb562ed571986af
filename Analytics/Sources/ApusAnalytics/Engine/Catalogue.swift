import Foundation
import SQLCore

/// The copies in a database of DuckDB. All sessions share it.
///
/// `@unchecked Sendable`: the lock guards everything.
final class Catalogue: @unchecked Sendable {
  private let lock = NSLock()
  private var known: [String: CopiedTable] = [:]
  private var changes: Int64 = 1
  private var exports: [Int: ParquetExport] = [:]
  private var lastExport = 0

  /// The tables by their names in lower case.
  var tables: [String: CopiedTable] { lock.withLock { known } }

  /// The number of changes to the copies. Observers compare it to notice a change.
  var version: Int64 { lock.withLock { changes } }

  /// Adds tables, and notes that copies have changed.
  func add(_ tables: [CopiedTable]) {
    lock.withLock {
      for table in tables { known[table.name.lowercased()] = table }
      changes += 1
    }
  }

  // MARK: Exports

  /// Stores the file into which a query is about to be written. Returns the number with which the
  /// query names the file.
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
