extension Registrar {
  /// Registers a function, typed by the signature of its closure.
  ///
  /// ```swift
  /// try db.function("rot13", .deterministic) { (text: String) in text.rot13 }
  /// try db.rows("SELECT rot13(name) FROM animal")
  /// ```
  ///
  /// It takes as many arguments as the closure, and replaces a function of the same name and number
  /// of arguments. The statement fails if an argument cannot be read as the closure's type (for
  /// example NULL for a type that is not optional), or if the closure throws, with the message of
  /// that error. The flags say where the function may be called; see `FunctionFlags`.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/create_function.html>
  public func function<each Argument: ColumnValue, Result: ColumnValue>(
    _ name: String, _ flags: FunctionFlags = [],
    _ body: @escaping @Sendable (repeat each Argument) throws -> Result
  ) throws {
    try function(
      name, argumentCount: count(repeat (each Argument).self), flags
    ) { arguments in
      var reader = arguments.reader
      return try body(repeat try reader.next((each Argument).self)).databaseValue(as: .standard)
    }
  }

  /// Registers a function that receives its arguments as values and returns a value.
  ///
  /// ```swift
  /// try db.function("longest", argumentCount: nil) { arguments in
  ///   let texts = try (0..<arguments.count).map { try arguments.get(String.self, at: $0) }
  ///   return .text(texts.max { $0.count < $1.count } ?? "")
  /// }
  /// ```
  ///
  /// - Parameter argumentCount: the number of its arguments, 0 to 127; nil for any number.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/create_function.html>
  public func function(
    _ name: String, argumentCount: Int?, _ flags: FunctionFlags = [],
    _ body: @escaping @Sendable (borrowing Arguments) throws -> DatabaseValue
  ) throws {
    let key = try Registration.Key(function: name, argumentCount: argumentCount)
    try register(
      Registration(key) { core in
        try ScalarFunction.register(
          name, argumentCount: key.argumentCount, flags: flags, on: core, body)
      })
  }

  /// Removes a function, aggregate function or window function. Removing a name that is not
  /// registered is not an error.
  ///
  /// A statement that uses it fails when it is next compiled. On a connection with a running
  /// statement, throws `.busy`.
  public func removeFunction(_ name: String, argumentCount: Int?) throws {
    let key = try Registration.Key(function: name, argumentCount: argumentCount)
    try register(
      Registration(key) { core in
        try ScalarFunction.remove(name, argumentCount: key.argumentCount, on: core)
      })
  }
}

extension Registration.Key {
  init(function name: String, argumentCount: Int?) throws {
    try requireName(name, of: "function")
    guard (0...127).contains(argumentCount ?? 0) else {
      throw DatabaseError.misuse("an SQL function takes 0 to 127 arguments")
    }
    self.init(
      kind: .function, name: name.lowercasedASCII, argumentCount: Int32(argumentCount ?? -1))
  }
}
