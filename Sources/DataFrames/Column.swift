import SQLCore

extension DataFrame {
  /// A column of a data frame: a name, a type, and a cell for each row.
  public struct Column: Sendable {
    /// The name.
    public var name: String
    /// The type of the values, which is no optional; nil for cells of several storage classes.
    public let type: (any ColumnValue.Type)?
    /// The cells, in the standard form of the type; any may be NULL.
    public let values: [DatabaseValue]

    /// A column of Swift values, nil for NULL; throws `ColumnValueError` for one that cannot be
    /// stored.
    public init<Value: ColumnValue>(_ name: String, _ values: [Value?]) throws {
      self.name = name
      type = Value.self
      self.values = try values.map { try $0?.databaseValue(as: .standard) ?? .null }
    }

    /// A column of stored values.
    init(_ name: String, type: (any ColumnValue.Type)?, values: [DatabaseValue]) {
      self.name = name
      self.type = type
      self.values = values
    }

    /// The values as a type; nil for NULL. Throws `ColumnValueError` where one is none of it.
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

    /// The name of the type, `Any` for cells of several storage classes.
    var typeName: String { type.map { String(describing: $0) } ?? "Any" }

    /// A cell as somebody reads it; nil for NULL.
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
}

extension DataFrame.Column: Equatable {
  /// The same name, type and cells.
  public static func == (left: Self, right: Self) -> Bool {
    left.name == right.name && left.type == right.type && left.values == right.values
  }
}
