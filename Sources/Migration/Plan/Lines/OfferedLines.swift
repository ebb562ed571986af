import QueryDSL
import SQLCore

/// Makes the lines of Swift code that a refusal offers to paste. A line belongs in the schema, in
/// place of a property, or in the options of the migration.
///
/// If a line loses values, a comment in it says how many. So making a line may count rows.
struct OfferedLines {
  let table: TableComparison

  var declared: TableDefinition { table.declared }
  var existing: ExistingTable { table.existing }
  var names: FormerNames { table.names }
  var rows: RowProbe { table.rows }

  /// Returns the lines that leave the values of a column unchanged, although the column's type
  /// cannot read all of them.
  func keeping(
    _ column: TableDefinition.Column, in storageClass: StorageClass, isOptional: Bool
  ) -> [String] {
    let keeps = "  // keeps the values as they are"
    var lines = [column.type.declaration(of: storageClass, isOptional: isOptional) + keeps]
    guard table.checks(column), storageClass == column.storageClass else { return lines }
    if column.type.isClosedEnumeration {
      lines.insert(column.type.declaration(isOptional: isOptional, isOpen: true) + keeps, at: 0)
    }
    if !table.planner.checksValues {
      lines.append(
        "MigrationOptions(checksChangedTypes: false)  // reading such a row throws")
    }
    return lines
  }

  /// The line, such as `static let tableName = "Post2"`, that gives the model a table of another
  /// name.
  var otherName: String {
    declared.otherNameLine { table.others.takes($0, in: table.schema) }
  }

  /// The line that gives the model a table of another name, so that the existing table stays as it
  /// is.
  var ownTable: String { "\(otherName)  // \(names.table.inComment) stays as it is" }

  /// Returns the line to paste if rows cannot stay in the table. The line lets the migration delete
  /// the rows with invalid values in the column, and says how many rows these are.
  func deleting(_ column: String?, _ count: Int) -> String {
    let place = ([declared.name] + (column.map { [$0] } ?? [])).joined(separator: ".").swiftLiteral
    return "MigrationOptions(invalidValues: .deleted(in: \(place)))  // deletes \(count) "
      + (count == 1 ? "row" : "rows")
  }

  /// Returns the comment at the end of a line that loses values of a column, such as
  /// `  // loses 2 values of Note.size`.
  func losing(_ count: Int, of column: String) -> String {
    guard count > 0 else { return "" }
    return "  // loses \(count) \(count == 1 ? "value" : "values") of \(place(of: column))"
  }

  /// Returns the name of a column with the name of its table, such as `Note.size`, as a comment in
  /// a line writes it.
  func place(of column: String) -> String { "\(declared.name).\(column)".inComment }

  // MARK: Columns without a property

  /// Returns the lines to paste for an undeclared column that is NOT NULL and has no default. The
  /// lines are alternatives: one declares the column, and one drops it. For each new property with
  /// the same storage class, a line renames the column to this property.
  func declaringOrDropping(_ column: ExistingTable.Column) throws -> [String] {
    let name = column.name
    let storageClass = try storageClass(of: column) ?? .text
    let undeclared = existing.columns.map(\.name).filter { !declared.declares($0) }
    let renamed = declared.columns.filter {
      existing.column($0.name) == nil && $0.storageClass == storageClass && $0.generated == nil
    }
    return renamed.map {
      "Renamed(\($0.type.path), from: \(name.swiftLiteral))  // keeps the values as they are"
    } + [
      declared.propertyLine(forColumn: name, type: storageClass.swiftType, among: undeclared),
      "Dropped(\(name.swiftLiteral))" + losing(try rows.count(), of: name),
    ]
  }

  /// Returns the storage class of a column's declared type. For a type without a class, such as
  /// NUMERIC, returns the class that all values share; nil if they share none.
  func storageClass(of found: ExistingTable.Column) throws -> StorageClass? {
    if let declared = StorageClass(declaredType: found.type) { return declared }
    let classes = try rows.valueClasses(of: found.name)
    return classes.count == 1 ? classes[0] : nil
  }
}

extension OfferedLines {
  /// The name of the table before renamings. Lines with a `.before` step need this name.
  private var formerTable: String { names.quotedTable }

  /// Returns the line of a `MigrationStep` that runs SQL before all other steps.
  ///
  /// - Parameter count: the number of rows that the step deletes.
  private func step(_ name: String, _ sql: String, deleting count: Int = 0) -> String {
    "MigrationStep(\("\(name) of \(names.table)".swiftLiteral), .before) "
      + "{ try $0.execute(\(sql.swiftLiteral)) }"
      + (count > 0 ? "  // deletes \(count) \(count == 1 ? "row" : "rows")" : "")
  }

  /// Returns the lines to paste if a key has new columns. They declare a step that adds the columns
  /// and gives each row a different value.
  func addingKey() -> [String] {
    let new = declared.keyNames.compactMap { declared.column($0) }
      .filter { existing.column($0.name) == nil }
    let values = new.map { ($0, $0.type.distinctSQL($0.storageClass, rowID: existing.rowIDName)) }
    // If no different values can be generated for the new columns, the rows cannot stay in the
    // table. The lines then offer another table, or a step that deletes all rows.
    guard values.allSatisfy({ $0.1 != nil }) else {
      return [
        ownTable,
        step(
          "no rows", "DELETE FROM \(formerTable)", deleting: (try? rows.count(where: "1")) ?? 0),
      ]
    }
    let added = values.map { column, _ in
      "ALTER TABLE \(formerTable) ADD COLUMN \(column.quotedName) \(column.storageClass.rawValue); "
    }
    let set = values.map { column, value in "\(column.quotedName) = \(value ?? "NULL")" }
    return [
      step("keys", added.joined() + "UPDATE \(formerTable) SET \(set.joined(separator: ", "))")
    ]
  }

  /// Returns the line of a step that deletes the rows whose key is NULL. It also deletes all but
  /// the first of the rows that share a key.
  func deletingKeys(_ columns: [String]) throws -> String {
    let isNull = columns.map { "\($0) IS NULL" }.joined(separator: " OR ")
    let isLater: String
    var alias = ""
    if let rowID = existing.rowIDName {
      isLater =
        "\(rowID) NOT IN (SELECT min(\(rowID)) FROM \(formerTable) "
        + "GROUP BY \(columns.joined(separator: ", ")))"
    } else {
      let isSame = columns.map { "o.\($0) = k.\($0)" }.joined(separator: " AND ")
      func key(_ table: String) -> String {
        "(" + existing.key.columns.map { "\(table).\(names.quoted($0))" }.joined(separator: ", ")
          + ")"
      }
      alias = " AS k"
      isLater =
        "EXISTS (SELECT 1 FROM \(formerTable) AS o WHERE \(isSame) AND \(key("o")) < \(key("k")))"
    }
    let found = "FROM \(formerTable)\(alias) WHERE \(isNull) OR \(isLater)"
    return step(
      "keys", "DELETE \(found)", deleting: try rows.connection.number("SELECT count(*) \(found)"))
  }

  /// Returns a line that keeps columns unique. If each of the columns has a property, the line
  /// belongs in the schema. Otherwise, the line is a step that creates a unique index.
  func unique(_ columns: [String]) -> String {
    let properties = columns.compactMap { declared.column($0)?.type.path }
    if properties.count == columns.count {
      return "Unique(\(properties.joined(separator: ", ")))"
    }
    let name = Identifier(([names.table] + columns + ["unique"]).joined(separator: "_")).quoted
    return step(
      "unique \(columns.joined(separator: ", "))",
      "CREATE UNIQUE INDEX \(name) ON \(formerTable) "
        + "(\(columns.map { names.quoted($0) }.joined(separator: ", ")))")
  }
}

extension ColumnType {
  /// Returns the line that converts values from another form:
  /// `Converted(\.$seen, from: Date.self, stored: .unixSeconds) { $0 }`
  func convertedLine(from form: StoredForm, allowsNull: Bool) -> String {
    let old = qualifiedName + (allowsNull && isOptional ? "?" : "")
    let stored = form == .standard ? "" : ", stored: .\(form)"
    return "Converted(\(path), from: \(old).self\(stored)) { $0 }"
  }
}

extension StoredForm {
  /// Returns whether the values of a type are text in this form.
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

  /// Returns the lines to paste for numbers that may be dates. The lines that leave the numbers
  /// unchanged come first.
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

  /// Returns how many values would lose precision if they were converted from a form to the
  /// declared form.
  private func roundedCount(
    _ column: TableDefinition.Column, from form: StoredForm
  ) throws -> Int {
    let name = names.quoted(column.name)
    let reformed = "apus_reform('\(table.key(of: column))', \(form.rawValue), \(name))"
    return try rows.count(where: "\(name) IS NOT NULL AND \(reformed) IS NULL")
  }

  /// Returns the lines to paste for values that would change if they were converted to the declared
  /// form.
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
