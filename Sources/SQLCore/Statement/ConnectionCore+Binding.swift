import CSQLite

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension ConnectionCore {
  /// Binds an integer to the parameter at `index`, counted from 1.
  package func bind(
    _ integer: Int64, to statement: StatementPointer, at index: Int32
  ) throws {
    noteBound(integer)
    try check(sqlite3_bind_int64(statement.handle, index, integer), sql: statement.sql)
  }

  /// Binds a value to the parameter at `index`, counted from 1. Text and bytes are copied.
  package func bind(_ value: DatabaseValue, to statement: StatementPointer, at index: Int32) throws
  {
    let handle = statement.handle
    let code: Int32
    switch value {
    case .null: code = sqlite3_bind_null(handle, index)
    case .integer(let integer):
      noteBound(integer)
      code = sqlite3_bind_int64(handle, index, integer)
    case .real(let real):
      // SQLite would store NULL instead.
      guard !real.isNaN else { throw ColumnValueError.unstorable(real, "SQLite has no NaN") }
      code = sqlite3_bind_double(handle, index, real)
    case .text(var text):
      code = text.withUTF8 { bytes in
        bytes.withMemoryRebound(to: CChar.self) { bytes in
          csqlite_bind_text_copy(handle, index, bytes.baseAddress, UInt64(bytes.count))
        }
      }
    case .invalidText(let data) where data.isEmpty:
      return try bind(DatabaseValue.text(""), to: statement, at: index)
    case .invalidText(let data):
      code = data.withUnsafeBytes {
        csqlite_bind_text_copy(
          handle, index, $0.bindMemory(to: CChar.self).baseAddress, UInt64($0.count))
      }
    case .blob(let data):
      code =
        data.isEmpty
        ? sqlite3_bind_zeroblob(handle, index, 0)
        : data.withUnsafeBytes {
          csqlite_bind_blob_copy(handle, index, $0.baseAddress, UInt64($0.count))
        }
    }
    guard code == SQLITE_OK else { throw error(code, sql: statement.sql) }
  }

  /// Binds a value of a query: an array as a pointer, a BLOB of zeros by its size. Throws the error
  /// of a value that cannot be stored.
  package func bind(_ value: BoundValue, to statement: StatementPointer, at index: Int32) throws {
    switch value {
    case .value(let value): try bind(value, to: statement, at: index)
    case .array(let array): try ArrayTable.bind(array, to: statement, at: index, on: self)
    case .unstorable(let error): throw error
    case .argument:
      throw DatabaseError.misuse(
        "the query uses a parameter of `prepare`, but was not made by `prepare`; "
          + "use a value instead")
    case .zeroBlob(let count):
      guard count >= 0 else {
        throw ColumnValueError.unstorable(count, "the size of a BLOB cannot be negative")
      }
      try check(
        sqlite3_bind_zeroblob64(statement.handle, index, UInt64(count)), sql: statement.sql)
    }
  }

  /// Binds the values of a piece of SQL. Throws if their number differs from the number of
  /// parameters.
  package func bind(_ sql: SQL, to statement: StatementPointer) throws {
    try bind(sql.bindings, to: statement)
  }

  /// Binds the values of a piece of SQL to the parameters, from the first on. Throws if their
  /// number differs from the number of parameters.
  func bind(_ values: some Collection<BoundValue>, to statement: StatementPointer) throws {
    let expected = Int(sqlite3_bind_parameter_count(statement.handle))
    guard values.count == expected else {
      throw DatabaseError(
        code: .range,
        message: "the statement has \(expected) parameters, and \(values.count) values were given",
        sql: statement.sql)
    }
    var index: Int32 = 0
    for value in values {
      index += 1
      try bind(value, to: statement, at: index)
    }
  }
}
