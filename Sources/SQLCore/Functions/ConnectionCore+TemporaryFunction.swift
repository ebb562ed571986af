import CSQLite

/// The arguments with which SQL calls a function. They are valid only during the call.
package struct FunctionArguments {
  fileprivate let values: UnsafeBufferPointer<OpaquePointer?>

  package var count: Int { values.count }

  /// The argument at `index`, counted from 0; NULL if there is no such argument. A text that is not
  /// UTF-8 is `.invalidText`.
  package subscript(index: Int) -> DatabaseValue {
    get throws {
      guard values.indices.contains(index), let value = values[index] else { return .null }
      return try Cell(value: value, form: .standard).databaseValue()
    }
  }
}

/// The function that `withFunction` registers in SQL while its closure runs.
private final class FunctionBody {
  let body: (FunctionArguments) throws -> DatabaseValue
  var error: (any Error)?

  init(_ body: @escaping (FunctionArguments) throws -> DatabaseValue) {
    self.body = body
  }
}

extension ConnectionCore {
  /// Registers `function` under a name, runs the closure `run`, and removes the function again.
  /// Statements inside `run` can call the function, but views, triggers and other parts of the
  /// schema cannot.
  ///
  /// If the function throws, the statement that calls it fails. The error of the function is then
  /// rethrown in place of SQLite's own error.
  package func withFunction<Result>(
    _ name: String, _ function: (FunctionArguments) throws -> DatabaseValue,
    run: () throws -> Result
  ) throws -> Result {
    try withoutActuallyEscaping(function) { function in
      let body = FunctionBody(function)
      let flags = SQLITE_UTF8 | SQLITE_DIRECTONLY
      try check(
        sqlite3_create_function_v2(
          handle, name, -1, flags, Unmanaged.passUnretained(body).toOpaque(), call, nil, nil, nil))
      // Removing the function makes the statements that use it expire, so that they cannot call it
      // later.
      defer { sqlite3_create_function_v2(handle, name, -1, flags, nil, nil, nil, nil, nil) }
      do {
        return try withExtendedLifetime(body) { try run() }
      } catch {
        throw body.error ?? error
      }
    }
  }
}

private func call(
  context: OpaquePointer?, count: Int32,
  arguments: UnsafeMutablePointer<OpaquePointer?>?
) {
  guard let data = sqlite3_user_data(context) else { return }
  let body = Unmanaged<FunctionBody>.fromOpaque(data).takeUnretainedValue()
  do {
    let arguments = FunctionArguments(
      values: UnsafeBufferPointer(start: arguments, count: Int(count)))
    try body.body(arguments).setResult(of: context)
  } catch {
    body.error = body.error ?? error
    sqlite3_result_error(context, String(describing: error), -1)
  }
}
