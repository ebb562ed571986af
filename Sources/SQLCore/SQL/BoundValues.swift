import CSQLite

/// A value to be bound to a parameter of a statement.
///
/// A value without a stored form, such as NaN, becomes `.unstorable`. The operators of queries that
/// make these values cannot throw. The error is therefore kept in the value, and thrown when the
/// value is bound.
@usableFromInline
package enum BoundValue: Sendable {
  case value(DatabaseValue)
  /// Several values for one parameter, read through the table function `apus_array`.
  case array(BoundArray)
  /// The error of a value that cannot be stored. The case is indirect, so that this error, which is
  /// rare and five times as large as a value, does not make every value larger.
  indirect case unstorable(ColumnValueError)
  /// A BLOB of this many zero bytes.
  case zeroBlob(Int)
  /// A value that is only known when a prepared query is called.
  case argument(BoundArgument)

  @inlinable
  package init(_ value: some ColumnValue, as form: StoredForm = .standard) {
    do {
      self = .value(try value.databaseValue(as: form))
    } catch let error as ColumnValueError {
      self = .unstorable(error)
    } catch {
      self = .unstorable(.unstorable(type(of: value), String(describing: error)))
    }
  }

  /// Makes a value in a stored form that the caller chose. If the type does not have that form, the
  /// value is `.unstorable` with the error.
  package init<Value: ColumnValue>(_ value: Value, inForm form: StoredForm) {
    guard Value.storageClass(as: form) != nil else {
      self = .unstorable(.unstorable(value, "\(Value.self) has no stored form .\(form)"))
      return
    }
    self.init(value, as: form)
  }

  /// Makes an array of values. If an element has no stored form, the result is `.unstorable` with
  /// the element's error.
  package init<Value: ColumnValue>(array values: some Sequence<Value>) {
    do {
      self = .array(BoundArray(try values.map { try $0.databaseValue(as: .standard) }))
    } catch let error as ColumnValueError {
      self = .unstorable(error)
    } catch {
      self = .unstorable(.unstorable(Value.self, String(describing: error)))
    }
  }

  /// The value, to be shown to the user. An array, a zero BLOB or an argument is shown as a text
  /// that describes it. Throws `ColumnValueError` for a value that cannot be stored.
  package var databaseValue: DatabaseValue {
    get throws {
      switch self {
      case .value(let value): return value
      case .array(let array): return .text("<\(array.values.count) values>")
      case .zeroBlob(let count): return .text("<\(count) zero bytes>")
      case .unstorable(let error): throw error
      case .argument(let argument): return .text("<argument \(argument.index + 1)>")
      }
    }
  }
}

/// A reference to an argument of a prepared query. It says which argument is bound, which part of
/// the argument, and in which stored form.
@usableFromInline
package struct BoundArgument: Hashable, Sendable {
  package enum Part: Hashable, Sendable {
    case value
    /// The elements of an argument that is a list, without the nil elements.
    case list
    /// Whether a list contains nil.
    case listHasNil
    /// The argument is a number of rows, as for LIMIT, and must not be negative.
    case rowCount
    /// The upper bound of the range of all texts that begin with the argument. For `ab`, the range
    /// begins with `ab` and ends just before `ac`.
    case prefixEnd
    /// The upper bound of the same range as for `prefixEnd`, under the collation NOCASE.
    case prefixEndIgnoringCase
  }

  package let index: Int
  package let form: StoredForm
  package let part: Part

  package init(_ index: Int, as form: StoredForm, part: Part = .value) {
    self.index = index
    self.form = form
    self.part = part
  }
}

/// The values of one array parameter.
@usableFromInline
package final class BoundArray: Sendable {
  package let values: [DatabaseValue]

  package init(_ values: [DatabaseValue]) {
    self.values = values
  }
}

/// The values of a query, in the order of its parameters. They are collected from the parts of the
/// query, such as its conditions, and then bound to the statement.
///
/// Numbers, the most common values, are stored inline without reference counting, in memory that
/// the connection reuses.
package struct BoundValues {
  private enum Place: BitwiseCopyable {
    case null
    case integer(Int64)
    case real(Double)
    /// Any other value, such as a text. The integer is the index of the value in `others`.
    case other(Int)
  }

  private var places: UnsafeMutablePointer<Place>?
  private var capacity = 0
  private var count = 0
  private var others: ContiguousArray<BoundValue>?

  /// Makes an empty collection, which allocates no memory until a value is appended.
  package init() {}

  package func deallocate() {
    places?.deallocate()
  }

  package mutating func append(_ value: BoundValue) {
    switch value {
    case .value(.integer(let integer)): append(integer)
    case .value(.null): append(.null)
    case .value(.real(let real)) where !real.isNaN: append(.real(real))
    default:
      append(.other(others?.count ?? 0))
      if others == nil { others = [value] } else { others?.append(value) }
    }
  }

  package mutating func append(_ integer: Int64) { append(.integer(integer)) }

  package mutating func append(contentsOf values: [BoundValue]) {
    for value in values { append(value) }
  }

  @inline(__always)
  private mutating func append(_ place: Place) {
    if count == capacity { grow() }
    places?[count] = place
    count &+= 1
  }

  private mutating func grow() {
    let larger = UnsafeMutablePointer<Place>.allocate(capacity: max(8, capacity * 2))
    if let places { larger.update(from: places, count: count) }
    places?.deallocate()
    places = larger
    capacity = max(8, capacity * 2)
  }

  /// Removes all values; keeps the memory unless it is large.
  mutating func removeAll() {
    count = 0
    if others != nil { others = nil }
    guard capacity > 256 else { return }
    places?.deallocate()
    places = nil
    capacity = 0
  }

  /// The values.
  package var all: [BoundValue] {
    guard let places else { return [] }
    return (0..<count).map { index in
      switch places[index] {
      case .null: .value(.null)
      case .integer(let integer): .value(.integer(integer))
      case .real(let real): .value(.real(real))
      case .other(let other): others?[other] ?? .value(.null)
      }
    }
  }

  /// Appends the bytes of all values to the key of an entry in a cache of results. Different values
  /// give different keys. Returns false if one of the values cannot be part of a key, such as a
  /// zero BLOB.
  package func append(to key: inout [UInt8]) -> Bool {
    guard let places else { return true }
    for index in 0..<count {
      switch places[index] {
      case .null: key.append(0)
      case .integer(let integer): key.append(1, then: integer)
      case .real(let real): key.append(2, then: real.bitPattern)
      case .other(let other):
        switch others?[other] {
        case .value(let value): key.append(stored: value)
        case .array(let array):
          key.append(5, then: array.values.count)
          for value in array.values { key.append(stored: value) }
        case .unstorable, .zeroBlob, .argument, nil: return false
        }
      }
    }
    return true
  }

  /// Binds each value to its parameter.
  package func bind(to statement: StatementPointer, on core: ConnectionCore) throws {
    statement.pointee.leavesValues = others == nil
    guard let places else { return }
    for index in 0..<count {
      let parameter = Int32(truncatingIfNeeded: index &+ 1)
      let code: Int32
      switch places[index] {
      case .null: code = sqlite3_bind_null(statement.handle, parameter)
      case .integer(let integer):
        core.noteBound(integer)
        code = sqlite3_bind_int64(statement.handle, parameter, integer)
      case .real(let real): code = sqlite3_bind_double(statement.handle, parameter, real)
      case .other(let other):
        guard let value = others?[other] else { continue }
        try core.bind(value, to: statement, at: parameter)
        continue
      }
      try core.check(code, sql: statement.sql)
    }
  }
}

extension [UInt8] {
  fileprivate mutating func append<Value: BitwiseCopyable>(_ type: UInt8, then value: Value) {
    append(type)
    Swift.withUnsafeBytes(of: value) { append(contentsOf: $0) }
  }

  /// Appends the type of a value, its length if the length varies, and its bytes.
  fileprivate mutating func append(stored value: DatabaseValue) {
    switch value {
    case .null: append(0)
    case .integer(let integer): append(1, then: integer)
    case .real(let real): append(2, then: real.bitPattern)
    case .text(let text):
      append(3, then: text.utf8.count)
      append(contentsOf: text.utf8)
    case .blob(let data):
      append(4, then: data.count)
      append(contentsOf: data)
    // The type is 9, because 5 stands for an array of values.
    case .invalidText(let data):
      append(9, then: data.count)
      append(contentsOf: data)
    }
  }
}
