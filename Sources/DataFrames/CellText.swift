import SQLCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
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
  /// Returns a cell that is not NULL as text. Throws for a value that has no text form, such as a
  /// date in the year 10000.
  static func text(of value: DatabaseValue, as type: (any ColumnValue.Type)?) throws -> String {
    switch value {
    case .null: ""
    case .integer(let integer) where type == Bool.self: integer == 0 ? "false" : "true"
    case .integer where type == Date.self:
      try iso8601(value)
    case .integer(let integer): String(integer)
    case .real(let real): String(real)
    case .text, .invalidText: try value.read(String.self)
    case .blob(let data): data.base64EncodedString()
    }
  }

  private static func iso8601(_ value: DatabaseValue) throws -> String {
    guard case .text(let text) = try value.read(Date.self).databaseValue(as: .iso8601) else {
      return ""
    }
    return text
  }

  /// Returns the cell for a text and a type; nil if the text is not a value of the type.
  static func value(_ text: String, as type: any ColumnValue.Type) -> DatabaseValue? {
    let value: DatabaseValue?
    if type == Bool.self {
      value = bool(text)
    } else if type == Date.self {
      value = date(text)
    } else {
      switch type.storageClass {
      case .integer: value = Int64(text).map { .integer($0) }
      case .real: value = real(text).map { .real($0) }
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

  /// Returns the message for a text that `value(_:as:)` cannot read. If a Double would lose digits,
  /// the message names types that keep all digits.
  static func failure(_ text: String, as type: any ColumnValue.Type) -> String {
    let message = "\(text.debugDescription) cannot be read as \(type)"
    guard type.storageClass == .real, Double(text)?.isNaN == false else { return message }
    return message + ", which does not hold its digits; give the column the type Decimal or String"
  }

  /// Converts a cell to the standard stored form of its type, so that equal values become equal
  /// cells. Returns nil if the type cannot read or store the value, for example NaN or an unknown
  /// case of an enumeration.
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

  /// Returns the date in a text as a cell. The text has the form that `text(of:as:)` writes, or
  /// another ISO 8601 form.
  static func date(_ text: String) -> DatabaseValue? {
    let date =
      (try? DatabaseValue.text(text).read(Date.self, as: .iso8601))
      ?? (try? Date(text, strategy: .iso8601))
    return date.flatMap { try? $0.databaseValue(as: .standard) }
  }

  /// Returns whether a type is `Date`.
  static func isDate(_ type: (any ColumnValue.Type)?) -> Bool { type == Date.self }

  /// Returns the number in a text; nil if a Double would lose some of its digits, or if the number
  /// is too large or too small for a Double.
  ///
  /// A Double keeps the digits of a text if writing the Double with the same number of digits gives
  /// the same digits. This is true for 1.10 and 0.10000000000000001, but not for 9007199254740993
  /// and 1e400.
  static func real(_ text: String) -> Double? {
    guard let real = Double(text) else { return nil }
    var digits: [UInt8] = []
    var exponent = -1
    var isFraction = false
    var bytes = text.utf8[...]
    while let byte = bytes.popFirst() {
      switch byte {
      case UInt8(ascii: "."): isFraction = true
      case UInt8(ascii: "+"), UInt8(ascii: "-"): continue
      case 0x30...0x39:
        if !digits.isEmpty || byte != 0x30 {
          digits.append(byte)
          if !isFraction { exponent += 1 }
        } else if isFraction {
          exponent -= 1
        }
      case UInt8(ascii: "e"), UInt8(ascii: "E"):
        // The exponent is limited, so that the sum cannot overflow. A number with an exponent
        // beyond this limit is outside the range of Double anyway.
        exponent += min(max(Int(Substring(bytes)) ?? 1_000_000, -1_000_000), 1_000_000)
        bytes = bytes.suffix(0)
      default:
        // The text is a word such as `inf`, or has hexadecimal digits. Neither is compared digit by
        // digit.
        return real
      }
    }
    guard !digits.isEmpty else { return real }
    while digits.last == 0x30 { digits.removeLast() }
    guard real.isFinite, !real.isZero else { return nil }
    // In this range of exponents, every number of at most 15 digits keeps its digits as a Double. A
    // number of more than 767 digits never does.
    if digits.count <= 15, abs(exponent) < 300 { return real }
    guard digits.count <= 767 else { return nil }
    return written(real, digits: digits.count) == (digits, exponent) ? real : nil
  }

  /// Returns the digits of a number, rounded to `count` digits, and the power of ten of the first
  /// digit. The number must not be 0.
  private static func written(_ real: Double, digits count: Int) -> ([UInt8], Int) {
    var text = [CChar](repeating: 0, count: count + 16)
    let length = withVaList([Int32(truncatingIfNeeded: count - 1), real]) { arguments in
      vsnprintf(&text, text.count, "%.*e", arguments)
    }
    let bytes = text.prefix(Int(length)).map { UInt8(bitPattern: $0) }
    let end = bytes.lastIndex(of: UInt8(ascii: "e")) ?? bytes.endIndex
    let exponent = String(decoding: bytes[end...].dropFirst(), as: UTF8.self)
    return (bytes[..<end].filter { (0x30...0x39).contains($0) }, Int(exponent) ?? 0)
  }

  /// Guesses the type of an unquoted text: the type that would write a value as exactly this text.
  /// Returns nil if the text is a String. A number in another form, such as 007, 1.10 or a number
  /// with more digits than its type holds, stays text, because it may be a code, a version or an
  /// identifier.
  static func kind(of text: String) -> (any ColumnValue.Type)? {
    guard let first = text.utf8.first, (0x30...0x39).contains(first) || "-itf".utf8.contains(first)
    else { return nil }
    let types: [any ColumnValue.Type] = [Int64.self, Double.self, Bool.self, Date.self]
    return types.first { type in
      guard let value = value(text, as: type), let written = try? self.text(of: value, as: type)
      else { return false }
      return written.utf8.elementsEqual(text.utf8)
    }
  }

  /// Returns the type that all cells have; nil if their types differ, or if there are no cells.
  /// `kinds` has the type of each cell.
  static func common(_ kinds: [(any ColumnValue.Type)?]) -> (any ColumnValue.Type)? {
    guard let first = kinds.first, let first else { return nil }
    return kinds.allSatisfy { $0 == first } ? first : nil
  }

  /// Returns whether all cells are numbers. `kinds` has the type of each cell.
  static func areNumbers(_ kinds: [(any ColumnValue.Type)?]) -> Bool {
    kinds.allSatisfy { $0 == Int64.self || $0 == Double.self }
  }
}

extension TableColumn {
  /// Converts a cell for a column of an existing table, so that the column's affinity loses no
  /// digits. A text that SQLite would convert to a number becomes that number. A REAL for a column
  /// of TEXT becomes a text with all its digits. Throws `DataFrameError` for a number whose digits
  /// the column would lose.
  ///
  /// - Parameter isStrict: true if the table is STRICT. In a STRICT table, a column ANY leaves
  ///   texts unchanged.
  /// - SeeAlso: <https://www.sqlite.org/datatype3.html#type_affinity>
  @_spi(Tools)
  public func exactValue(of value: DatabaseValue, isStrict: Bool) throws -> DatabaseValue {
    let declared = StorageClass(declaredType: declaredType)
    switch value {
    case .text(let text) where takesNumbers(isStrict: isStrict):
      guard let digits = CellText.digits(of: text) else { return value }
      if declared != .real, let integer = Int64(digits) { return .integer(integer) }
      return .real(try exactReal(digits))
    case .integer(let integer) where declared == .real:
      return .real(try exactReal(String(integer)))
    // SQLite would convert the number to a text with only 15 digits.
    case .real(let real) where declared == .text: return .text(String(real))
    default: return value
    }
  }

  /// Returns whether the column's affinity converts a text that looks like a number to a number.
  @_spi(Tools)
  public func takesNumbers(isStrict: Bool) -> Bool {
    switch StorageClass(declaredType: declaredType) {
    case .integer, .real: true
    case .text, .blob, .null: false
    case nil: !declaredType.isEmpty && !(isStrict && declaredType.lowercasedASCII == "any")
    }
  }

  private func exactReal(_ digits: String) throws -> Double {
    if let real = CellText.real(digits) { return real }
    throw DataFrameError(
      "\(name) is \(declaredType), which would lose digits of \(digits); a column of TEXT keeps them"
    )
  }
}

extension CellText {
  /// Returns the text without white space at its ends, if SQLite's affinity would convert it to a
  /// decimal number; otherwise nil.
  fileprivate static func digits(of text: String) -> String? {
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
    let start = text.utf8.drop(while: isSpace)
    guard let end = start.lastIndex(where: { !isSpace($0) }) else { return nil }
    let digits = String(Substring(start[...end]))
    let isDecimal = digits.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || "+-.eE".utf8.contains(byte)
    }
    return isDecimal && Double(digits) != nil ? digits : nil
  }
}
