import SQLCore

extension MigrationFunctions {
  /// The functions that turn one form into another.
  ///
  /// `apus_reform(column, form, value)` reads a value in a form and gives it in the form that the
  /// column declares; NULL for a value that would not be the same, or that is not of that form.
  /// `apus_is(column, form, value)` says whether the type reads the value in a form.
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
