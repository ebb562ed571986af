import CSQLite

// Parameters are counted from 1. A running statement is reset before a value is bound to it,
// because SQLite requires this.

extension Statement {
  /// Binds a value to the parameter at `index`, counted from 1. `form` says how the value is
  /// stored, for example a Date as text. Throws `DatabaseError` if there is no such parameter, and
  /// `ColumnValueError` if the value cannot be stored in that form.
  ///
  /// ```swift
  /// try insert.bind("dog", at: 1)
  /// try insert.bind(date, at: 2, as: .iso8601)
  /// ```
  /// - SeeAlso: <https://www.sqlite.org/c3ref/bind_blob.html>
  public func bind(
    _ value: some ColumnValue, at index: Int, as form: StoredForm = .standard
  ) throws {
    guard form != .standard else {
      return try bind(databaseValue: try value.databaseValue(as: .standard), at: index)
    }
    try bind(bound: BoundValue(value, inForm: form), at: index)
  }

  /// Binds a value of any storage class to the parameter at `index`, counted from 1.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/bind_blob.html>
  public func bind(databaseValue value: DatabaseValue, at index: Int) throws {
    let (core, pointer) = try use()
    try reset()
    try core.bind(value, to: pointer, at: Int32(clamping: index))
  }

  /// Binds a text to the parameter at `index`, counted from 1, without making a String. The bytes
  /// are copied; they must be UTF-8. Throws `DatabaseError` (`.range`) if there is no such
  /// parameter.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/bind_blob.html>
  @_spi(Tools)
  public func bind(utf8 bytes: UnsafeBufferPointer<UInt8>, at index: Int) throws {
    let (core, pointer) = try use()
    try reset()
    let code = bytes.withMemoryRebound(to: CChar.self) { bytes in
      csqlite_bind_text_copy(
        pointer.handle, Int32(clamping: index), bytes.baseAddress, UInt64(bytes.count))
    }
    try core.check(code, sql: sql)
  }

  /// Binds a sequence of values to the parameter at `index`, counted from 1. The parameter must be
  /// the argument of the table function `apus_array(?)`.
  ///
  /// ```swift
  /// let named = try connection.prepare(
  ///   "SELECT id FROM animal WHERE name IN (SELECT value FROM apus_array(?))")
  /// try named.bind(array: ["dog", "hedgehog"], at: 1)
  /// ```
  /// - SeeAlso: <https://www.sqlite.org/carray.html>
  public func bind<Value: ColumnValue>(array values: some Sequence<Value>, at index: Int) throws {
    try bind(bound: BoundValue(array: values), at: index)
  }

  /// Binds a BLOB of `count` zero bytes to the parameter at `index`, counted from 1, without
  /// allocating them. Use `Blob` to write its content later.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/bind_blob.html>
  public func bind(zeroBlob count: Int, at index: Int) throws {
    try bind(bound: .zeroBlob(count), at: index)
  }

  private func bind(bound value: BoundValue, at index: Int) throws {
    let (core, pointer) = try use()
    try reset()
    try core.bind(value, to: pointer, at: Int32(clamping: index))
  }

  /// Binds a value to a named parameter, such as `:legs`, `@legs` or `$legs`. `form` says how the
  /// value is stored. Throws `DatabaseError` (`.range`) if no parameter has that name.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/bind_blob.html>
  public func bind(
    _ value: some ColumnValue, to name: String, as form: StoredForm = .standard
  ) throws {
    try bind(value, at: try index(ofParameter: name), as: form)
  }

  /// Binds values to all parameters, in order. Throws if there are too few or too many values.
  ///
  /// ```swift
  /// try insert.bind(33, "lulu", nil)
  /// ```
  /// - SeeAlso: <https://www.sqlite.org/c3ref/bind_blob.html>
  @_disfavoredOverload
  public func bind(_ first: (any ColumnValue)?, _ others: (any ColumnValue)?...) throws {
    try bind(
      ([first] + others).map { try $0?.databaseValue(as: .standard) ?? .null } as [DatabaseValue])
  }

  /// Binds values to all parameters, in order. Throws if there are too few or too many values.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/bind_blob.html>
  public func bind(_ values: some Sequence<DatabaseValue>) throws {
    let (core, pointer) = try use()
    try reset()
    try core.bind(values.map { BoundValue.value($0) }, to: pointer)
  }

  /// Binds values to all parameters by name. Throws if there are too few or too many values, or if
  /// a name is unknown.
  ///
  /// ```swift
  /// try insert.bind([":a": 100, ":b": 404])
  /// ```
  /// - SeeAlso: <https://www.sqlite.org/c3ref/bind_blob.html>
  public func bind(_ values: [String: DatabaseValue]) throws {
    guard values.count == parameterCount else {
      throw DatabaseError(
        code: .range,
        message: "the statement has \(parameterCount) parameters, and \(values.count) values were "
          + "given by name", sql: sql)
    }
    for (name, value) in values {
      try bind(databaseValue: value, at: try index(ofParameter: name))
    }
  }

  private func index(ofParameter name: String) throws -> Int {
    let index = sqlite3_bind_parameter_index(try use().1.handle, name)
    guard index > 0, !name.utf8.contains(0) else {
      throw DatabaseError(code: .range, message: "there is no parameter \(name)", sql: sql)
    }
    return Int(index)
  }
}
