import CSQLite

/// The names of the columns of a result. All rows of the result share this object.
final class ColumnNames: Sendable {
  let names: [String]
  /// Whether SQLite returned a name for every column. If memory runs out, SQLite returns nil in
  /// place of a name.
  let isComplete: Bool
  private let indices: [String: Place]

  /// The position of the column with a given name.
  private enum Place {
    case one(Int)
    /// Two or more columns have the name, so that it is ambiguous.
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

  /// Returns the index of the column named `name`; nil if no column has that name, or if several
  /// columns have it. Names are compared without case, as in SQL.
  func index(of name: String) -> Int? {
    guard case .one(let index) = indices[name] ?? indices[name.lowercasedASCII] else { return nil }
    return index
  }

  /// Returns the index of the column named `name`. Names are compared without case, as in SQL.
  ///
  /// Throws `DatabaseError` (`.range`) if no column has that name, or if several columns have it.
  /// - Parameter reader: the type that needs the column. The error message names it. Nil if no type
  ///   needs the column.
  func requireIndex(
    of name: String, for reader: @autoclosure () -> String? = nil, sql: String? = nil
  ) throws -> Int {
    if let index = index(of: name) { return index }
    let need = reader().map { ", which \($0) needs" } ?? ""
    let message =
      if indices[name.lowercasedASCII] == nil {
        "there is no column \"\(name)\"\(need); the columns are \(names.joined(separator: ", "))"
      } else {
        "several columns of the result are called \"\(name)\"\(need); select only one of them, or "
          + "give the others different names, as in `Author.\(name) AS author_\(name)`"
      }
    throw DatabaseError(code: .range, message: message, sql: sql)
  }
}

/// The positions of a model's columns in the result of a statement, found by their names.
package final class ColumnPositions: Sendable {
  /// The number that identifies the layout of the model in memory.
  package let layout: UInt16
  /// For each column of the model, its index in the result. Nil if the result has exactly the
  /// model's columns, in the model's order.
  package let indices: ContiguousArray<Int32>?
  fileprivate let version: Int32

  fileprivate init(layout: UInt16, indices: ContiguousArray<Int32>, count: Int, version: Int32) {
    self.layout = layout
    let isInOrder = indices.count == count && zip(indices, 0...).allSatisfy { $0 == $1 }
    self.indices = isInOrder ? nil : indices
    self.version = version
  }
}

extension StatementPointer {
  /// The names of the result's columns. They are read again after SQLite recompiled the statement,
  /// because `*` may stand for other columns after a schema change.
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
  /// Returns the positions of a model's columns in the result. The positions are looked up once for
  /// each statement and kept. They are looked up again after SQLite has recompiled the statement.
  ///
  /// Throws `DatabaseError` (`.range`) if one of the names belongs to no column of the result, or
  /// to several columns.
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
