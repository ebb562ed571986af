import SQLCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The text form of cells, which is the same in CSV and JSON.
///
/// | Type | Text |
/// |---|---|
/// | Bool | `true`, `false` |
/// | Date | ISO 8601, with microseconds |
/// | Double, Float | the shortest text that reads back as the same Double; `inf`, `-inf` in CSV |
/// | Data, [UInt8] | base64 |
/// | others | as they are stored: numbers, text |
enum CellText {
  /// Returns a cell that is not NULL as text; throws if the type has no such text.
  static func text(of value: DatabaseValue, as type: (any ColumnValue.Type)?) throws -> String {
    switch value {
    case .null: ""
    case .integer(let integer) where type == Bool.self: integer == 0 ? "false" : "true"
    case .integer where type == Date.self:
      try iso8601(value)
    case .integer(let integer): String(integer)
    case .real(let real): String(real)
    case .text(let text): text
    case .blob(let data): data.base64EncodedString()
    }
  }

  private static func iso8601(_ value: DatabaseValue) throws -> String {
    guard case .text(let text) = try value.read(Date.self).databaseValue(as: .iso8601) else {
      return ""
    }
    return text
  }

  /// Returns the cell of a type that a text stands for; nil if it stands for none.
  static func value(_ text: String, as type: any ColumnValue.Type) -> DatabaseValue? {
    let value: DatabaseValue?
    if type == Bool.self {
      value = bool(text)
    } else if type == Date.self {
      value = date(text)
    } else {
      switch type.storageClass {
      case .integer: value = Int64(text).map { .integer($0) }
      case .real: value = Double(text).map { .real($0) }
      case .text where type == Decimal.self:
        value = Decimal.canonicalText(of: text).map { .text($0) }
      case .text: value = .text(text)
      case .blob: value = Data(base64Encoded: text).map { .blob($0) }
      case .null: value = nil
      }
    }
    guard let value else { return nil }
    return stored(value, as: type)
  }

  /// Returns the cell in the type's own stored form, so that equal values are equal cells. Returns
  /// nil if the type cannot read or store the value, such as an unknown case of an enumeration, or
  /// NaN.
  private static func stored<Value: ColumnValue>(
    _ value: DatabaseValue, as type: Value.Type
  ) -> DatabaseValue? {
    try? value.read(type).databaseValue(as: .standard)
  }

  private static func bool(_ text: String) -> DatabaseValue? {
    switch text {
    case "true", "1": true
    case "false", "0": false
    default: nil
    }
  }

  /// Returns the date of a text in the form that is written here, or in another form of ISO 8601.
  static func date(_ text: String) -> DatabaseValue? {
    let date =
      (try? DatabaseValue.text(text).read(Date.self, as: .iso8601))
      ?? (try? Date(text, strategy: .iso8601))
    return date.flatMap { try? $0.databaseValue(as: .standard) }
  }

  /// Returns whether a type is `Date`.
  static func isDate(_ type: (any ColumnValue.Type)?) -> Bool { type == Date.self }

  /// Returns the type that an unquoted text has by its form; nil for text.
  static func kind(of text: String) -> (any ColumnValue.Type)? {
    if text == "true" || text == "false" { return Bool.self }
    if text == "inf" || text == "-inf" { return Double.self }
    let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
    guard let first = digits.utf8.first, (0x30...0x39).contains(first) else {
      return nil
    }
    // Digits that begin with 0 are a code rather than a number.
    let isCode =
      first == 0x30 && digits.utf8.dropFirst().first.map { $0 != UInt8(ascii: ".") } == true
    if !isCode, Int64(text) != nil { return Int64.self }
    let isNumber = digits.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || "+-.eE".utf8.contains(byte)
    }
    if !isCode, isNumber, Double(text) != nil { return Double.self }
    let isDate = (try? DatabaseValue.text(text).read(Date.self, as: .iso8601)) != nil
    return isDate ? Date.self : nil
  }

  /// Returns the type that all cells can have, given the type of each; nil for text, and if there
  /// are no cells.
  static func common(_ kinds: [(any ColumnValue.Type)?]) -> (any ColumnValue.Type)? {
    guard let first = kinds.first, let first else { return nil }
    if kinds.allSatisfy({ $0 == first }) { return first }
    let areNumbers = kinds.allSatisfy { $0 == Int64.self || $0 == Double.self }
    return areNumbers ? Double.self : nil
  }
}
