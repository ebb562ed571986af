import QueryDSL
import SQLCore

/// A table in memory: columns with a name and a type, of equally many rows.
///
/// ```swift
/// var frame = try db.dataFrame(Post.select(\.$title, \.$views))
/// let views = try frame.values(of: "views", as: Int.self)       // [Int?]
/// try frame.append("score", views.map { Double($0 ?? 0) / 10 })
/// try db.write(frame, to: "scores")
/// print(frame)
/// ```
///
/// It is a value, and holds each cell as SQLite stores it in the standard form of its type. What
/// reads rows one at a time wants `rows(_:)` or models instead.
public struct DataFrame: Sendable {
  /// The columns, from left to right.
  public private(set) var columns: [Column] = []

  /// A frame without columns.
  public init() {}

  /// A frame of columns; throws `DataFrameError` where two have one name, or not equally many rows.
  public init(columns: [Column]) throws {
    for column in columns { try append(column) }
  }

  /// How many rows it has.
  public var rowCount: Int { columns.first?.values.count ?? 0 }

  /// The names of the columns, from left to right.
  public var columnNames: [String] { columns.map(\.name) }

  /// The column of that name, without case as in SQL; nil where there is none.
  public subscript(_ name: String) -> Column? {
    columns.first { $0.name.lowercasedASCII == name.lowercasedASCII }
  }

  /// The cells of a row, from 0, from left to right; throws `DataFrameError` where there is none.
  public func row(at index: Int) throws -> [DatabaseValue] {
    guard index >= 0, index < rowCount else {
      throw DataFrameError("there is no row \(index): the frame has \(rowCount), counted from 0")
    }
    return columns.map { $0.values[index] }
  }

  /// The values of a column as a type; nil for NULL.
  ///
  /// Throws `DataFrameError` for a name that no column has, and `ColumnValueError` for a value that is
  /// none of the type, with column and row. Costs the size of the column.
  public func values<Value: ColumnValue>(
    of name: String, as type: Value.Type = Value.self
  ) throws -> [Value?] {
    guard let column = self[name] else {
      throw DataFrameError(
        "there is no column \(name) among \(columnNames.joined(separator: ", "))")
    }
    return try column.values(as: type)
  }

  /// Adds a column on the right.
  public mutating func append(_ column: Column) throws {
    guard self[column.name] == nil else {
      throw DataFrameError("there are two columns of the name \(column.name)")
    }
    guard columns.isEmpty || column.values.count == rowCount else {
      throw DataFrameError(
        "the column \(column.name) has \(column.values.count) rows, and the frame \(rowCount)")
    }
    columns.append(column)
  }

  /// Adds a column of values on the right; throws as `append`, and where one cannot be stored.
  public mutating func append<Value: ColumnValue>(_ name: String, _ values: [Value?]) throws {
    try append(Column(name, values))
  }

  /// Takes a column away; nil where there is none of the name.
  @discardableResult
  public mutating func remove(_ name: String) -> Column? {
    columns.firstIndex { $0.name.lowercasedASCII == name.lowercasedASCII }
      .map { columns.remove(at: $0) }
  }
}

extension DataFrame: Equatable {
  /// The same columns in the same order: names, types and cells.
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

/// What a data frame cannot be, or what a text is that is none.
public struct DataFrameError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong, with the line or the column that it is about.
  public let message: String

  init(_ message: String) {
    self.message = message
  }

  /// The message.
  public var description: String { message }
}
