import SQLCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension DataFrame {
  /// Returns the frame as JSON: an array with an object for each row, one per line.
  ///
  /// ```swift
  /// print(try frame.json())
  /// // [
  /// // {"title":"Sports","views":3,"url":null},
  /// // {"title":"News","views":5,"url":"https://example.org"}
  /// // ]
  /// ```
  ///
  /// A Bool becomes `true` or `false`, and a Date becomes a text in ISO 8601. A Unique64 becomes a
  /// string of its digits, because JavaScript rounds such numbers. Bytes become base64. All other
  /// cells are written as they are stored, as strings or as numbers with all their digits.
  ///
  /// Throws `DataFrameError` for infinity, which JSON does not have. Throws `ColumnValueError`,
  /// with the column and the row, for a date whose year does not have four digits and for a text
  /// that is not UTF-8.
  /// - SeeAlso: <https://www.rfc-editor.org/rfc/rfc8259>
  public func json() throws -> String {
    let names = columnNames.map { $0.quotedJSON + ":" }
    let rows = try (0..<rowCount).map { row in
      let members = try zip(names, columns).map { name, column in
        name + (try Self.json(column.values[row], column, row))
      }
      return "{" + members.joined(separator: ",") + "}"
    }
    return rows.isEmpty ? "[]" : "[\n" + rows.joined(separator: ",\n") + "\n]"
  }

  private static func json(
    _ value: DatabaseValue, _ column: DataFrameColumn, _ row: Int
  ) throws -> String {
    switch value {
    case .null: return "null"
    case .real(let real) where !real.isFinite:
      throw DataFrameError("row \(row), \(column.name): JSON cannot represent \(real)")
    case .integer where !CellText.isDate(column.type) && column.type != Unique64.self, .real:
      return try column.written(at: row)
    default: return try column.written(at: row).quotedJSON
    }
  }

  /// Creates a frame from JSON: an array of objects. The members of the objects become the columns,
  /// in the order in which each name first occurs.
  ///
  /// ```swift
  /// let frame = try DataFrame(json: text, types: ["createdAt": Date.self])
  /// ```
  ///
  /// If an object lacks a member, its cell is NULL, as for `null`. A Decimal or a Unique64 is read
  /// from a string or a number, with all digits. A column of String also takes numbers, as their
  /// digits.
  ///
  /// A column without a given type is Int64, Double, Bool or String. If its values are of several
  /// kinds, such as integers and reals, the column has no type, and each cell keeps its own kind. A
  /// column in which all cells are NULL has no type, either. A number with more digits than Int64
  /// and Double hold becomes a text of its digits. An array or object in a cell becomes the text of
  /// its JSON.
  ///
  /// Throws `DataFrameError`, with the line, if the text is not such JSON or if an object has a
  /// member twice. Throws this error with the row, the line and the column if a value cannot be
  /// read as the given type, such as a number whose digits a Double would lose. Throws this error
  /// with the name if the names of two columns differ only by case.
  ///
  /// - Parameter types: the types of columns, by name.
  /// - SeeAlso: <https://www.rfc-editor.org/rfc/rfc8259>
  public init(json text: String, types: [String: any ColumnValue.Type] = [:]) throws {
    var reader = JSONReader(text)
    let objects = try reader.objects()
    var names: [String] = []
    var cells: [String: [JSONText?]] = [:]
    for (row, object) in objects.enumerated() {
      for (name, value) in object.members {
        if cells[name] == nil {
          names.append(name)
          cells[name] = Array(repeating: nil, count: objects.count)
        }
        guard cells[name]?[row] == nil else {
          throw DataFrameError(
            "the JSON, line \(object.line): the object has the member \(name) twice")
        }
        cells[name]?[row] = value
      }
    }
    let lines = objects.map(\.line)
    let types = Dictionary(
      types.map { ($0.key.lowercasedASCII, $0.value) }, uniquingKeysWith: { first, _ in first })
    try self.init(
      columns: names.map { name in
        let column = (cells[name] ?? []).map { $0 ?? .null }
        return try DataFrameColumn(name, column, lines, as: types[name.lowercasedASCII])
      })
  }
}

extension DataFrameColumn {
  /// Creates a column from the JSON values of its cells.
  fileprivate init(
    _ name: String, _ cells: [JSONText], _ lines: [Int], as type: (any ColumnValue.Type)?
  ) throws {
    if let type = type?.nonOptional {
      let values = try cells.enumerated().map { row, cell -> DatabaseValue in
        if cell == .null { return .null }
        guard let value = cell.value(as: type) else {
          throw DataFrameError(
            "row \(row) (line \(lines[row])), \(name): " + CellText.failure(cell.text, as: type))
        }
        return value
      }
      self.init(name, type: type, values: values)
      return
    }
    var kinds: [(any ColumnValue.Type)?] = []
    let values = cells.map { cell -> DatabaseValue in
      let (value, kind) = cell.plain
      if cell != .null { kinds.append(kind) }
      return value
    }
    self.init(name, type: CellText.common(kinds), values: values)
  }
}

extension JSONText {
  /// The text of the value, without quotation marks.
  fileprivate var text: String {
    switch self {
    case .null: "null"
    case .bool(let bool): bool ? "true" : "false"
    case .number(let text), .string(let text), .nested(let text): text
    }
  }

  /// The value as a cell, and the type of the cell. They are used if no type is given for the
  /// column.
  fileprivate var plain: (DatabaseValue, (any ColumnValue.Type)?) {
    switch self {
    case .null: return (.null, nil)
    case .bool(let bool): return (bool ? true : false, Bool.self)
    case .number(let text):
      if let integer = Int64(text) { return (.integer(integer), Int64.self) }
      if let real = CellText.real(text) { return (.real(real), Double.self) }
      return (.text(text), String.self)
    case .string(let text), .nested(let text): return (.text(text), String.self)
    }
  }

  /// Returns the value as a cell of the given type; nil if the value cannot be read as that type.
  fileprivate func value(as type: any ColumnValue.Type) -> DatabaseValue? {
    switch (self, type.storageClass) {
    case (.number(let text), .real): CellText.value(text, as: type)
    case (.number(let text), .integer) where type != Bool.self: CellText.value(text, as: type)
    case (.bool(let bool), .integer) where type == Bool.self: bool ? true : false
    case (.string(let text), .integer) where CellText.isDate(type): CellText.date(text)
    case (.string(let text), .text), (.nested(let text), .text), (.string(let text), .blob):
      CellText.value(text, as: type)
    case (.number(let text), .text) where type == Decimal.self || type == String.self:
      CellText.value(text, as: type)
    case (.string(let text), .integer) where type == Unique64.self: CellText.value(text, as: type)
    default: nil
    }
  }
}
