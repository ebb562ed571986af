import CSQLite

/// The arguments of a call from SQL, good while it runs.
package struct FunctionArguments {
  fileprivate let values: UnsafeBufferPointer<OpaquePointer?>

  package var count: Int { values.count }

  /// The argument at `index`, from 0; text that is no UTF-8 throws `ColumnValueError`.
  package subscript(index: Int) -> DatabaseValue {
    get throws {
      guard values.indices.contains(index), let value = values[index] else { return .null }
      return try Cell(value: value, form: .standard).databaseValue()
    }
  }
}

/// A closure behind a function of SQL that lives as long as some work of our own.
private final class FunctionBody {
  let body: (FunctionArguments) throws -> DatabaseValue
  var error: (any Error)?

  init(_ body: @escaping (FunctionArguments) throws -> DatabaseValue) {
    self.body = body
  }
}

extension ConnectionCore {
  /// Runs a closure while SQL knows a function, which no schema may use.
  ///
  /// What the function throws ends its statement and is rethrown in the place of SQLite's error.
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
      // Statements that name it expire: none calls it later.
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
