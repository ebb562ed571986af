import SQLCore

/// A number or text inside JSON. True is 1 and false is 0.
public enum JSONAtom: ColumnValue, Hashable {
  /// An integer, or true or false.
  case integer(Int)
  /// A number with a fraction or an exponent.
  case real(Double)
  /// A text.
  case text(String)

  /// TEXT.
  public static var storageClass: StorageClass { .text }

  /// Reads a number or a text. Throws `ColumnValueError` for other values.
  public init(_ cell: borrowing Cell) throws {
    switch cell.storageClass {
    case .integer: self = .integer(try Int(cell))
    case .real: self = .real(try Double(cell))
    case .text, .blob, .null: self = .text(try String(cell))
    }
  }

  /// Returns the number or the text.
  public func databaseValue(as form: StoredForm) throws -> DatabaseValue {
    switch self {
    case .integer(let integer): .integer(Int64(integer))
    case .real(let real): try real.databaseValue(as: .standard)
    case .text(let text): .text(text)
    }
  }
}

extension JSONAtom: CustomStringConvertible {
  /// The number or the text.
  public var description: String {
    switch self {
    case .integer(let integer): "\(integer)"
    case .real(let real): "\(real)"
    case .text(let text): text
    }
  }
}
