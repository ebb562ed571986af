import CSQLite

/// An SQL function whose body is a Swift closure. SQLite owns and releases this object.
final class ScalarFunction {
  private let body: @Sendable (borrowing Arguments) throws -> DatabaseValue
  // The reference is not counted, because the core outlives this object. The core owns the handle,
  // which owns this object.
  private let core: Unmanaged<ConnectionCore>

  private init(
    core: ConnectionCore, _ body: @escaping @Sendable (borrowing Arguments) throws -> DatabaseValue
  ) {
    self.core = .passUnretained(core)
    self.body = body
  }

  static func register(
    _ name: String, argumentCount: Int32, flags: FunctionFlags, on core: ConnectionCore,
    _ body: @escaping @Sendable (borrowing Arguments) throws -> DatabaseValue
  ) throws {
    let function = Unmanaged.passRetained(ScalarFunction(core: core, body)).toOpaque()
    // SQLite releases the function even if this call fails, so it need not be released here.
    try core.check(
      sqlite3_create_function_v2(
        core.handle, name, argumentCount, flags.textRepresentation, function, callScalar, nil, nil
      ) { pointer in
        if let pointer { Unmanaged<ScalarFunction>.fromOpaque(pointer).release() }
      })
  }

  static func remove(_ name: String, argumentCount: Int32, on core: ConnectionCore) throws {
    try core.check(
      sqlite3_create_function_v2(
        core.handle, name, argumentCount, SQLITE_UTF8, nil, nil, nil, nil, nil))
  }

  fileprivate func call(
    _ context: OpaquePointer?, _ count: Int32, _ values: UnsafeMutablePointer<OpaquePointer?>?
  ) {
    do {
      let arguments = Arguments(
        core: core.takeUnretainedValue(), context: context, count: count, values: values)
      try body(arguments).setResult(of: context)
    } catch {
      CallbackFailure(error).setResult(of: context)
    }
  }
}

private func callScalar(
  context: OpaquePointer?, count: Int32, values: UnsafeMutablePointer<OpaquePointer?>?
) {
  guard let data = sqlite3_user_data(context) else { return }
  Unmanaged<ScalarFunction>.fromOpaque(data).takeUnretainedValue().call(context, count, values)
}

/// The properties that a function guarantees, and the contexts in which SQL may call it.
///
/// ```swift
/// try db.function("slug", [.deterministic, .innocuous]) { (title: String) in
///   title.lowercased().replacing(" ", with: "-")
/// }
/// ```
///
/// Without `.innocuous`, a function cannot be called from views, triggers, CHECK constraints,
/// indexes or generated columns. Otherwise a database file from an untrusted source could call the
/// function unnoticed.
/// - SeeAlso: <https://www.sqlite.org/c3ref/c_deterministic.html>
public struct FunctionFlags: OptionSet, Sendable {
  /// The bits, as SQLite defines them.
  public let rawValue: Int32

  /// Makes flags from SQLite's bits.
  public init(rawValue: Int32) {
    self.rawValue = rawValue
  }

  /// Equal arguments always give equal results, so SQLite may call the function less often. Indexes
  /// may use the function if it is also `.innocuous`.
  public static let deterministic = FunctionFlags(rawValue: SQLITE_DETERMINISTIC)
  /// The function cannot be called from views, triggers or the schema. Every function that is not
  /// `.innocuous` has this flag, even if the flag is not given.
  public static let directOnly = FunctionFlags(rawValue: SQLITE_DIRECTONLY)
  /// The function has no side effects and discloses nothing, so views, triggers and the schema may
  /// call it.
  public static let innocuous = FunctionFlags(rawValue: SQLITE_INNOCUOUS)
  /// The function sets or reads the subtype of values, as the JSON functions do.
  public static let subtype = FunctionFlags(rawValue: SQLITE_SUBTYPE)

  /// The flags as SQLite expects them, including the text encoding.
  var textRepresentation: Int32 {
    let bits = contains(.innocuous) ? rawValue : union(.directOnly).rawValue
    return SQLITE_UTF8 | bits
  }
}

extension Registrar {
  /// Registers a function whose argument and result types are the types of its closure.
  ///
  /// ```swift
  /// try db.function("rot13", .deterministic) { (text: String) in text.rot13 }
  /// try db.rows("SELECT rot13(name) FROM animal")
  /// ```
  ///
  /// The SQL function takes as many arguments as the closure, and replaces a function with the same
  /// name and number of arguments. The statement fails if an argument cannot be read as the type of
  /// the closure's parameter, for example NULL for a type that is not optional. If the closure
  /// throws, the statement fails with the message of that error. The flags determine where the
  /// function may be called; see `FunctionFlags`.
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

  /// Registers a function whose closure returns nothing. In SQL, a call of the function returns
  /// NULL.
  ///
  /// ```swift
  /// try db.function("note") { (text: String) in print(text) }
  /// ```
  /// Arguments, errors and flags have the same meaning as for a function whose closure returns a
  /// value.
  @_disfavoredOverload
  public func function<each Argument: ColumnValue>(
    _ name: String, _ flags: FunctionFlags = [],
    _ body: @escaping @Sendable (repeat each Argument) throws -> Void
  ) throws {
    try function(
      name, argumentCount: count(repeat (each Argument).self), flags
    ) { arguments in
      var reader = arguments.reader
      try body(repeat try reader.next((each Argument).self))
      return .null
    }
  }

  /// Registers a function that receives `Arguments` and returns a `DatabaseValue`.
  ///
  /// ```swift
  /// try db.function("longest", argumentCount: nil) { arguments in
  ///   let texts = try (0..<arguments.count).map { try arguments.get(String.self, at: $0) }
  ///   return .text(texts.max { $0.count < $1.count } ?? "")
  /// }
  /// ```
  ///
  /// - Parameter argumentCount: the number of arguments, 0 to 127; nil for any number.
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

  /// Removes a function, aggregate function or window function. The name does not have to be
  /// registered.
  ///
  /// A statement that uses the function fails when it is next compiled. Throws `DatabaseError`
  /// (`.busy`) if a statement is running on the connection.
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
