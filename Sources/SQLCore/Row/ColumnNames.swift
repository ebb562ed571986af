import CSQLite

/// The names of a result's columns, shared by its rows.
final class ColumnNames: Sendable {
  let names: [String]
  /// Whether there was memory for all of them.
  let isComplete: Bool
  private let indices: [String: Place]

  /// Where the column of a name is.
  private enum Place {
    case one(Int)
    /// The name stands for two columns or more, so that it names none of them.
    case several
  }

  init(statement: OpaquePointer) {
    let known = (0..<sqlite3_column_count(statement)).map { index in
      sqlite3_column_name(statement, index).map { String(cString: $0) }
    }
    isComplete = !known.contains(nil)
    names = known.map { $0 ?? "" }
    indices = Dictionary(
      names.enumerated().map { ($1.lowercasedASCII, .one($0)) },
      uniquingKeysWith: { _, _ in .several })
  }

  /// The index of the column of that name, without case as in SQL; nil if no column or several
  /// columns have it.
  func index(of name: String) -> Int? {
    guard case .one(let index) = indices[name] ?? indices[name.lowercasedASCII] else { return nil }
    return index
  }

  /// The index of the column of that name, without case as in SQL.
  ///
  /// Throws `DatabaseError` (`.range`) if no column or several columns have it.
  /// - Parameter reader: the type that needs the column, if there is one, for the message.
  func requireIndex(
    of name: String, for reader: @autoclosure () -> String? = nil, sql: String? = nil
  ) throws -> Int {
    if let index = index(of: name) { return index }
    let need = reader().map { ", which \($0) needs" } ?? ""
    let message =
      if indices[name.lowercasedASCII] == nil {
        "there is no column \"\(name)\"\(need); the columns are \(names.joined(separator: ", "))"
      } else {
        "several columns of the result are called \"\(name)\"\(need); select only the one that is "
          + "meant, or give the others names of their own, as in `Author.\(name) AS author_\(name)`"
      }
    throw DatabaseError(code: .range, message: message, sql: sql)
  }
}

/// Where the columns of a model are in the result of a statement, found by their names.
package final class ColumnPositions: Sendable {
  /// The number of the model's layout.
  package let layout: UInt16
  /// The index of each column in the result; nil where they are the model's columns in its order.
  package let indices: ContiguousArray<Int32>?
  fileprivate let version: Int32

  fileprivate init(layout: UInt16, indices: ContiguousArray<Int32>, count: Int, version: Int32) {
    self.layout = layout
    let isInOrder = indices.count == count && zip(indices, 0...).allSatisfy { $0 == $1 }
    self.indices = isInOrder ? nil : indices
    self.version = version
  }
}

extension String {
  /// The text with its ASCII letters in lower case: how SQLite compares names.
  package var lowercasedASCII: String {
    guard utf8.contains(where: { (65...90).contains($0) }) else { return self }
    return String(decoding: utf8.map { (65...90).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
  }
}

extension StatementPointer {
  /// The names of the result's columns; SQLite compiles a statement anew after a change of the
  /// schema, and then `*` may stand for other columns.
  var columnNames: ColumnNames {
    let version = sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_REPREPARE, 0)
    if let known = pointee.columnNames, pointee.columnNamesVersion == version { return known }
    let names = ColumnNames(statement: handle)
    guard names.isComplete else { return names }
    pointee.columnNames = names
    pointee.columnNamesVersion = version
    return names
  }
}

extension StatementPointer {
  /// Where a model's columns are in the result: found once for each statement, and again after
  /// SQLite compiled the statement again.
  ///
  /// Throws `DatabaseError` (`.range`) if the result lacks a column, or has two of its name.
  package func positions(
    ofColumns names: @autoclosure () -> [String], layout: UInt16, model: @autoclosure () -> String
  ) throws -> ColumnPositions {
    let version = sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_REPREPARE, 0)
    if let known = pointee.columnPositions, known.layout == layout, known.version == version {
      return known
    }
    let result = columnNames
    let indices = try names().map { name in
      Int32(
        truncatingIfNeeded: try result.requireIndex(of: name, for: model(), sql: self.sql))
    }
    let positions = ColumnPositions(
      layout: layout, indices: ContiguousArray(indices), count: result.names.count,
      version: version)
    pointee.columnPositions = positions
    return positions
  }
}
