import QueryDSL
import SQLCore

/// A table of a maintained query, with the columns that identify its rows.
struct PlannedTable: Sendable {
  let id: TableID
  let layout: ModelLayout
  let name: QualifiedTableName
  /// The types and collations of the table's columns.
  let shadow: ShadowTable
  /// The folded names of those columns of the table that the query reads.
  let columns: Set<String>
  /// The collations of the key's columns.
  let keyCollations: [BuiltInCollation]
  /// Whether the rowid identifies the rows.
  let isKeyedByRowID: Bool
  /// Whether no column of the key may be NULL.
  let hasCompleteKeys: Bool
  /// The folded names of the columns that cannot be NULL.
  private let notNull: Set<String>

  /// Reads the table's declaration. Throws a `RerunReason` if changes of the table cannot be
  /// followed.
  ///
  /// - Parameter dependencies: the columns that the query reads, in all its tables.
  init(
    _ id: TableID, reading dependencies: Set<ColumnDependency>, on connection: Connection
  ) throws {
    guard let layout = LayoutRegistry.shared.layout(number: id.layout),
      let tracked = try TrackedTable(
        named: QualifiedTableName(layout.tableName), recording: nil, on: connection)
    else { throw RerunReason("it selects from something other than the table of a model") }
    self.id = id
    self.layout = layout
    let name = QualifiedTableName(layout.tableName)
    self.name = name
    shadow = try ShadowTable(of: tracked, on: connection)
    columns = Set(
      dependencies.filter { QualifiedTableName($0.table) == name }.map(\.column.lowercasedASCII))
    let stored = Set(shadow.columns.map(\.name.lowercasedASCII)).union([""])
    if let column = columns.subtracting(stored).min() {
      throw RerunReason("it reads \(layout.tableName).\(column), which is calculated on reading")
    }
    let keys = layout.keyColumns.map { layout.columns[$0].name.lowercasedASCII }
    guard !keys.isEmpty, keys == tracked.names.keys.map(\.lowercasedASCII) else {
      throw RerunReason("the key of the model is not the primary key of \(layout.tableName)")
    }
    let isKeyedByRowID = tracked.isKeyedByRowID
    let declared = try connection.columns(of: name)
    self.isKeyedByRowID = isKeyedByRowID
    hasCompleteKeys =
      isKeyedByRowID || !tracked.hasRowID
      || declared.allSatisfy { $0.isNotNull || $0.primaryKeyPosition == 0 }
    notNull = Set(
      declared.filter { $0.isNotNull || isKeyedByRowID && $0.primaryKeyPosition > 0 }
        .map(\.name.lowercasedASCII))
    let shadow = shadow
    keyCollations = try layout.keyColumns.map { try shadow.builtInCollation(of: $0, in: layout) }
  }

  /// Returns the collation of a column of the model. Throws a `RerunReason` if the collation is not
  /// one of SQLite's own.
  func collation(of column: Int) throws -> BuiltInCollation {
    try shadow.builtInCollation(of: column, in: layout)
  }

  /// Returns true if the declared type of a column makes SQLite compare its values as numbers, and
  /// false if it makes SQLite compare them as texts. Returns nil if the declared type does not
  /// decide this.
  ///
  /// - SeeAlso: <https://www.sqlite.org/datatype3.html#determination_of_column_affinity>
  func isNumeric(_ column: Int) -> Bool? {
    guard let type = declaredType(column) else { return nil }
    if type.contains("int") { return true }
    if ["char", "clob", "text"].contains(where: type.contains) { return false }
    return type.isEmpty || type.contains("blob") || type == "any" ? nil : true
  }

  /// Returns whether the declared type makes SQLite store equal numbers in the same way. Such a
  /// column cannot have both 1 and 1.0.
  func isUniform(_ column: ColumnID) -> Bool { isNumeric(Int(column.index)) != nil }

  /// Returns whether a column of the table in the database cannot be NULL.
  func isNotNull(_ column: Int) -> Bool {
    notNull.contains(layout.columns[column].name.lowercasedASCII)
  }

  /// Returns the storage classes of bound values that SQLite considers equal only to the same
  /// stored value of a column. For example, TEXT is not one of the classes for a column of numbers,
  /// because the text `'5'` equals a stored 5.
  func exactClasses(of column: Int) -> Set<StorageClass> {
    var classes: Set<StorageClass> = [.blob]
    if isNumeric(column) == true, !isReal(column) { classes.insert(.integer) }
    if isNumeric(column) == false || storesAnything(column) { classes.insert(.text) }
    return classes
  }

  /// Returns whether SQLite considers values of two columns equal only if they are the same number,
  /// text or BLOB. The same number may be an INTEGER in one column and a REAL in the other.
  static func compareAsStored(
    _ first: PlannedTable, _ column: Int, _ second: PlannedTable, _ other: Int
  ) -> Bool {
    let isNumeric = first.isNumeric(column)
    return isNumeric != nil && isNumeric == second.isNumeric(other)
      && (try? first.collation(of: column)) == .binary
      && (try? second.collation(of: other)) == .binary
  }

  /// Returns whether SQLite compares the values of two columns without converting them.
  static func haveSameKind(
    _ first: PlannedTable, _ column: Int, _ second: PlannedTable, _ other: Int
  ) -> Bool {
    guard first.isNumeric(column) == nil else {
      return first.isNumeric(column) == second.isNumeric(other)
    }
    return first.storesAnything(column) && second.storesAnything(other)
  }

  /// Returns whether SQLite stores values in a column without converting them. This is so if the
  /// declared type is BLOB or missing.
  private func storesAnything(_ column: Int) -> Bool {
    isNumeric(column) == nil && declaredType(column) != "any"
  }

  /// Returns whether SQLite considers values of two columns equal only if they are the same value
  /// and have the same storage class.
  static func haveSameValues(
    _ first: PlannedTable, _ column: Int, _ second: PlannedTable, _ other: Int
  ) -> Bool {
    compareAsStored(first, column, second, other) && first.isReal(column) == second.isReal(other)
  }

  /// Returns whether one of two columns can replace the other in a GROUP BY with the given
  /// collation. This is so if equal values of the two columns always belong to the same group.
  static func haveEqualKeys(
    _ first: PlannedTable, _ column: Int, _ second: PlannedTable, _ other: Int,
    by collation: BuiltInCollation
  ) -> Bool {
    if compareAsStored(first, column, second, other) { return true }
    return first.isNumeric(column) == false && second.isNumeric(other) == false
      && (try? first.collation(of: column)) == collation
      && (try? second.collation(of: other)) == collation
  }

  private func declaredType(_ column: Int) -> String? {
    let name = layout.columns[column].name
    return shadow.columns.first { $0.name.isSame(as: name) }?.declaredType.lowercasedASCII
  }

  /// Returns whether the declared type makes SQLite store a column's numbers as REAL.
  private func isReal(_ column: Int) -> Bool {
    let type = declaredType(column) ?? ""
    return isNumeric(column) == true && !type.contains("int")
      && ["real", "floa", "doub"].contains(where: type.contains)
  }

  /// Returns the reference by which the query names the model's column with this index.
  func column(at index: Int) -> ColumnID {
    ColumnID(table: id, index: UInt16(truncatingIfNeeded: index))
  }

  /// The references by which the query names the key's columns.
  var keyColumns: [ColumnID] { layout.keyColumns.map(column(at:)) }

  /// Returns the names, in lower case, of those given columns that belong to this table.
  func names(of columns: Set<ColumnID>) -> Set<String> {
    Set(
      columns.filter { $0.table == id }.map { layout.columns[Int($0.index)].name.lowercasedASCII })
  }

  /// Returns the name of a column, qualified with the name of its table.
  func columnName(_ index: Int) -> String {
    "\(layout.tableName).\(layout.columns[index].name)"
  }
}

extension ShadowTable {
  fileprivate func builtInCollation(
    of column: Int, in layout: ModelLayout
  ) throws -> BuiltInCollation {
    let column = layout.columns[column].name
    guard let collation = columns.first(where: { $0.name.isSame(as: column) })?.collation else {
      throw RerunReason(
        "\(name).\(column), by which its rows are ordered or identified, has a collation that is "
          + "not one of SQLite's own")
    }
    return collation
  }
}

extension [PlannedTable] {
  /// Reads the declarations of the tables of a query.
  ///
  /// Throws a `RerunReason` if the query reads anything except these tables, or if changes of their
  /// rows cannot be followed.
  init(
    _ tables: [TableID], reading dependencies: Set<ColumnDependency>, on connection: Connection
  ) throws {
    // The values of an array parameter are read through a virtual table.
    let dependencies = dependencies.filter { $0.table != ArrayTable.name }
    guard dependencies.allSatisfy({ $0.database == "main" }) else {
      throw RerunReason("it reads a table of an attached database or a temporary table")
    }
    // If the file stores text as UTF-16, SQLite orders texts in another way than this process does.
    guard try connection.textEncoding() == .utf8 else {
      throw RerunReason("the file stores text as UTF-16")
    }
    self = try tables.map {
      try PlannedTable($0, reading: dependencies, on: connection)
    }
    guard Set(dependencies.map { QualifiedTableName($0.table) }) == Set(map(\.name)) else {
      throw RerunReason("it reads a view, or other tables through one")
    }
  }
}

/// A set of keys of the rows of one table. A set may also have the values of other columns. Each
/// element has the values of one row.
typealias KeySet = Set<[DatabaseValue]>

extension PlannedTable {
  /// Returns whether commits deleted rows, or changed the given columns of rows.
  func lostRows(in commits: [Commit], columns: Set<String>) -> Bool {
    Commit.nettedRows(commits, of: name, columns: columns, needsOld: true) { $0.rows }.rows
      .contains { $0.old != nil }
  }

  /// Returns the keys of the rows that commits inserted, deleted, or changed in the given columns.
  /// If `columns` is nil, these are the columns that the query reads. Returns nil if a key is not
  /// known exactly.
  func touchedKeys(in commits: [Commit], columns: Set<String>? = nil) -> KeySet? {
    var keys: KeySet = []
    for commit in commits {
      for write in commit.writes {
        guard let changes = write.tables[name] else { continue }
        let places = changes.names.places(of: columns ?? self.columns)
        for row in changes.rows where changes.differs(row, at: places) {
          guard changes.isExact(row, at: []) else { return nil }
          keys.insert(changes.key(of: row).values)
        }
      }
    }
    return keys
  }

  /// Returns whether commits inserted or deleted rows, or changed columns that the query reads.
  func isTouched(by commits: [Commit]) -> Bool {
    commits.contains { commit in
      commit.writes.contains { write in
        guard let changes = write.tables[name] else { return false }
        let places = changes.names.places(of: columns)
        return changes.rows.contains { changes.differs($0, at: places) }
      }
    }
  }

  /// Sample keys, which stand for the keys of changed rows when a plan is made. With a statement
  /// that is limited to these keys, SQLite's query plan shows whether the statement would scan a
  /// table.
  var sampleKeys: KeySet { .samples(of: keyCollations.count) }

  /// Returns a statement that is limited to the rows with the given keys. If the key has several
  /// columns, the statement may also select rows with other combinations of the values.
  func restrict(_ statement: SelectStatement, to keys: KeySet) -> SelectStatement {
    statement.restricting(keyColumns, to: keys)
  }

  /// Returns a statement that selects some columns of the rows that have the given values in other
  /// columns.
  func selecting(
    _ selected: [ColumnID], from columns: [ColumnID], in values: KeySet
  ) -> SelectStatement {
    SelectStatement(selection: .terms(selected.map { .expression(.column($0)) }), from: id)
      .restricting(columns, to: values)
  }
}

extension KeySet {
  /// The number of index seeks that SQLite makes to find rows with these keys. With several
  /// columns, SQLite tries all combinations of the columns' values.
  var seekCount: Int {
    guard let columns = first?.count, columns > 1 else { return count }
    return (0..<columns).reduce(1) { count, place in
      let values = Set<DatabaseValue>(map { $0[place] }).count
      return count.multipliedReportingOverflow(by: values).overflow ? .max : count * values
    }
  }

  /// Returns two sample keys with `count` values each. Two keys are needed, because the SQL for a
  /// single key differs from the SQL for several keys.
  static func samples(of count: Int) -> KeySet {
    [Array(repeating: .integer(0), count: count), Array(repeating: .integer(1), count: count)]
  }
}

extension SelectStatement {
  fileprivate func restricting(_ columns: [ColumnID], to values: KeySet) -> SelectStatement {
    var statement = self
    for (place, column) in columns.enumerated() {
      statement.restrict(column, to: Array(Set(values.map { $0[place] })))
    }
    return statement
  }
}
