import Apus
@_spi(Tools) import DataFrames
import Foundation
@_spi(Tools) import SQLCore
import Synchronization
import ToolOutput

/// The insertion of rows from CSV or JSON into a table.
package final class TableImport {
  /// The ways to treat a row that violates a uniqueness constraint. `ignore` also leaves out a row
  /// that violates NOT NULL or a CHECK constraint.
  package enum Conflict: String, CaseIterable, Sendable {
    case fail, ignore, replace
  }

  private let connection: Connection
  private let table: String
  private let targets: [ImportColumn]
  private let conflict: Conflict
  private let deletions = Deletions()
  /// The INSERT statements. The key is the list of the columns that a statement sets.
  private var insertions: [[String]: Statement] = [:]
  /// The number of rows that were inserted.
  package private(set) var count = 0
  /// The number of rows that were left out, because they violate a constraint.
  package private(set) var ignoredCount = 0
  /// For each table, the number of rows that were deleted because REPLACE inserted a row. These are
  /// rows with the same key or unique value, and rows that a foreign key deleted with such a row.
  package var deletedRows: [String: Int] { deletions.counts.withLock { $0 } }
  /// The columns of the source that were left out, because the table calculates them.
  package private(set) var leftOut: Set<String> = []

  package init(into table: String, _ conflict: Conflict, in connection: Connection) throws {
    self.connection = connection
    self.table = table
    self.conflict = conflict
    let isStrict =
      try connection.row(
        """
        SELECT 1 FROM pragma_table_list
        WHERE schema = 'main' AND lower(name) = lower(\(table)) AND strict
        """) != nil
    targets = try connection.columns(ofTable: table).map { ImportColumn($0, isStrict: isStrict) }
    guard conflict == .replace else { return }
    // A hook counts the deleted rows, because SQLite's own counts leave out the rows that REPLACE
    // deletes.
    try connection.onPreUpdate { [deletions] event in
      guard event.kind == .delete, event.databaseName == "main" else { return }
      let table = event.tableName
      deletions.counts.withLock { $0[table, default: 0] += 1 }
    }
  }

  // MARK: CSV

  /// Inserts the records of CSV.
  ///
  /// - Parameters:
  ///   - names: the names of the columns; if nil, the first record has the names.
  ///   - progress: called after each row.
  package func insert(
    _ records: CSVRecords, names: [String]?, progress: () throws -> Void
  ) throws {
    var names = names ?? []
    if names.isEmpty {
      guard try records.next() else { return }
      names = try records.fields.map { try records.text($0) }
    }
    let targets = try names.map { try target($0, line: 1) }
    try requireDifferent(names)
    let statement = try connection.prepare(insertion(targets.compactMap { $0?.column.name }))
    while try records.next() {
      // If there are several columns, a blank line is skipped. If there is only one column, a blank
      // line is a row with NULL.
      if records.isBlank, names.count > 1 { continue }
      guard records.fields.count == names.count else {
        throw ReadableError(
          "line \(records.line): \(records.fields.count) fields, and there are \(names.count) columns"
        )
      }
      var position = 0
      for (index, target) in targets.enumerated() {
        guard let target else { continue }
        position += 1
        let field = records.fields[index]
        if field.isEmpty, !field.isQuoted {
          try statement.bind(databaseValue: .null, at: position)
        } else {
          try bind(try records.bytes(field), target, to: statement, position, records.line)
        }
      }
      try run(statement, line: records.line)
      try progress()
    }
  }

  private func requireDifferent(_ names: [String]) throws {
    var seen: Set<String> = []
    for name in names where !seen.insert(name.lowercased()).inserted {
      throw ReadableError("the column \(name) occurs twice")
    }
  }

  private func bind(
    _ bytes: Bytes, _ target: ImportColumn, to statement: Statement, _ position: Int, _ line: Int
  ) throws {
    if target.keepsText { return try statement.bind(utf8: bytes, at: position) }
    if target.isNumber {
      if !target.isReal, let integer = bytes.certainInteger {
        return try statement.bind(databaseValue: .integer(integer), at: position)
      }
      if let real = bytes.certainReal {
        return try statement.bind(databaseValue: .real(real), at: position)
      }
    }
    let value = try value(.text(String(decoding: bytes, as: UTF8.self)), target, line)
    try statement.bind(databaseValue: value, at: position)
  }

  // MARK: JSON

  /// Inserts a row for each JSON object. Its members have the names of the columns.
  ///
  /// - Parameter progress: called after each row.
  package func insert(_ objects: JSONObjects, progress: () throws -> Void) throws {
    let members = JSONMembers()
    var statement: Statement?
    var targets: [ImportColumn?] = []
    while try objects.next() {
      if let hasSameNames = members.read(objects.object) {
        if !hasSameNames || statement == nil {
          targets = try members.names.map { try target($0, line: objects.line) }
          try requireDifferent(members.names)
          statement = try self.statement(targets.compactMap { $0?.column.name })
        }
        guard let statement else { continue }
        var position = 0
        for (index, target) in targets.enumerated() {
          guard let target else { continue }
          position += 1
          try bind(members.values[index], target, to: statement, position, objects.line)
        }
        try run(statement, line: objects.line)
      } else {
        members.reset()
        statement = nil
        try insert(try row(objects), line: objects.line)
      }
      try progress()
    }
  }

  private func bind(
    _ value: JSONMembers.Value, _ target: ImportColumn, to statement: Statement, _ position: Int,
    _ line: Int
  ) throws {
    let known: DatabaseValue
    switch value {
    case .text(let bytes): return try bind(bytes, target, to: statement, position, line)
    case .null: known = .null
    case .integer(let integer) where target.isReal:
      // A Double holds every integer of this size exactly.
      known =
        integer.magnitude < 1 << 53
        ? .real(Double(integer)) : try self.value(.integer(integer), target, line)
    case .integer(let integer): known = .integer(integer)
    case .real(let real): known = target.isText ? .text(String(real)) : .real(real)
    }
    try statement.bind(databaseValue: known, at: position)
  }

  /// Inserts an object that the parser of data frames has read.
  private func insert(_ row: DataFrame, line: Int) throws {
    var names: [String] = []
    var values: [DatabaseValue] = []
    for member in row.columns {
      guard let target = try target(member.name, line: line) else { continue }
      names.append(target.column.name)
      values.append(try value(member.values.first ?? .null, target, line))
    }
    try requireDifferent(names)
    let statement = try statement(names)
    try statement.bind(values)
    try run(statement, line: line)
  }

  /// Returns the members of an object as columns of one row. The method does not use SQLite's
  /// `json_each`, which would cut texts at U+0000 and round numbers.
  private func row(_ objects: JSONObjects) throws -> DataFrame {
    let text = String(decoding: objects.object, as: UTF8.self)
    do {
      return try DataFrame(json: "[\(text)]")
    } catch {
      // The error message contains a line number. With these line breaks before the object, it is
      // the line number in the file.
      let lines = String(repeating: "\n", count: objects.line - 1)
      do {
        return try DataFrame(json: lines + "[\(text)]")
      } catch let error as DataFrameError {
        throw ReadableError(error.message)
      }
    }
  }

  // MARK: Rows

  /// Returns the column with the given name; nil if it is a generated column, which the table
  /// calculates.
  private func target(_ name: String, line: Int) throws -> ImportColumn? {
    guard let target = targets.first(where: { $0.column.name.lowercased() == name.lowercased() })
    else {
      let names = targets.map(\.column.name).joined(separator: ", ")
      throw ReadableError(
        "line \(line): \(table.orQuotes) has no column \(name.orQuotes); there are: \(names)")
    }
    guard target.column.generation == .none else {
      leftOut.insert(target.column.name)
      return nil
    }
    return target
  }

  /// Returns a value of the source, converted for a column. For a BLOB column, a text in base64
  /// becomes a BLOB. For a numeric column, a text becomes the number to which SQLite would convert
  /// it. Throws if the text is not base64, or if the number would lose digits.
  private func value(
    _ value: DatabaseValue, _ target: ImportColumn, _ line: Int
  ) throws -> DatabaseValue {
    switch value {
    case .text(let text) where target.isBlob:
      guard let data = Data(base64Encoded: text) else {
        throw ReadableError(
          "line \(line): \(target.column.name) is a BLOB, and the text is not base64")
      }
      return .blob(data)
    case .text("inf") where target.isReal: return .real(.infinity)
    case .text("-inf") where target.isReal: return .real(-.infinity)
    default:
      do {
        return try target.column.exactValue(of: value, isStrict: target.isStrict)
      } catch let error as DataFrameError {
        throw ReadableError("line \(line): \(error.message)")
      }
    }
  }

  private func run(_ statement: Statement, line: Int) throws {
    do {
      try statement.run()
      if try connection.changeCount > 0 { count += 1 } else { ignoredCount += 1 }
    } catch let error as DatabaseError where !error.isInterruption {
      throw ReadableError("line \(line): \(error.message)")
    }
  }

  private func statement(_ names: [String]) throws -> Statement {
    if let statement = insertions[names] { return statement }
    let statement = try connection.prepare(insertion(names))
    // Without this limit, each object with other members would add a statement to the dictionary.
    if insertions.count < 64 { insertions[names] = statement }
    return statement
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

/// A column into which rows are inserted.
private struct ImportColumn {
  let column: TableColumn
  /// Whether the table is STRICT. A column of type ANY then stores texts unchanged.
  let isStrict: Bool
  let isBlob: Bool
  let isReal: Bool
  let isText: Bool
  /// Whether a text that has the form of a number becomes a number.
  let isNumber: Bool

  /// Whether every text is inserted as it is.
  var keepsText: Bool { !isBlob && !isNumber }

  init(_ column: TableColumn, isStrict: Bool) {
    self.column = column
    self.isStrict = isStrict
    let declared = StorageClass(declaredType: column.declaredType)
    isBlob = declared == .blob
    isReal = declared == .real
    isText = declared == .text
    isNumber = column.takesNumbers(isStrict: isStrict)
  }
}

/// The number of deleted rows for each table.
private final class Deletions: Sendable {
  let counts = Mutex<[String: Int]>([:])
}
