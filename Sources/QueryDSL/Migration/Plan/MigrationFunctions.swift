import SQLCore

/// The functions by which the SQL of a migration asks the Swift types of columns.
///
/// `apus_convert(column, value)` is a declared conversion, `apus_form(column, value)` reads one form
/// of a type and writes another, and `apus_reads(column, value)` says whether the type reads a value.
/// They are there while a migration is planned or run, and no schema can use them.
struct MigrationFunctions {
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
    try core.withFunction("apus_convert") { arguments in
      let column = try column(of: arguments)
      return try locating(column) {
        let value = try arguments[1]
        return try column.conversion?.convert(value) ?? value
      }
    } run: {
      try core.withFunction("apus_form") { arguments in
        let column = try column(of: arguments)
        // What is none of the old form is found by `apus_reads`.
        guard let value = try? arguments[1], let form = column.type.form(value.storageClass) else {
          return .null
        }
        return (try? form.convert(value)) ?? .null
      } run: {
        try core.withFunction("apus_reads") { arguments in
          let column = try column(of: arguments)
          do {
            try column.type.read(try arguments[1])
            return 1
          } catch {
            return 0
          }
        } run: {
          try body()
        }
      }
    }
  }

  private func column(of arguments: FunctionArguments) throws -> TableDefinition.Column {
    guard case .text(let key) = try arguments[0], let column = columns[key] else {
      throw DatabaseError(code: .misuse, message: "a migration asks for a column that is not there")
    }
    return column
  }

  private func locating(
    _ column: TableDefinition.Column, _ body: () throws -> DatabaseValue
  ) throws -> DatabaseValue {
    do {
      return try body()
    } catch let error as ColumnValueError {
      var located = error
      located.column = error.column ?? column.name
      throw located
    }
  }
}
