import SQLCore

extension ColumnType {
  /// `Converted(\.$seen, from: Date.self, stored: .unixSeconds) { $0 }`
  func convertedLine(from form: StoredForm, allowsNull: Bool) -> String {
    let old = qualifiedName + (allowsNull && isOptional ? "?" : "")
    let stored = form == .standard ? "" : ", stored: .\(form)"
    return "Converted(\(path), from: \(old).self\(stored)) { $0 }"
  }
}

extension StoredForm {
  /// Whether the values of a type are text in this form.
  func isText(of type: ColumnType) -> Bool { type.forms(in: .text).contains(self) }
}

extension OfferedLines {
  /// Returns the lines to paste for texts that are numbers and may be dates.
  func readingNumbers(
    in column: TableDefinition.Column, _ found: ExistingTable.Column
  ) throws -> [String] {
    let numbers = try DateNumbers(
      of: "CAST(\(names.quoted(column.name)) AS REAL)", in: names.quotedTable, .real,
      declared: .bytes, rows.connection)
    return numbers.candidates.map { candidate in
      let expression = candidate.reading.expression.replacing("$0", with: "(Double($0) ?? .nan)")
      let line = column.type.convertedLine(
        from: "String", by: expression, allowsNull: !found.isNotNull && column.type.isOptional)
      return "\(line)  // \(candidate.years)"
    }
  }

  /// Returns the lines to paste for numbers that may be dates. Lines that leave the numbers as they
  /// are come first.
  func readingNumbers(
    in column: TableDefinition.Column, _ found: ExistingTable.Column, _ numbers: DateNumbers,
    _ oldClass: StorageClass
  ) throws -> [String] {
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
    let converted = try numbers.candidates.map { candidate in
      let rounded = try candidate.reading.form.map { try roundedCount(column, from: $0) } ?? 0
      let line =
        candidate.reading.form.map { type.convertedLine(from: $0, allowsNull: allowsNull) }
        ?? type.convertedLine(
          from: "Double", by: candidate.reading.expression,
          allowsNull: allowsNull && type.isOptional)
      let fractions = rounded == 1 ? "1 fraction" : "\(rounded) fractions"
      return "\(line)  // \(candidate.years)" + (rounded > 0 ? ", loses \(fractions)" : "")
    }
    return stored + converted
  }

  /// Returns the number of values that the declared form holds less exactly than another form.
  private func roundedCount(
    _ column: TableDefinition.Column, from form: StoredForm
  ) throws -> Int {
    let name = names.quoted(column.name)
    let reformed = "apus_reform('\(table.key(of: column))', \(form.rawValue), \(name))"
    return try rows.count(where: "\(name) IS NOT NULL AND \(reformed) IS NULL")
  }

  /// Returns the lines to paste for values that would change in another form.
  func keeping(
    _ form: StoredForm, _ column: TableDefinition.Column, isLost: String
  ) throws -> [String] {
    let type = column.type
    let unread = try rows.count(
      where: "\(isLost) AND NOT apus_is('\(table.key(of: column))', \(form.rawValue), "
        + "\(names.quoted(column.name)))")
    let keeping =
      form == .standard
      ? "\(type.declaration())  // without `Stored`" : "Stored(\(type.path), as: .\(form))"
    return [keeping] + (unread > 0 ? [deleting(column.name, unread)] : [])
  }
}
