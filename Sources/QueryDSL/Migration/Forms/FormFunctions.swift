import SQLCore

extension MigrationFunctions {
  /// The SQL functions that read a form and convert between forms.
  ///
  /// - `apus_reform(column, form, value)` reads a value in a form and returns it in the form that
  ///   the column declares. It returns NULL if the type cannot read the value in that form, or if
  ///   the conversion would change it.
  /// - `apus_is(column, form, value)` returns 1 if the type can read the value in a form, else 0.
  var formFunctions: [(name: String, body: Function)] {
    [
      (
        "apus_reform",
        { arguments in
          let type = try column(of: arguments).type
          guard let form = try form(at: 1, of: arguments), let value = try? arguments[2],
            !value.isNull
          else { return .null }
          return type.converted(value, from: form) ?? .null
        }
      ),
      (
        "apus_is",
        { arguments in
          let type = try column(of: arguments).type
          guard let form = try form(at: 1, of: arguments), let value = try? arguments[2] else {
            return 0
          }
          return type.reads(value, as: form) ? 1 : 0
        }
      ),
    ]
  }

  private func form(at index: Int, of arguments: FunctionArguments) throws -> StoredForm? {
    guard case .integer(let number) = try arguments[index] else { return nil }
    return UInt8(exactly: number).flatMap(StoredForm.init)
  }
}
