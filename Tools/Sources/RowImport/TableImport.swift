import Apus
import Foundation
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
  /// The statements by the columns that they insert.
  private var insertions: [[String]: Statement] = [:]
  /// The number of rows that were read, and that were inserted.
  package private(set) var count = 0
  /// The columns of the source that were left out, because the table calculates them.
  package private(set) var leftOut: Set<String> = []

  package init(into table: String, _ conflict: Conflict, in connection: Connection) throws {
    self.connection = connection
    self.table = table
    self.conflict = conflict
    columns = try connection.columns(ofTable: table)
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
    let members = try connection.prepare(
      "SELECT key, type, value FROM json_each(\(unsafe: "?"))")
    while let object = try objects.next() {
      var values: [(String, DatabaseValue)] = []
      do {
        try members.bind([.text(object.text)])
        while try members.step() {
          let name = try members.get(String.self, at: 0)
          guard let column = try column(name, line: object.line) else { continue }
          let value = try members.get(AnyValue.self, at: 2).value
          values.append((column.name, try self.value(value, column, object.line)))
        }
        try members.reset()
      } catch let error as DatabaseError {
        throw ReadableError("line \(object.line): \(error.message)")
      }
      try insert(values, line: object.line)
      progress()
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

  /// Returns the value that a text stands for in a column: base64 for a BLOB, and infinity.
  private func value(
    _ value: DatabaseValue, _ column: TableColumn, _ line: Int
  ) throws -> DatabaseValue {
    guard case .text(let text) = value else { return value }
    switch StorageClass(declaredType: column.declaredType) {
    case .blob where !column.declaredType.isEmpty:
      guard let data = Data(base64Encoded: text) else {
        throw ReadableError(
          "line \(line): \(column.name) is a BLOB, and the text is not base64")
      }
      return .blob(data)
    case .real where text == "inf" || text == "-inf":
      return .real(text == "inf" ? .infinity : -.infinity)
    default: return value
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
      count += 1
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
