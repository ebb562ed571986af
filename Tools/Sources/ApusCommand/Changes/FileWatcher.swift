import Apus
import CommandInterface
import FileInspection
import Foundation
import ToolOutput

/// A watcher of a file, which keeps the last state that it has seen and compares later states with
/// it.
///
/// The state is a copy of the tables in a temporary file. Each call of `look` compares the file
/// with the copy in one transaction, so the differences of all calls together lead from the first
/// state to the last. If several commits change a row between two calls, their changes are one
/// difference.
final class FileWatcher {
  private let path: String
  private let tables: [String]?
  private var database: Database
  private let copy: KeyedCopy
  private var definitions: SchemaDefinitions
  /// The tables whose rows cannot be compared.
  private(set) var uncompared: [UncomparedTable]
  /// SQLite's `data_version`, which changes when another connection commits. If it is nil, the next
  /// call of `look` compares the file even if nothing was committed.
  private var version: DatabaseValue?
  /// The inode number of the file. The number changes if the file is replaced by another file.
  private var fileNumber: UInt64?
  /// The number of rows in the first state.
  let rowCount: Int

  var tableCount: Int { copy.shapes.count }

  init(path: String, tables: [String]?) throws {
    self.path = path
    self.tables = tables
    fileNumber = Self.fileNumber(of: path)
    database = try FileArgument.open(path)
    copy = try KeyedCopy()
    (definitions, uncompared, version, rowCount) = try database.read { [copy] connection in
      for name in tables ?? [] { _ = try Relation.named(name, in: connection) }
      let state = try ComparedState(of: connection, tables: tables)
      var count = 0
      for shape in state.shapes { count += try copy.copy(shape, from: connection) }
      return (state.definitions, state.uncompared, try Self.version(connection), count)
    }
  }

  private static func fileNumber(of path: String) -> UInt64? {
    let attributes = try? FileManager.default.attributesOfItem(
      atPath: URL(filePath: path).resolvingSymlinksInPath().path)
    return (attributes?[.systemFileNumber] as? NSNumber)?.uint64Value
  }

  private static func version(_ connection: Connection) throws -> DatabaseValue? {
    try connection.row("PRAGMA data_version")?[0]
  }

  /// Compares the file with its last state, if the file may have changed.
  ///
  /// If this method throws, the next call does not repeat the differences that were already
  /// reported.
  ///
  /// - Parameter onUncompared: called for each table whose rows cannot be compared, if the table
  ///   was not reported before.
  func look(
    _ onSchema: (SchemaDifference) -> Void, _ onRow: (RowDifference) -> Void,
    _ onUncompared: (UncomparedTable) -> Void
  ) throws {
    let number = Self.fileNumber(of: path)
    if number != fileNumber {
      guard number != nil else { throw ReadableError("\(path) was removed") }
      database = try FileArgument.open(path)
      version = nil
      fileNumber = number
    }
    try database.read { connection in
      let current = try Self.version(connection)
      guard version == nil || current != version else { return }
      version = nil
      let state = try ComparedState(of: connection, tables: tables)
      definitions.differences(to: state.definitions).forEach(onSchema)
      definitions = state.definitions
      state.uncompared.filter { !uncompared.contains($0) }.forEach(onUncompared)
      uncompared = state.uncompared
      try state.read(connection) { connection in
        for pair in TablePair.pairs(copy.shapes, state.shapes) {
          try compare(pair, connection, onRow)
        }
      }
      version = current
    }
  }

  private func compare(
    _ pair: TablePair, _ connection: Connection, _ onRow: (RowDifference) -> Void
  ) throws {
    var changes: [TableComparison.Change] = []
    try copy.database.read { old in
      try TableComparison.changes(of: pair, old: old, new: connection) { changes.append($0) }
    }
    if pair.old == pair.new {
      if let shape = pair.new, !changes.isEmpty { try copy.apply(changes, to: shape) }
    } else if let shape = pair.new {
      try copy.copy(shape, from: connection)
    } else {
      try copy.remove(pair.name)
    }
    for change in changes { onRow(pair.difference(change)) }
  }
}
