import CSQLite

/// The arguments of a call to a Swift function, or of a virtual table's `filter` or write methods.
///
/// ```swift
/// try db.function("repeat", argumentCount: 2) { arguments in
///   let count = try arguments.get(Int.self, at: 1)
///   return .text(String(repeating: try arguments.get(String.self, at: 0), count: count))
/// }
/// ```
///
/// The arguments are valid only during the call. They cannot be copied or kept.
/// - SeeAlso: <https://www.sqlite.org/c3ref/value_blob.html>
public struct Arguments: ~Copyable {
  let core: ConnectionCore
  /// The pointer with which SQLite identifies the call of a function; nil for a method of a virtual
  /// table.
  let context: OpaquePointer?
  let values: UnsafeMutablePointer<OpaquePointer?>?
  /// The number of arguments.
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

  /// The connection that makes the call, on which the function can run statements.
  ///
  /// Statements on this connection run inside the calling statement and see its changes so far. The
  /// connection is valid during the current access.
  public var connection: Connection { core.lend() }

  /// The argument at `index`, counted from 0. The argument may have any storage class.
  public subscript(index: Int) -> DatabaseValue {
    get throws { try databaseValue(at: index) }
  }

  /// Returns the argument at `index`, counted from 0, as `type`.
  ///
  /// Throws `DatabaseError` (`.range`) if there is no such argument, and `ColumnValueError` if the
  /// argument cannot be read as `type`.
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

  /// Returns the argument at `index`, counted from 0, whatever its storage class. A text that is
  /// not UTF-8 is `.invalidText` with its bytes. Throws `DatabaseError` (`.range`) if there is no
  /// such argument.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/value_blob.html>
  public func databaseValue(at index: Int) throws -> DatabaseValue {
    try Cell(value: try value(at: index), form: .standard).databaseValue()
  }

  /// Returns the storage class of the argument at `index`, counted from 0.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/value_blob.html>
  public func storageClass(at index: Int) throws -> StorageClass {
    StorageClass(type: sqlite3_value_type(try value(at: index)))
  }

  /// Passes the argument at `index`, counted from 0, to a closure without copying its text or
  /// bytes.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/value_blob.html>
  public func withCell<Result>(
    at index: Int, _ body: (borrowing Cell) throws -> Result
  ) throws -> Result {
    try body(Cell(value: try value(at: index), form: .standard))
  }

  /// Passes the UTF-8 bytes of the argument at `index`, counted from 0, to a closure. If the
  /// argument is a number, SQLite converts it to text. The argument must not be NULL.
  package func withText<Result>(
    at index: Int, _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
  ) throws -> Result {
    let argument = try value(at: index)
    guard let start = sqlite3_value_text(argument) else { throw DatabaseError.outOfMemory }
    let count = Int(sqlite3_value_bytes(argument))
    return try body(UnsafeBufferPointer(start: start, count: count))
  }

  /// Returns an object that `make` creates from the argument at `index`, such as a compiled
  /// pattern. If the argument is the same constant in every row, SQLite keeps the object for the
  /// next rows. Otherwise `make` is called for each row.
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
      // SQLite releases the object later, or at once if it does not keep the object.
      let held = Unmanaged<AnyObject>.passRetained(object).toOpaque()
      sqlite3_set_auxdata(context, Int32(index), held) { pointer in
        if let pointer { Unmanaged<AnyObject>.fromOpaque(pointer).release() }
      }
    }
    return object
  }

  /// Returns all values of the list in a condition such as `column IN (1, 2, 3)`. Use this method
  /// in the `filter` method of a virtual table. The plan of the virtual table must have set
  /// `isList` for this argument. Throws `DatabaseError` (`.misuse`) if the argument is not a list.
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
      throw DatabaseError.misuse(
        "argument \(index) is not a list; set `isList` of the argument in the plan")
    }
    return values
  }

  private func value(at index: Int) throws -> OpaquePointer {
    guard index >= 0, index < count, let value = values?[index] else {
      throw DatabaseError(
        code: .range,
        message:
          "there is no argument \(index): there \(count == 1 ? "is 1" : "are \(count)"), counted "
          + "from 0")
    }
    return value
  }

  /// A reader that returns the arguments from left to right.
  var reader: ArgumentReader { ArgumentReader(values: values, count: count) }
}

/// A reader of the arguments of a call, from left to right. It serves functions whose argument
/// types are the types of a Swift closure.
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

/// Returns the number of types in a parameter pack.
func count<each Value>(_ types: repeat (each Value).Type) -> Int {
  var count = 0
  for _ in repeat each types { count += 1 }
  return count
}
