import CSQLite

/// The arguments of a call to a Swift function, or of a virtual table's filter.
///
/// They are lent: they cannot be copied and so not kept.
/// - SeeAlso: <https://www.sqlite.org/c3ref/value_blob.html>
public struct Arguments: ~Copyable {
  let core: ConnectionCore
  /// The call; nil for a virtual table.
  let context: OpaquePointer?
  let values: UnsafeMutablePointer<OpaquePointer?>?
  /// How many there are.
  public let count: Int

  init(
    core: ConnectionCore, context: OpaquePointer?, count: Int32,
    values: UnsafeMutablePointer<OpaquePointer?>?
  ) {
    self.core = core
    self.context = context
    self.values = values
    self.count = Int(count)
  }

  /// The connection that calls, for statements of the function's own.
  ///
  /// They run inside the statement that calls, and see what it did so far. It is good as long as
  /// the access that runs.
  public var connection: Connection { core.lend() }

  /// The argument at `index`, from 0, whatever its storage class.
  public subscript(index: Int) -> DatabaseValue {
    get throws { try databaseValue(at: index) }
  }

  /// The argument at `index`, from 0, as `type`.
  ///
  /// Throws `DatabaseError` (`.range`) for an index that is none, and `ColumnValueError` for an
  /// argument that is none of the type.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/value_blob.html>
  public func get<Value: ColumnValue>(
    _ type: Value.Type = Value.self, at index: Int, as form: StoredForm = .standard
  ) throws -> Value {
    let cell = Cell(value: try value(at: index), form: form)
    do {
      return try Value(cell)
    } catch let error as ColumnValueError {
      throw error.at(table: nil, column: "argument \(index + 1)", row: nil)
    }
  }

  /// The argument at `index`, from 0, whatever its storage class; text that is no UTF-8 throws
  /// `ColumnValueError`.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/value_blob.html>
  public func databaseValue(at index: Int) throws -> DatabaseValue {
    try Cell(value: try value(at: index), form: .standard).databaseValue()
  }

  /// The storage class of the argument at `index`, from 0.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/value_blob.html>
  public func storageClass(at index: Int) throws -> StorageClass {
    StorageClass(type: sqlite3_value_type(try value(at: index)))
  }

  /// Lends the argument at `index` without copying its text or bytes.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/value_blob.html>
  public func withCell<Result>(
    at index: Int, _ body: (borrowing Cell) throws -> Result
  ) throws -> Result {
    try body(Cell(value: try value(at: index), form: .standard))
  }

  /// Something made from the argument at `index` and kept while SQLite knows that the argument is
  /// the same in each row, such as a pattern made ready for matching.
  ///
  /// - SeeAlso: <https://www.sqlite.org/c3ref/get_auxdata.html>
  public func prepared<Object: AnyObject>(
    at index: Int, _ make: (DatabaseValue) throws -> Object
  ) throws -> Object {
    let argument = try value(at: index)
    if let context, let kept = sqlite3_get_auxdata(context, Int32(index)),
      let object = Unmanaged<AnyObject>.fromOpaque(kept).takeUnretainedValue() as? Object
    {
      return object
    }
    let object = try make(try Cell(value: argument, form: .standard).databaseValue())
    if let context {
      // SQLite releases it, at once where it does not keep it.
      let held = Unmanaged<AnyObject>.passRetained(object).toOpaque()
      sqlite3_set_auxdata(context, Int32(index), held) { pointer in
        if let pointer { Unmanaged<AnyObject>.fromOpaque(pointer).release() }
      }
    }
    return object
  }

  /// All values of an `IN` that a virtual table's plan asked for as a list.
  ///
  /// - SeeAlso: <https://www.sqlite.org/c3ref/vtab_in_first.html>
  public func list(at index: Int) throws -> [DatabaseValue] {
    let list = try value(at: index)
    var values: [DatabaseValue] = []
    var element: OpaquePointer?
    var code = sqlite3_vtab_in_first(list, &element)
    while code == SQLITE_OK, let value = element {
      values.append(try Cell(value: value, form: .standard).databaseValue())
      code = sqlite3_vtab_in_next(list, &element)
    }
    guard code == SQLITE_OK || code == SQLITE_DONE else {
      throw DatabaseError.misuse("argument \(index) is no list; ask for one in the plan")
    }
    return values
  }

  private func value(at index: Int) throws -> OpaquePointer {
    guard index >= 0, index < count, let value = values?[index] else {
      throw DatabaseError(
        code: .range,
        message: "there is no argument \(index): there are \(count), counted from 0")
    }
    return value
  }

  /// Reads the arguments one after another.
  var reader: ArgumentReader { ArgumentReader(values: values, count: count) }
}

/// Reads arguments from left to right, for functions that are typed by their Swift signature.
struct ArgumentReader {
  let values: UnsafeMutablePointer<OpaquePointer?>?
  let count: Int
  private var index = 0

  init(values: UnsafeMutablePointer<OpaquePointer?>?, count: Int) {
    self.values = values
    self.count = count
  }

  mutating func next<Value: ColumnValue>(_ type: Value.Type) throws -> Value {
    guard index < count, let value = values?[index] else {
      throw DatabaseError(code: .range, message: "there is no argument \(index + 1)")
    }
    index += 1
    do {
      return try Value(Cell(value: value, form: .standard))
    } catch let error as ColumnValueError {
      throw error.at(table: nil, column: "argument \(index)", row: nil)
    }
  }
}

/// How many types a pack has.
func count<each Value>(_ types: repeat (each Value).Type) -> Int {
  var count = 0
  for _ in repeat each types { count += 1 }
  return count
}
