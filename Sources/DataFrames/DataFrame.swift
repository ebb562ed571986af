import QueryDSL
import SQLCore

/// A table in memory: columns with a name and a type, all with the same number of rows.
///
/// ```swift
/// var frame = try db.dataFrame(Post.select(\.$title, \.$views))
/// let views = try frame.values(of: "views", as: Int.self)       // [Int?]
/// try frame.append("score", views.map { Double($0 ?? 0) / 10 })
/// try db.write(frame, to: "scores")
/// print(frame)
/// ```
///
/// A frame has value semantics. It holds each cell in the standard stored form of the column's
/// type. To read one row at a time, use `stream(_:)` or models instead.
public struct DataFrame: Sendable {
  /// The columns, from left to right.
  public private(set) var columns: [DataFrameColumn] = []

  /// Creates a frame without columns.
  public init() {}

  /// Creates a frame from columns. Throws `DataFrameError` if two columns have the same name, or if
  /// the columns have different numbers of rows.
  public init(columns: [DataFrameColumn]) throws {
    for column in columns { try append(column) }
  }

  /// The number of rows.
  public var rowCount: Int { columns.first?.values.count ?? 0 }

  /// The names of the columns, from left to right.
  public var columnNames: [String] { columns.map(\.name) }

  /// Returns the column with the given name, or nil. Ignores the case of letters, as SQL does.
  public subscript(_ name: String) -> DataFrameColumn? {
    columns.first { $0.name.isSame(as: name) }
  }

  /// Returns the cells of a row, from left to right; the first row is 0. Throws `DataFrameError` if
  /// there is no such row.
  public func row(at index: Int) throws -> [DatabaseValue] {
    guard index >= 0, index < rowCount else {
      throw DataFrameError(
        "there is no row \(index): the frame has \(rowCount) rows, counted from 0")
    }
    return columns.map { $0.values[index] }
  }

  /// Returns the values of a column as a type, with nil for NULL. Converts every cell.
  ///
  /// Throws `DataFrameError` if no column has the name. Throws `ColumnValueError`, with the column
  /// and the row, for a cell that the type cannot read.
  public func values<Value: ColumnValue>(
    of name: String, as type: Value.Type = Value.self
  ) throws -> [Value?] {
    guard let column = self[name] else {
      throw DataFrameError(
        "there is no column \(name); the columns are \(columnNames.joined(separator: ", "))")
    }
    return try column.values(as: type)
  }

  /// Adds a column on the right. Throws `DataFrameError` if the frame already has a column with the
  /// same name, or if the numbers of rows differ.
  public mutating func append(_ column: DataFrameColumn) throws {
    guard self[column.name] == nil else {
      throw DataFrameError("there are two columns named \(column.name)")
    }
    guard columns.isEmpty || column.values.count == rowCount else {
      throw DataFrameError(
        "the column \(column.name) has \(column.values.count) rows, but the frame has \(rowCount)")
    }
    columns.append(column)
  }

  /// Adds a column of values on the right. Throws the errors of `append(_:)`, and
  /// `ColumnValueError` for a value that cannot be stored.
  public mutating func append<Value: ColumnValue>(_ name: String, _ values: [Value?]) throws {
    try append(DataFrameColumn(name, values))
  }

  /// Removes the column with the given name, and returns it; nil if there is no such column.
  @discardableResult
  public mutating func remove(_ name: String) -> DataFrameColumn? {
    columns.firstIndex { $0.name.isSame(as: name) }
      .map { columns.remove(at: $0) }
  }
}

extension DataFrame: Equatable {
  /// Returns whether both frames have the same columns in the same order: names, types and cells.
  public static func == (left: DataFrame, right: DataFrame) -> Bool {
    left.columns == right.columns
  }
}

extension DataFrame: CustomStringConvertible {
  /// The frame as a table of text.
  public var table: ResultTable {
    ResultTable(
      columns: columns.map { .init(name: $0.name, type: $0.typeName) },
      rows: (0..<rowCount).map { row in columns.map { $0.text(at: row) } })
  }

  /// The frame as a table of text.
  public var description: String { table.description }
}
