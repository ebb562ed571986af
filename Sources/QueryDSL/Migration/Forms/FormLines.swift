import SQLCore

extension ColumnType {
  /// `Converted(\.$seen, from: Date.self, stored: .unixSeconds) { $0 }`
  func convertedLine(from form: StoredForm, allowsNull: Bool) -> String {
    let old = name + (allowsNull && isOptional ? "?" : "")
    let stored = form == .standard ? "" : ", stored: .\(form)"
    return "Converted(\(path), from: \(old).self\(stored)) { $0 }"
  }

  /// A conversion from numbers by an expression of `$0`, a Double.
  func convertedLine(by expression: String, allowsNull: Bool) -> String {
    allowsNull && isOptional
      ? "Converted(\(path), from: Double?.self) { $0.map { \(expression) } }"
      : "Converted(\(path), from: Double.self) { \(expression) }"
  }
}

extension TablePlanner {
  /// The lines for numbers that are dates: first those that leave the numbers as they are.
  func lines(
    for column: TableDefinition.Column, _ found: LiveTable.Column, _ numbers: DateNumbers,
    _ oldClass: StorageClass
  ) -> [String] {
    let type = column.type
    let allowsNull = !found.isNotNull
    let stored = numbers.candidates.compactMap { candidate -> String? in
      guard let form = candidate.reading.form, form != type.storedForm,
        type.type.storageClass(as: form) == oldClass
      else { return nil }
      return form == .standard
        ? "\(type.declaration())  // without `Stored`: \(candidate.years)"
        : "Stored(\(type.path), as: .\(form))  // \(candidate.years)"
    }
    let converted = numbers.candidates.map { candidate in
      let line =
        candidate.reading.form.map { type.convertedLine(from: $0, allowsNull: allowsNull) }
        ?? type.convertedLine(by: candidate.reading.expression, allowsNull: allowsNull)
      return "\(line)  // \(candidate.years)"
    }
    return stored + converted
  }

  /// The lines for values that would not be the same in another form.
  func linesKeeping(
    _ form: StoredForm, _ column: TableDefinition.Column, isLost: String
  ) throws -> [String] {
    let type = column.type
    let unread = try rows(
      where: "\(isLost) AND NOT apus_is('\(key(of: column))', \(form.rawValue), "
        + "\(oldName(of: column.name)))")
    if unread > 0 { return try linesForUnread(column) }
    let keeping =
      form == .standard
      ? "\(type.declaration())  // without `Stored`" : "Stored(\(type.path), as: .\(form))"
    return [keeping]
  }

  /// The line for values that no form reads.
  func linesForUnread(_ column: TableDefinition.Column) throws -> [String] {
    let place = "\(declared.name).\(column.name)".swiftLiteral
    return ["MigrationOptions(invalidValues: .deleted(in: \(place)))  // deletes their rows"]
  }
}
