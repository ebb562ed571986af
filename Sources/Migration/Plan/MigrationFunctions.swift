import QueryDSL
import SQLCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The SQL functions that a migration's statements call to read, check and convert values as the
/// Swift types of the columns do.
///
/// - `apus_convert(column, value, kept, names, key …)` runs a declared conversion on a value. A
///   value of the storage class `kept` stays unchanged. `names` and `key` identify the row in an
///   error.
/// - `apus_form(column, value)` reads a value in the form of its storage class and writes it in the
///   declared form. `apus_has_form(column, value)` returns whether that works.
/// - `apus_reads(column, value)` returns whether the type can read a value.
/// - `apus_utf8(value)` converts a text to bytes, or bytes to a text, in UTF-8, whatever the
///   encoding of the database. `apus_is_utf8(value)` returns whether that works.
///
/// The functions exist only while a migration is planned or run, so no schema can use them.
struct MigrationFunctions {
  typealias Function = (FunctionArguments) throws -> DatabaseValue
  private var columns: [String: TableDefinition.Column] = [:]

  init(of tables: [TableDefinition]) {
    for table in tables {
      for column in table.columns {
        columns[Self.key(table: table.name, column: column.name)] = column
      }
    }
  }

  static func key(table: String, column: String) -> String {
    // The key begins with the length of the table's name. Otherwise, the column `c` of the table
    // `a.b` would have the same key as the column `b.c` of the table `a`.
    "\(table.utf8.count) \(table.lowercasedASCII).\(column.lowercasedASCII)"
  }

  /// Runs a closure while the functions are registered on the connection.
  func use<Result>(on core: ConnectionCore, _ body: () throws -> Result) throws -> Result {
    // A database engine elsewhere does not have these functions. A statement that calls one does
    // not compile there, so it is not sent.
    if core.isRemote { return try body() }
    return try use(functions[...], on: core, body)
  }

  private func use<Result>(
    _ functions: ArraySlice<(name: String, body: Function)>, on core: ConnectionCore,
    _ body: () throws -> Result
  ) throws -> Result {
    guard let function = functions.first else { return try body() }
    return try core.withFunction(function.name, function.body) {
      try use(functions.dropFirst(), on: core, body)
    }
  }

  private var functions: [(name: String, body: Function)] {
    [
      ("apus_convert", { try convert($0) }),
      ("apus_form", { try form(of: $0) }),
      ("apus_has_form", { arguments in try says { _ = try form(of: arguments) } }),
      (
        "apus_reads",
        { arguments in
          let column = try column(of: arguments)
          return try says { try column.type.read(try arguments[1]) }
        }
      ),
      ("apus_utf8", { try utf8(of: $0) }),
      ("apus_is_utf8", { arguments in try says { _ = try utf8(of: arguments) } }),
    ] + formFunctions
  }

  /// Returns 1 if a closure returns, and 0 if it throws because the type cannot read a value.
  /// Rethrows errors of the database.
  private func says(_ body: () throws -> Void) throws -> DatabaseValue {
    do {
      try body()
      return 1
    } catch let error as DatabaseError {
      throw error
    } catch {
      // The decoding code of a user's type may throw any error, so every other error means that the
      // type cannot read the value.
      return 0
    }
  }

  // MARK: Bodies of the functions

  private func convert(_ arguments: FunctionArguments) throws -> DatabaseValue {
    let column = try column(of: arguments)
    do {
      let value = try arguments[1]
      // If the value has the storage class `kept`, which the conversion leaves unchanged, it needs
      // no conversion.
      if case .text(value.storageClass.typeName) = try arguments[2] { return value }
      return try column.conversion?.convert(value) ?? value
    } catch let error as ColumnValueError {
      throw try Self.failure(of: column, arguments, error)
    }
  }

  /// Returns the error for a value that the conversion cannot read as the old type, or cannot store
  /// as the new type.
  private static func failure(
    of column: TableDefinition.Column, _ arguments: FunctionArguments, _ error: ColumnValueError
  ) throws -> MigrationError {
    var row = ""
    if case .text(let names) = try arguments[3] {
      let key = try (4..<arguments.count).map { try arguments[$0].description }
      row = " in the row whose \(names) is \(key.joined(separator: ", "))"
    }
    var plain = error
    plain.column = nil
    return MigrationError(
      plan: MigrationPlan(), reason: "`Converted` of \(column.name) fails\(row): \(plain)")
  }

  /// Runs `apus_form`: returns the value in the declared form. Throws if the type cannot read the
  /// value in the form of its storage class. The result is NULL only for NULL.
  private func form(of arguments: FunctionArguments) throws -> DatabaseValue {
    let column = try column(of: arguments)
    let value = try arguments[1]
    guard !value.isNull else { return .null }
    guard let form = column.type.form(value.storageClass) else {
      throw ColumnValueError.invalid(value, as: column.type.type)
    }
    return try form.convert(value)
  }

  private func utf8(of arguments: FunctionArguments) throws -> DatabaseValue {
    switch try arguments[0] {
    case .text(let text): return .blob(Data(text.utf8))
    case .blob(let data):
      guard let text = String(validating: data, as: UTF8.self) else {
        throw ColumnValueError(.invalid(expected: "UTF-8", found: "other bytes"))
      }
      return .text(text)
    case let value: return value
    }
  }

  func column(of arguments: FunctionArguments) throws -> TableDefinition.Column {
    guard case .text(let key) = try arguments[0], let column = columns[key] else {
      throw DatabaseError(
        code: .misuse, message: "a function of the migration was called for an unknown column")
    }
    return column
  }
}
