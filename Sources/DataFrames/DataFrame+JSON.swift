import SQLCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension DataFrame {
  /// The frame as JSON: an array with an object a row, a line each.
  ///
  /// ```swift
  /// print(try frame.json())
  /// // [
  /// // {"title":"Sports","views":3,"url":null},
  /// // {"title":"News","views":5,"url":"https://example.org"}
  /// // ]
  /// ```
  ///
  /// A Bool is `true` or `false`, a Date ISO 8601, bytes are base64, all else is as it is stored:
  /// numbers, with all their digits, and strings. Infinity, which JSON has not, throws
  /// `DataFrameError`.
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
    _ value: DatabaseValue, _ column: Column, _ row: Int
  ) throws -> String {
    switch value {
    case .null: return "null"
    case .real(let real) where !real.isFinite:
      throw DataFrameError("row \(row), \(column.name): JSON has no \(real)")
    case .integer where !CellText.isDate(column.type), .real:
      return try CellText.text(of: value, as: column.type)
    default: return try CellText.text(of: value, as: column.type).quotedJSON
    }
  }

  /// Reads JSON: an array of objects, whose members are the columns, in the order in which they first
  /// come.
  ///
  /// ```swift
  /// let frame = try DataFrame(json: text, types: ["createdAt": Date.self])
  /// ```
  ///
  /// A member that an object lacks is NULL, as `null` is. A Decimal is read from a string and from a
  /// number, with all its digits; a Unique64 from both as well. A column whose type is not said is Int64,
  /// Double, Bool or String; without a type where values of several kinds are in it. An array or an
  /// object in a cell is the text of its JSON. Throws `DataFrameError` with the line for what is no
  /// such JSON, and with row and column for a value that is none of its type.
  ///
  /// - Parameter types: by the names of the columns.
  /// - SeeAlso: <https://www.rfc-editor.org/rfc/rfc8259>
  public init(json text: String, types: [String: any ColumnValue.Type] = [:]) throws {
    var reader = JSONReader(text)
    let objects = try reader.objects()
    var names: [String] = []
    var cells: [String: [JSONText]] = [:]
    for (row, object) in objects.enumerated() {
      for (name, value) in object {
        if cells[name] == nil {
          names.append(name)
          cells[name] = Array(repeating: .null, count: objects.count)
        }
        cells[name]?[row] = value
      }
    }
    let types = Dictionary(
      types.map { ($0.key.lowercasedASCII, $0.value) }, uniquingKeysWith: { first, _ in first })
    try self.init(
      columns: names.map { name in
        try Column(name, cells[name] ?? [], as: types[name.lowercasedASCII])
      })
  }
}

extension DataFrame.Column {
  /// A column of JSON.
  fileprivate init(
    _ name: String, _ cells: [JSONText], as type: (any ColumnValue.Type)?
  ) throws {
    if let type = type.map(Self.plain) {
      let values = try cells.enumerated().map { row, cell -> DatabaseValue in
        if cell == .null { return .null }
        guard let value = cell.value(as: type) else {
          throw DataFrameError("row \(row), \(name): \(cell.text.debugDescription) is no \(type)")
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
    let common = CellText.common(kinds)
    if common == Double.self {
      self.init(name, storageClass: .real, values: values)
    } else {
      self.init(name, type: common, values: values)
    }
  }
}

extension JSONText {
  /// What stands in the JSON, without quotation marks.
  fileprivate var text: String {
    switch self {
    case .null: "null"
    case .bool(let bool): bool ? "true" : "false"
    case .number(let text), .string(let text), .nested(let text): text
    }
  }

  /// The cell, and the type that it has by itself.
  fileprivate var plain: (DatabaseValue, (any ColumnValue.Type)?) {
    switch self {
    case .null: return (.null, nil)
    case .bool(let bool): return (bool ? true : false, Bool.self)
    case .number(let text):
      if let integer = Int64(text) { return (.integer(integer), Int64.self) }
      return (.real(Double(text) ?? .infinity), Double.self)
    case .string(let text), .nested(let text): return (.text(text), String.self)
    }
  }

  /// The cell of a type; nil where the value is none of it.
  fileprivate func value(as type: any ColumnValue.Type) -> DatabaseValue? {
    switch (self, type.storageClass) {
    case (.number(let text), .real): CellText.value(text, as: type)
    case (.number(let text), .integer) where type != Bool.self: CellText.value(text, as: type)
    case (.bool(let bool), .integer) where type == Bool.self: bool ? true : false
    case (.string(let text), .integer) where CellText.isDate(type): CellText.date(text)
    case (.string(let text), .text), (.nested(let text), .text), (.string(let text), .blob):
      CellText.value(text, as: type)
    case (.number(let text), .text) where type == Decimal.self: CellText.value(text, as: type)
    case (.string(let text), .integer) where type == Unique64.self: CellText.value(text, as: type)
    default: nil
    }
  }
}
