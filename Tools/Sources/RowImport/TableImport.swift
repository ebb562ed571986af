import Apus
@_spi(Tools) import DataFrames
import Foundation
import Synchronization
import ToolOutput

/// The insertion of rows from CSV or JSON into a table.
package final class TableImport {
  /// The ways to treat a row that violates a constraint of uniqueness.
  package enum Conflict: String, CaseIterable, Sendable {
    case fail, ignore, replace
  }

  private let connection: Connection
  private let table: String
  private let columns: [TableColumn]
  private let conflict: Conflict
  /// Whether the table is STRICT, so that a column ANY keeps texts as they are.
  private let isStrict: Bool
  private let deletions = Deletions()
  /// The statements by the columns that they insert.
  private var insertions: [[String]: Statement] = [:]
  /// The number of rows that were inserted.
  package private(set) var count = 0
  /// The number of rows that were left out, because they violate a constraint.
  package private(set) var ignoredCount = 0
  /// The numbers of rows that were deleted for rows that took their place, by their tables: those
  /// with an equal key or unique value, and those that refer to them and are deleted with them.
  package var deletedRows: [String: Int] { deletions.counts.withLock { $0 } }
  /// The columns of the source that were left out, because the table calculates them.
  package private(set) var leftOut: Set<String> = []

  package init(into table: String, _ conflict: Conflict, in connection: Connection) throws {
    self.connection = connection
    self.table = table
    self.conflict = conflict
    columns = try connection.columns(ofTable: table)
    isStrict =
      try connection.row(
        """
        SELECT 1 FROM pragma_table_list
        WHERE schema = 'main' AND lower(name) = lower(\(table)) AND strict
        """) != nil
    guard conflict == .replace else { return }
    // SQLite's own counts leave out the rows that REPLACE deletes.
    try connection.onPreUpdate { [deletions] event in
      guard event.kind == .delete, event.databaseName == "main" else { return }
      let table = event.tableName
      deletions.counts.withLock { $0[table, default: 0] += 1 }
    }
  }

  // MARK: CSV

  /// Inserts the records of CSV.
  ///
  /// - Parameter names: the names of the columns; those of the first record if it is nil.
  package func insert(
    _ records: CSVRecords, names: [String]?, progress: () -> Void
  ) throws {
    guard let names = try names ?? records.next()?.fields.map(\.text) else { return }
    let targets = try names.map { try column($0, line: 1) }
    try requireDifferent(names)
    while let record = try records.next() {
      // In a table of one column, it is a NULL.
      if record.isBlank, names.count > 1 { continue }
      guard record.fields.count == names.count else {
        throw ReadableError(
          "line \(record.line): \(record.fields.count) fields, and there are \(names.count) columns"
        )
      }
      var values: [(String, DatabaseValue)] = []
      for (field, target) in zip(record.fields, targets) {
        guard let target else { continue }
        values.append((target.name, try value(field, target, record.line)))
      }
      try insert(values, line: record.line)
      progress()
    }
  }

  private func requireDifferent(_ names: [String]) throws {
    var seen: Set<String> = []
    for name in names where !seen.insert(name.lowercased()).inserted {
      throw ReadableError("the column \(name) occurs twice")
    }
  }

  private func value(
    _ field: CSVRecords.Field, _ column: TableColumn, _ line: Int
  ) throws -> DatabaseValue {
    if field.text.isEmpty, !field.isQuoted { return .null }
    return try value(.text(field.text), column, line)
  }

  // MARK: JSON

  /// Inserts objects of JSON: a member for each column.
  package func insert(_ objects: JSONObjects, progress: () -> Void) throws {
    while let object = try objects.next() {
      var values: [(String, DatabaseValue)] = []
      for member in try row(object).columns {
        guard let column = try column(member.name, line: object.line) else { continue }
        let value = member.values.first ?? .null
        values.append((column.name, try self.value(value, column, object.line)))
      }
      try insert(values, line: object.line)
      progress()
    }
  }

  /// Returns the members of an object as columns of one row. SQLite's `json_each` would cut texts at
  /// U+0000, and round numbers.
  private func row(_ object: JSONObjects.Object) throws -> DataFrame {
    do {
      return try DataFrame(json: "[\(object.text)]")
    } catch {
      // The message has a line: that of the file, if as many lines are before the object.
      let lines = String(repeating: "\n", count: object.line - 1)
      do {
        return try DataFrame(json: lines + "[\(object.text)]")
      } catch let error as DataFrameError {
        throw ReadableError(error.message)
      }
    }
  }

  // MARK: Rows

  /// Returns the column of a name; nil for one that the table calculates.
  private func column(_ name: String, line: Int) throws -> TableColumn? {
    guard let column = columns.first(where: { $0.name.lowercased() == name.lowercased() }) else {
      let names = columns.map(\.name).joined(separator: ", ")
      throw ReadableError("line \(line): \(table) has no column \(name); there are: \(names)")
    }
    guard column.generation == .none else {
      leftOut.insert(column.name)
      return nil
    }
    return column
  }

  /// Returns the value of a column for a value of the source: base64 becomes a BLOB, and a text
  /// becomes the number that SQLite would make of it. Throws if that loses digits.
  private func value(
    _ value: DatabaseValue, _ column: TableColumn, _ line: Int
  ) throws -> DatabaseValue {
    let declared = StorageClass(declaredType: column.declaredType)
    switch value {
    case .text(let text) where declared == .blob:
      guard let data = Data(base64Encoded: text) else {
        throw ReadableError(
          "line \(line): \(column.name) is a BLOB, and the text is not base64")
      }
      return .blob(data)
    case .text("inf") where declared == .real: return .real(.infinity)
    case .text("-inf") where declared == .real: return .real(-.infinity)
    default:
      do {
        return try column.exactValue(of: value, isStrict: isStrict)
      } catch let error as DataFrameError {
        throw ReadableError("line \(line): \(error.message)")
      }
    }
  }

  private func insert(_ values: [(String, DatabaseValue)], line: Int) throws {
    let names = values.map(\.0)
    do {
      let statement = try insertions[names] ?? connection.prepare(insertion(names))
      // Objects with ever other members would keep a statement each.
      if insertions.count < 64 { insertions[names] = statement }
      try statement.bind(values.map(\.1))
      try statement.run()
      if try connection.changeCount > 0 { count += 1 } else { ignoredCount += 1 }
    } catch let error as DatabaseError {
      throw ReadableError("line \(line): \(error.message)")
    }
  }

  private func insertion(_ names: [String]) -> SQL {
    let word: SQL =
      switch conflict {
      case .fail: "INSERT"
      case .ignore: "INSERT OR IGNORE"
      case .replace: "INSERT OR REPLACE"
      }
    guard !names.isEmpty else { return "\(word) INTO \(identifier: table) DEFAULT VALUES" }
    var list: SQL = ""
    for (index, name) in names.enumerated() {
      list.append(index == 0 ? "\(identifier: name)" : ", \(identifier: name)")
    }
    let marks = SQL(unsafe: names.map { _ in "?" }.joined(separator: ", "))
    return "\(word) INTO \(identifier: table) (\(list)) VALUES (\(marks))"
  }
}

/// The numbers of deleted rows by their tables.
private final class Deletions: Sendable {
  let counts = Mutex<[String: Int]>([:])
}
