import QueryDSL
import SQLCore

/// A column of a data frame: a name, a type, and a cell for each row.
///
/// ```swift
/// let column = try DataFrameColumn("views", [1, nil, 3])
/// print(try column.values(as: Int.self))
/// ```
public struct DataFrameColumn: Sendable {
  /// The name of the column.
  public var name: String
  /// The type of the values, never an optional; nil if the cells have several storage classes, or
  /// if all are NULL and no type is given.
  public let type: (any ColumnValue.Type)?
  /// The cells, in the standard form of the type. Any cell may be NULL.
  public let values: [DatabaseValue]

  /// Creates a column of Swift values, with nil for NULL. Throws `ColumnValueError` for a value
  /// that cannot be stored.
  public init<Value: ColumnValue>(_ name: String, _ values: [Value?]) throws {
    self.name = name
    type = Value.nonOptional
    self.values = try values.map { try $0?.databaseValue(as: .standard) ?? .null }
  }

  /// Creates a column of stored values.
  init(_ name: String, type: (any ColumnValue.Type)?, values: [DatabaseValue]) {
    self.name = name
    self.type = type
    self.values = values
  }

  /// Reads every cell as `type`, and returns the values, with nil for NULL. If the type cannot read
  /// a cell, throws `ColumnValueError` with the column and the row.
  public func values<Value: ColumnValue>(as type: Value.Type = Value.self) throws -> [Value?] {
    try values.enumerated().map { row, value in
      if value.isNull { return nil }
      do {
        return try value.read(type)
      } catch let error as ColumnValueError {
        throw error.at(table: nil, column: name, row: row)
      }
    }
  }

  /// Returns a cell that is not NULL as text for CSV or JSON. Throws `ColumnValueError`, with the
  /// column and the row, for a value that cannot be written as text.
  func written(at row: Int) throws -> String {
    do {
      return try CellText.text(of: values[row], as: type)
    } catch let error as ColumnValueError {
      throw error.at(table: nil, column: name, row: row)
    }
  }

  /// The name of the type; `Any` if the column has none.
  var typeName: String { type.map { String(describing: $0) } ?? "Any" }

  /// Returns a cell as text for people to read; nil for NULL.
  func text(at row: Int) -> String? {
    let value = values[row]
    if value.isNull { return nil }
    if let type, let text = Self.described(value, as: type) { return text }
    return switch value {
    case .blob(let data): "\(data.count) bytes"
    case .text(let text): text
    default: value.description
    }
  }

  private static func described<Value: ColumnValue>(
    _ value: DatabaseValue, as type: Value.Type
  ) -> String? {
    (try? value.read(type)).map { String(describing: $0) }
  }
}

extension DataFrameColumn: Equatable {
  /// Returns whether the columns have the same name, type and cells.
  public static func == (left: Self, right: Self) -> Bool {
    left.name == right.name && left.type == right.type && left.values == right.values
  }
}

/// An error found while building, reading or writing a data frame.
public struct DataFrameError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The problem, with the line, the row or the column in which it was found, as far as known.
  public let message: String

  init(_ message: String) {
    self.message = message
  }

  /// The message.
  public var description: String { message }
}
