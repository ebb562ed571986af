import QueryDSL
import SQLCore

/// A declared table, and the existing table that the migration changes into it. All comparers read
/// this object. All properties are constant. The type is a class, because a comparison is large and
/// each comparer keeps a reference.
final class TableComparison {
  let declared: TableDefinition
  /// The existing table, with the names that it will have after all renamings.
  let existing: ExistingTable
  let names: FormerNames
  /// The indexes of the existing table, with the column names after all renamings.
  let indexes: [ExistingIndex]
  /// The names that Apus may have generated for each index from the names that the table and its
  /// columns had before the renamings. The keys are the names that the indexes have in the file.
  private let formerIndexNames: [String: Set<String>]
  let rows: RowProbe
  let schema: ExistingSchema
  /// The declarations of all models.
  let others: Declarations
  let planner: MigrationPlanner

  /// - Parameter former: the name of the existing table before it is renamed.
  init(
    _ declared: TableDefinition, _ existing: ExistingTable, former: String, _ others: Declarations,
    in schema: ExistingSchema, planner: MigrationPlanner
  ) {
    self.declared = declared
    self.existing = existing
    self.schema = schema
    self.others = others
    self.planner = planner
    let columns = schema.renames.columns(ofFormer: former)
    let names = FormerNames(table: former, columns: columns)
    self.names = names
    rows = RowProbe(of: existing, names, planner.connection)
    let formerColumns = existing.columns.map { names.former($0.name) ?? $0.name }
    var indexes = schema.indexes(of: former)
    formerIndexNames = Dictionary(
      indexes.map { index in
        (
          index.name, declared.generatedNames(of: index, columns: formerColumns, former: former)
        )
      }
    ) { $1 }
    for column in schema.renames.renamings(ofFormer: former) {
      for index in indexes.indices { indexes[index].rename(column.from, to: column.name) }
    }
    self.indexes = indexes
  }

  /// Returns whether a migration created an index because a schema declared it. An index with a
  /// declared name is recognised by the comment `/* Apus */`. Any other index is recognised if Apus
  /// would generate the same name from its terms, and if its SQL looks like SQL that Apus writes.
  /// If the schema no longer declares such an index, the index is dropped.
  func comesFromCode(_ index: ExistingIndex) -> Bool {
    if index.isMarked { return true }
    let start =
      "CREATE \(index.isUnique ? "UNIQUE " : "")INDEX \(Identifier(index.name).quoted) ON "
    guard index.sql.hasPrefix("\(start)\(names.quotedTable) (") else { return false }
    let name = index.name.lowercasedASCII
    return formerIndexNames[index.name, default: []].contains(name)
      || declared.generatedNames(
        of: index, columns: existing.columns.map(\.name), former: names.table
      ).contains(name)
  }

  /// Whether the existing definition looks like SQL that Apus writes.
  var isMadeByApus: Bool {
    existing.isStrict && existing.sql.hasPrefix("CREATE TABLE \(names.quotedTable) (\n  \"")
  }

  /// Returns whether the migration checks the values of a column even if the definition of the
  /// column has not changed.
  func checks(_ column: TableDefinition.Column) -> Bool {
    planner.checksValues
      || planner.changedTypes[declared.name.lowercasedASCII]?.contains(
        column.name.lowercasedASCII) == true
  }

  /// Returns the key by which the migration's SQL functions find the column, such as
  /// `4 post.title`, escaped for a literal.
  func key(of column: TableDefinition.Column) -> String {
    MigrationFunctions.key(table: declared.name, column: column.name)
      .replacing("'", with: "''")
  }

  /// Returns whether an existing column stays although no model declares it.
  func isKept(_ column: ExistingTable.Column) -> Bool {
    guard !declared.declares(column.name) else { return false }
    return planner.extent == .expanding || !declared.removes(.column(column.name))
  }
}

extension TableDefinition {
  /// Returns the names, in lower case, that Apus may have given to an index with the terms of
  /// `index`.
  ///
  /// - Parameter former: the name of the table before it is renamed.
  fileprivate func generatedNames(
    of index: ExistingIndex, columns: [String], former: String
  ) -> Set<String> {
    var names: Set<String> = []
    for table in [name, former] + formerNames {
      let name = TableDefinition.indexName(
        table: table, isUnique: index.isUnique, index, columns: columns
      ).lowercasedASCII
      names.insert(name)
      if let columns = index.plainColumns { names.insert("\(name)_\(columns.count)") }
    }
    return names
  }
}

extension ExistingTable {
  /// A name of the rowid that no column has; nil if the table has no rowid, or if columns have all
  /// three names of the rowid.
  var rowIDName: String? {
    guard !isWithoutRowID else { return nil }
    return TableColumn.freeRowIDNames { column($0) != nil }.first
  }
}

// The following methods concern columns with a declared type that stands for no storage class.
// Tables that another program created may have such columns.

extension TableComparison {
  /// Returns whether a column keeps a declared type that stands for no storage class, such as
  /// BOOLEAN, NUMERIC(10, 2) or no type at all.
  ///
  /// The type is kept if SQLite stores the property's values unchanged in such a column, and all
  /// existing values are already stored so. A rebuild would then gain nothing. A column with a
  /// declared conversion always gets the type of its property. Later migrations see by this type
  /// that the conversion has run.
  ///
  /// Reads the table up to the first value that is stored differently.
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

  /// Returns whether a column with the declared type `type` stores the values of the property
  /// unchanged. A whole Double that SQLite stores as INTEGER counts as unchanged, because it reads
  /// back as the same Double.
  private func storesUnchanged(
    _ column: TableDefinition.Column, inType type: String
  ) -> Bool {
    // A column without a type, or with ANY in a STRICT table, has no affinity. All other types that
    // stand for no storage class have NUMERIC affinity, which converts a text that looks like a
    // number to that number. Dates and UUIDs never look like a number.
    let hasAffinity = !type.isEmpty && !existing.isStrict
    return !hasAffinity || column.storageClass != .text || column.type.hasForms
  }

  private func isStored(_ name: String, as column: TableDefinition.Column) -> String {
    switch column.storageClass {
    case .integer: "typeof(\(name)) = 'integer'"
    // A Double can hold each integer in this range exactly.
    case .real:
      "typeof(\(name)) = 'real' OR typeof(\(name)) = 'integer' "
        + "AND \(name) BETWEEN -9007199254740992 AND 9007199254740992"
    case .text: "typeof(\(name)) = 'text'"
    case .blob: "typeof(\(name)) = 'blob'"
    case .null: "0"
    }
  }
}

// Methods that find the existing constraint for a declared constraint.

extension TableComparison {
  /// Returns whether both foreign keys have the same columns and reference the same columns.
  func refersAlike(_ existing: ExistingTable.ForeignKey, _ key: TableDefinition.ForeignKey) -> Bool
  {
    guard existing.target.isSame(as: key.target.table) else { return false }
    var targets = existing.targetColumns
    if targets.isEmpty { targets = (try? schema.renamedTable(existing.target))?.key.columns ?? [] }
    return existing.columns.map(\.lowercasedASCII) == key.columns.map(\.lowercasedASCII)
      && targets.map(\.lowercasedASCII) == key.target.columns.map(\.lowercasedASCII)
  }

  /// Returns the existing foreign key with the same columns and target as a declared one. The
  /// result is a position in `existing.constraints`.
  func constraint(for key: TableDefinition.ForeignKey) -> Int? {
    existing.constraints.firstIndex { constraint in
      if case .foreignKey(let found) = constraint.kind { refersAlike(found, key) } else { false }
    }
  }

  /// Returns the existing check that equals a declared one. The result is a position in
  /// `existing.constraints`.
  func constraint(for check: TableDefinition.Check) -> Int? {
    existing.constraints.firstIndex { $0.isSame(as: check) }
  }

  /// Returns whether a model declares this constraint, or another constraint that replaces it.
  func isDeclared(_ constraint: ExistingTable.Constraint) -> Bool {
    switch constraint.kind {
    case .foreignKey(let key):
      return declared.foreignKeys.contains { refersAlike(key, $0) }
    case .check(let text):
      let condition = text.normalSQL
      return declared.checks.contains { check in
        check.condition.normalSQL == condition
          || check.name != nil && check.name?.lowercasedASCII == constraint.name?.lowercasedASCII
      }
    case .unique: return false
    }
  }

  func isRemoved(_ constraint: ExistingTable.Constraint) -> Bool {
    guard planner.extent == .whole else { return false }
    return switch constraint.kind {
    case .foreignKey(let key): declared.removes(.foreignKey(key.columns))
    case .unique(let terms): declared.removes(.unique(terms.map(\.column)))
    case .check(let text):
      declared.removes(.check(text))
        || constraint.name.map { declared.removes(.check($0)) } ?? false
    }
  }

  /// Returns whether a rebuild keeps, replaces or drops an existing constraint.
  func fate(of constraint: ExistingTable.Constraint) -> RebuiltDefinition.Fate {
    switch constraint.kind {
    case .foreignKey(let found):
      guard let key = declared.foreignKeys.first(where: { refersAlike(found, $0) }) else { break }
      return key.acts(as: found) ? .kept : .replaced
    case .check:
      if declared.checks.contains(where: constraint.isSame) { return .kept }
      if isDeclared(constraint) { return .replaced }
    case .unique: break
    }
    return isRemoved(constraint) ? .dropped : .kept
  }
}

extension TableDefinition.ForeignKey {
  /// Returns whether both foreign keys have the same actions and are checked at the same time.
  func acts(as existing: ExistingTable.ForeignKey) -> Bool {
    existing.onDelete == onDelete.rawValue && existing.onUpdate == onUpdate.rawValue
      && existing.isDeferred == isDeferred
  }
}

extension ExistingTable.Constraint {
  /// Returns whether the constraint is a check with the same condition. If the check declares a
  /// name, the names must be equal, too.
  func isSame(as check: TableDefinition.Check) -> Bool {
    guard case .check(let text) = kind else { return false }
    return text.normalSQL == check.condition.normalSQL && (check.name == nil || check.name == name)
  }

  /// The line of a schema that drops the constraint, such as `Dropped(check: "size > 0")`.
  var removalLine: String {
    switch kind {
    case .foreignKey(let key): key.removalLine
    case .unique(let terms): "Dropped(unique: \(terms.map(\.column).swiftList))"
    case .check(let text): "Dropped(check: \((name ?? text).swiftLiteral))"
    }
  }
}

extension ExistingTable.ForeignKey {
  /// The line of a schema that drops the foreign key, such as `Dropped(foreignKey: "author")`.
  var removalLine: String { "Dropped(foreignKey: \(columns.swiftList))" }
}
