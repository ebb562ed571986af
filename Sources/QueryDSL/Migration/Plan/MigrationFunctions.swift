import SQLCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The functions by which the SQL of a migration asks the Swift types of columns.
///
/// - `apus_convert(column, value, kept, names, key …)` is a declared conversion, of a value in the row
///   of a key; a value of the class `kept` stays.
/// - `apus_form(column, value)` reads one form of a type and writes another, and
///   `apus_has_form(column, value)` says whether it can.
/// - `apus_reads(column, value)` says whether the type reads a value.
/// - `apus_utf8(value)` gives the bytes of a text, or the text of bytes, in UTF-8 whatever the
///   encoding of the database, and `apus_is_utf8(value)` says whether it can.
///
/// They are there while a migration is planned or run, and no schema can use them.
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
    "\(table.lowercasedASCII).\(column.lowercasedASCII)"
  }

  /// Runs a closure while SQL knows them.
  func use<Result>(on core: ConnectionCore, _ body: () throws -> Result) throws -> Result {
    try use(functions[...], on: core, body)
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

  /// 1 if a closure returns, 0 if it throws since a value is none of its type.
  private func says(_ body: () throws -> Void) throws -> DatabaseValue {
    do {
      try body()
      return 1
    } catch let error as DatabaseError {
      throw error
    } catch {
      // A type of the user's own may throw whatever it likes.
      return 0
    }
  }

  // MARK: What they do

  private func convert(_ arguments: FunctionArguments) throws -> DatabaseValue {
    let column = try column(of: arguments)
    do {
      let value = try arguments[1]
      // Values of the new class stay where others are of the old one.
      if case .text(value.storageClass.typeName) = try arguments[2] { return value }
      return try column.conversion?.convert(value) ?? value
    } catch let error as ColumnValueError {
      throw try Self.failure(of: column, arguments, error)
    }
  }

  /// The error for a value that is none of the type from which a column is converted, or becomes none
  /// of the new one.
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

  /// The value in the form that the column declares. Throws for a value that is none of the type in
  /// the form of its storage class: NULL comes from NULL alone.
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
        throw ColumnValueError(.invalid(expected: "UTF-8", found: "bytes that are none"))
      }
      return .text(text)
    case let value: return value
    }
  }

  func column(of arguments: FunctionArguments) throws -> TableDefinition.Column {
    guard case .text(let key) = try arguments[0], let column = columns[key] else {
      throw DatabaseError(code: .misuse, message: "a migration asks for a column that is not there")
    }
    return column
  }
}
