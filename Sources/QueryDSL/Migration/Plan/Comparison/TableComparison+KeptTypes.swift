import SQLCore

// Columns of other programs whose declared type stands for no storage class.

extension TableComparison {
  /// Whether a column keeps a declared type that stands for no storage class, such as BOOLEAN,
  /// NUMERIC(10, 2) or none at all.
  ///
  /// It does if SQLite stores what the property writes without changing it, and if all existing
  /// values are stored so already. Then nothing would be gained by a rebuild. A column with a
  /// declared conversion gets the type of its property, which shows that the conversion has run.
  ///
  /// Reads the table until it finds a value that is stored otherwise.
  /// - SeeAlso: <https://www.sqlite.org/datatype3.html#determination_of_column_affinity>
  func keepsType(
    of found: ExistingTable.Column, as column: TableDefinition.Column
  ) throws -> Bool {
    guard column.conversion == nil, StorageClass(declaredType: found.type) == nil,
      storesUnchanged(column, inType: found.type)
    else { return false }
    let name = names.quoted(column.name)
    return try !rows.hasRow(where: "\(name) IS NOT NULL AND NOT (\(isStored(name, as: column)))")
  }

  /// Whether a column of that type keeps what the property writes, or at most changes a whole REAL
  /// into an INTEGER, which reads back as the same Double.
  private func storesUnchanged(
    _ column: TableDefinition.Column, inType type: String
  ) -> Bool {
    // Without a type, or with ANY in a STRICT table, there is no affinity. All other types of this
    // kind have NUMERIC affinity, which turns a text that looks like a number into the number.
    // Dates and UUIDs never look like one.
    let hasAffinity = !type.isEmpty && !existing.isStrict
    return !hasAffinity || column.storageClass != .text || column.type.hasForms
  }

  private func isStored(_ name: String, as column: TableDefinition.Column) -> String {
    switch column.storageClass {
    case .integer: "typeof(\(name)) = 'integer'"
    // A Double holds these integers exactly.
    case .real:
      "typeof(\(name)) = 'real' OR typeof(\(name)) = 'integer' "
        + "AND \(name) BETWEEN -9007199254740992 AND 9007199254740992"
    case .text: "typeof(\(name)) = 'text'"
    case .blob: "typeof(\(name)) = 'blob'"
    case .null: "0"
    }
  }
}
