import SQLCore

/// The lines to paste that a refusal offers: into the schema, in place of a property, or into the
/// options of the migration.
///
/// A line that loses values says so in a comment, with their number. So making a line may count
/// rows.
struct OfferedLines {
  let table: TableComparison

  var declared: TableDefinition { table.declared }
  var existing: ExistingTable { table.existing }
  var names: FormerNames { table.names }
  var rows: RowProbe { table.rows }

  /// Returns the lines that leave the values of a column as they are, although its type cannot read
  /// all of them.
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

  /// The line that gives the model a table of its own.
  var otherName: String {
    declared.otherNameLine { table.others.takes($0, in: table.schema) }
  }

  /// The line that gives the model another table, and leaves the rows of this one.
  var ownTable: String { "\(otherName)  // \(names.table.inComment) stays as it is" }

  /// Returns the line to paste for rows that cannot stay. It names the table and the column, and
  /// says how many rows it deletes.
  func deleting(_ column: String?, _ count: Int) -> String {
    let place = ([declared.name] + (column.map { [$0] } ?? [])).joined(separator: ".").swiftLiteral
    return "MigrationOptions(invalidValues: .deleted(in: \(place)))  // deletes \(count) "
      + (count == 1 ? "row" : "rows")
  }

  /// The end of a line that loses values of a column: `  // loses 2 values of Note.size`.
  func losing(_ count: Int, of column: String) -> String {
    guard count > 0 else { return "" }
    return "  // loses \(count) \(count == 1 ? "value" : "values") of \(place(of: column))"
  }

  /// The table and a column of it, in a comment.
  func place(of column: String) -> String { "\(declared.name).\(column)".inComment }

  // MARK: Columns without a property

  /// Returns the lines for a column that insertions would have to fill: one declares it, the other
  /// drops it.
  func declaringOrDropping(_ column: ExistingTable.Column) throws -> [String] {
    let name = column.name
    let type = (try storageClass(of: column) ?? .text).swiftType
    let undeclared = existing.columns.map(\.name).filter { !declared.declares($0) }
    return [
      declared.propertyLine(forColumn: name, type: type, among: undeclared),
      "Dropped(\(name.swiftLiteral))" + losing(try rows.count(), of: name),
    ]
  }

  /// The storage class of a column: that of its type or, if the type stands for none, such as
  /// NUMERIC, that of all its values.
  func storageClass(of found: ExistingTable.Column) throws -> StorageClass? {
    if let declared = StorageClass(declaredType: found.type) { return declared }
    let classes = try rows.valueClasses(of: found.name)
    return classes.count == 1 ? classes[0] : nil
  }
}
