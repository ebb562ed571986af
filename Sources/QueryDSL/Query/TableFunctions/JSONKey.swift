import SQLCore

/// The index of an element in a JSON array, or the name of a member of a JSON object.
public enum JSONKey: ColumnValue, Hashable {
  /// The index of an element, from 0.
  case index(Int)
  /// The name of a member.
  case name(String)

  /// TEXT.
  public static var storageClass: StorageClass { .text }

  /// Reads an integer or a text. Throws `ColumnValueError` for other values.
  public init(_ cell: borrowing Cell) throws {
    self = cell.storageClass == .integer ? .index(try Int(cell)) : .name(try String(cell))
  }

  /// Returns the integer or the text.
  public func databaseValue(as form: StoredForm) throws -> DatabaseValue {
    switch self {
    case .index(let index): .integer(Int64(index))
    case .name(let name): .text(name)
    }
  }
}

extension JSONKey: CustomStringConvertible {
  /// The index or the name.
  public var description: String {
    switch self {
    case .index(let index): "\(index)"
    case .name(let name): name
    }
  }
}
