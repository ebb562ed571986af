import CSQLite

/// A Swift closure that SQLite calls as a function. SQLite owns it and releases it.
final class ScalarFunction {
  private let body: @Sendable (borrowing Arguments) throws -> DatabaseValue
  // Unretained: the core owns the handle, the handle owns this object, and the core outlives both.
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
    // If this fails, SQLite releases the function as well.
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
