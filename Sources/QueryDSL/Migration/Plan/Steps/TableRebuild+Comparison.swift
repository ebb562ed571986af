import SQLCore

extension TableRebuild {
  /// Creates the rebuild that makes an existing table the declared one.
  ///
  /// - Parameter sources: the sources of values that are not copied unchanged, by the folded names
  ///   of their columns.
  init(of table: TableComparison, sources given: [String: Source]) throws {
    let (declared, existing) = (table.declared, table.existing)
    let isWithoutRowID = declared.isWithoutRowID ?? existing.isWithoutRowID
    let temporaryName = table.schema.freeName(forRebuilding: declared.name)
    let createTable = RebuiltDefinition(of: table, isWithoutRowID: isWithoutRowID)
      .createTable(temporaryName)
    // The new definition is parsed from its text, so that it cannot differ from what SQLite will
    // read.
    let new = try TableParser.parse(createTable)
    var sources = declared.columns.filter { $0.generated == nil }.map { column -> Source in
      let found = existing.column(column.name)
      return given[column.name.lowercasedASCII]
        ?? Source(
          column: column.name, sql: Identifier(found?.name ?? column.name).quoted,
          isSame: found != nil, keepsNull: found != nil)
    }
    sources += existing.columns.filter { table.isKept($0) && $0.generated == nil }.map {
      Source(column: $0.name, sql: Identifier($0.name).quoted, isSame: true, keepsNull: true)
    }
    let hasRowID = !existing.isWithoutRowID && !isWithoutRowID
    let rowID = ["rowid", "_rowid_", "oid"].first {
      existing.column($0) == nil && new.column($0) == nil
    }
    // A key that is the rowid is copied as a column.
    let isCopied = hasRowID && !new.hasRowIDKey
    let isSameKey =
      existing.key.columns.map(\.lowercasedASCII) == declared.keyNames.map(\.lowercasedASCII)
      && sources.filter { declared.isKey($0.column) }.allSatisfy(\.isSame)
    self.init(
      table: existing.name, temporaryName: temporaryName, createTable: createTable,
      sources: sources, rowID: isCopied ? rowID : nil, oldRowID: existing.rowIDName,
      key: isSameKey ? declared.keyNames : [])
  }
}

extension RebuiltDefinition {
  fileprivate init(of table: TableComparison, isWithoutRowID: Bool) {
    self.init(
      declared: table.declared, existing: table.existing, isWithoutRowID: isWithoutRowID,
      isMadeByApus: table.isMadeByApus,
      tableNames: [table.existing.name.lowercasedASCII, table.names.table.lowercasedASCII],
      isKept: table.isKept,
      // A generated column has no values of its own that could decide.
      keepsType: { found, column in
        column.generated == nil && (try? table.keepsType(of: found, as: column)) == true
      }, removes: table.declared.removes,
      fates: table.existing.constraints.map(table.fate), existingKey: table.constraint(for:),
      existingCheck: table.constraint(for:))
  }
}

extension ExistingSchema {
  fileprivate func freeName(forRebuilding table: String) -> String {
    var name = "apus_new_\(table)"
    while entry(name) != nil { name += "_" }
    return name
  }
}
