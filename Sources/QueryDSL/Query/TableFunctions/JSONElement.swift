import SQLCore

/// An element of a JSON array: a row of `jsonEach`.
public struct JSONElement<Value: ColumnValue>: ResultRow {
  /// The index of the element in the array, from 0. SQL: `"key"`
  @Column public var index: Int
  /// The value.
  @Column public var value: Value

  /// Makes the row of an element.
  public init(index: Int, value: Value) {
    self.index = index
    self.value = value
  }

  /// The schema of the row. It says that the property `index` has the name `key` in SQLite.
  public static var schema: Schema<JSONElement> { Named(\.$index, "key") }
}

extension JSONElement: Equatable where Value: Equatable {}

/// A member of a JSON object: a row of `jsonEach`.
public struct JSONMember<Value: ColumnValue>: ResultRow {
  /// The name of the member.
  @Column public var key: String
  /// The value.
  @Column public var value: Value

  /// Makes the row of a member.
  public init(key: String, value: Value) {
    self.key = key
    self.value = value
  }
}

extension JSONMember: Equatable where Value: Equatable {}

/// A value inside JSON, at any depth: a row of `jsonTree`.
public struct JSONNode: ResultRow, Equatable {
  /// The index or name of the value in its array or object; nil for the JSON as a whole.
  @Column public var key: JSONKey?
  /// The type: `null`, `true`, `false`, `integer`, `real`, `text`, `array` or `object`.
  @Column public var type: String
  /// The value, if it is a number, a text, true (1) or false (0); nil for null, arrays and objects.
  @Column public var atom: JSONAtom?
  /// A number that identifies the value within its JSON.
  @Column public var id: Int
  /// The `id` of the array or object that contains the value; nil for the value with which
  /// `jsonTree` begins.
  @Column public var parent: Int?
  /// The path of the value: `$.seats[0]`. SQL: `"fullkey"`
  @Column public var fullKey: String
  /// The path of the array or object that contains the value: `$.seats`.
  @Column public var path: String

  /// The schema of the row. It says that the property `fullKey` has the name `fullkey` in SQLite.
  public static var schema: Schema<JSONNode> { Named(\.$fullKey, "fullkey") }
}

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

/// A number or text inside JSON. True is 1 and false is 0.
public enum JSONAtom: ColumnValue, Hashable {
  /// An integer, or true or false.
  case integer(Int)
  /// A number with a fraction or an exponent, or an integer beyond 64 bits.
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
