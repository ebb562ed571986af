import QueryDSL
import SQLCore

/// A trace that finds, from the rows of an included table, the parents that include these rows.
///
/// A child's own columns, or the rows of a join table, show to which parents the child belongs. If
/// a child itself includes rows, the trace from such a row leads first to the child, and then to
/// the parents.
struct InclusionTrace: Sendable {
  /// The table of the children.
  let table: PlannedTable
  private let parent: PlannedTable
  private let relation: Relation
  /// The join table; nil if the children themselves refer to their parents.
  private let between: PlannedTable?
  /// Whether a child's value can match a parent's value although their bytes differ. This can
  /// happen if the parents' column has a collation such as NOCASE, or if the columns have no type,
  /// so that 1 matches 1.0.
  private let comparesByCollation: Bool
  /// The traces from the rows that the children include themselves, one trace for each relation.
  /// Empty if the children include no rows.
  private let others: [InclusionTrace]

  init(_ included: IncludedRelation, of parent: PlannedTable, in tables: [PlannedTable]) throws {
    func planned(_ id: TableID) throws -> PlannedTable {
      guard let table = tables.first(where: { $0.id == id }) else {
        throw RerunReason("it includes something other than the table of a model")
      }
      return table
    }
    relation = try included.relation.get()
    self.parent = parent
    let table = try planned(included.table)
    self.table = table
    between = try relation.joinTable.map { try planned($0.table) }
    let owner = between ?? table
    var comparesByCollation = false
    for (own, column) in zip(relation.ownerColumns, relation.parentColumns)
    where !PlannedTable.compareAsStored(owner, Int(own.index), parent, column) {
      try Self.requireSameKind(owner, Int(own.index), parent, column)
      // The parents are found by an index on the parents' column. If only the children's column has
      // a collation other than BINARY, this index has another order, and does not find all parents.
      guard
        try parent.collation(of: column) != .binary
          || owner.collation(of: Int(own.index)) == .binary
      else { throw Self.reason(owner, Int(own.index), parent, column) }
      comparesByCollation = true
    }
    self.comparesByCollation = comparesByCollation
    if let join = relation.joinTable {
      // SQLite compares these columns with the collation of the join table's column, both in the
      // statements of the trace and when it loads the included rows. So the two collations may
      // differ.
      for (own, column) in zip(join.columns, join.childColumns) {
        try Self.requireSameKind(owner, Int(own.index), table, column)
      }
    }
    others = try included.relations.map { try InclusionTrace($0, of: table, in: tables) }
  }

  /// Throws a `RerunReason` if a value of one column may be equal to a value of another type in the
  /// other column, such as `'1'` and 1. Also throws if a collation is not one of SQLite's own.
  private static func requireSameKind(
    _ first: PlannedTable, _ column: Int, _ second: PlannedTable, _ other: Int
  ) throws {
    guard PlannedTable.haveSameKind(first, column, second, other) else {
      throw reason(first, column, second, other)
    }
    _ = try (first.collation(of: column), second.collation(of: other))
  }

  private static func reason(
    _ first: PlannedTable, _ column: Int, _ second: PlannedTable, _ other: Int
  ) -> RerunReason {
    RerunReason(
      "\(first.columnName(column)) and \(second.columnName(other)) may be equal without being the "
        + "same")
  }

  /// All tables of the trace, except the table of the parents.
  var tables: [PlannedTable] {
    [table] + [between].compactMap(\.self) + others.flatMap(\.tables)
  }

  // MARK: Tracing

  /// Returns the keys of the parents to which touched rows belong now or belonged before. Returns
  /// nil if there are more than `maximum`, or if a value is not known exactly.
  func affectedParents(
    of commits: [Commit], maximum: Int, on core: ConnectionCore
  ) throws -> KeySet? {
    var children: KeySet = []
    for other in others {
      guard let keys = try other.affectedParents(of: commits, maximum: maximum, on: core) else {
        return nil
      }
      children.formUnion(keys)
    }
    guard var owners = Commit.nettedRows(commits, of: owner).values(of: ownerNames),
      let more = try self.owners(of: children, commits, maximum: maximum, on: core)
    else { return nil }
    owners.formUnion(more)
    owners = owners.filter { !$0.contains(.null) }
    guard !owners.isEmpty, !holdsParentKeys else {
      return owners.count <= maximum ? owners : nil
    }
    guard owners.seekCount <= maximum else { return nil }
    return try core.keys(of: parents(with: owners), maximum: maximum)
  }

  /// Returns the values by which children with the given keys refer to their parents. If there is a
  /// join table, also returns the values for children that the commits touched.
  private func owners(
    of children: KeySet, _ commits: [Commit], maximum: Int, on core: ConnectionCore
  ) throws -> KeySet? {
    guard children.seekCount <= maximum else { return nil }
    guard between != nil, let join = relation.joinTable else {
      return children.isEmpty
        ? [] : try core.keys(of: owners(ofChildren: children), maximum: maximum)
    }
    let names = join.childColumns.map { table.layout.columns[$0].name }
    guard var values = Commit.nettedRows(commits, of: table).values(of: names) else { return nil }
    if join.childColumns == table.layout.keyColumns {
      values.formUnion(children)
    } else if !children.isEmpty {
      guard let more = try core.keys(of: joined(children), maximum: maximum) else { return nil }
      values.formUnion(more)
    }
    values = values.filter { !$0.contains(.null) }
    guard values.seekCount <= maximum else { return nil }
    return values.isEmpty ? [] : try core.keys(of: owners(joinedBy: values), maximum: maximum)
  }

  // MARK: Statements

  /// Whether the values that refer to parents are exactly the parents' keys. If not, a statement
  /// must find the keys.
  var holdsParentKeys: Bool {
    !comparesByCollation && relation.parentColumns == parent.layout.keyColumns
  }

  private var owner: PlannedTable { between ?? table }
  private var ownerNames: [String] {
    relation.ownerColumns.map { owner.layout.columns[Int($0.index)].name }
  }

  /// Returns a statement that selects the keys of the parents to which the given values refer. The
  /// values are those of the children or of the join table.
  private func parents(with values: KeySet) -> SelectStatement {
    parent.selecting(
      parent.keyColumns, from: relation.parentColumns.map(parent.column(at:)), in: values)
  }

  /// Returns a statement that selects the values by which children refer to their parents.
  private func owners(ofChildren keys: KeySet) -> SelectStatement {
    table.selecting(relation.ownerColumns, from: table.keyColumns, in: keys)
  }

  /// Returns a statement that selects the values by which a join table refers to the parents of
  /// some children.
  private func owners(joinedBy values: KeySet) -> SelectStatement {
    owner.selecting(relation.ownerColumns, from: relation.joinTable?.columns ?? [], in: values)
  }

  /// Returns a statement that selects, from some children, the columns to which a join table
  /// refers.
  private func joined(_ keys: KeySet) -> SelectStatement {
    table.selecting(
      (relation.joinTable?.childColumns ?? []).map(table.column(at:)), from: table.keyColumns,
      in: keys)
  }

  /// Returns the statements that run after each change. They must find their rows by indexes,
  /// because a scan after each change would take too long.
  func statements(
    of included: IncludedRelation, on core: ConnectionCore
  ) throws -> [RestrictedStatement] {
    let samples = KeySet.samples(of: relation.ownerColumns.count)
    var statements = [
      RestrictedStatement(
        text: try included.loadingText(Array(samples)), changed: owner)
    ]
    if !relation.comparesStoredValues(on: core) {
      statements.append(
        RestrictedStatement(text: relation.matchingText(on: core), changed: parent))
    }
    if !holdsParentKeys {
      statements.append(try RestrictedStatement(parents(with: samples), after: table))
    }
    if let join = relation.joinTable {
      statements.append(
        try RestrictedStatement(owners(joinedBy: .samples(of: join.columns.count)), after: table))
    }
    for (other, nested) in zip(others, included.relations) {
      statements += try other.statements(of: nested, on: core)
    }
    return statements
  }
}

extension IncludedRelation {
  /// The tables of the included rows, of join tables, and of the rows that the included rows
  /// include.
  var tables: [TableID] {
    get throws {
      try [table] + [relation.get().joinTable?.table].compactMap(\.self)
        + relations.flatMap { try $0.tables }
    }
  }

  /// Throws a `RerunReason` if an included row may depend on more than one row of its table, or on
  /// the rows of a join. Also checks the rows that the included rows include.
  func requireKnownParts(on connection: Connection) throws {
    guard children.joins.isEmpty else { throw RerunReason("it includes the rows of a join") }
    try children.requireKnownParts(on: connection)
    for relation in relations { try relation.requireKnownParts(on: connection) }
  }
}

extension NettedRows {
  /// Returns the values of the given columns in the changed rows, before and after; nil if a value
  /// is not known exactly.
  fileprivate func values(of names: [String]) -> KeySet? {
    guard !rows.isEmpty else { return [] }
    guard isExact else { return nil }
    let places = names.compactMap { name in columns.firstIndex { $0.isSame(as: name) } }
    guard places.count == names.count else { return nil }
    var values: KeySet = []
    for row in rows {
      for state in [row.old, row.new].compactMap(\.self) {
        let all = row.key.values + state
        values.insert(places.map { all[$0] })
      }
    }
    return values
  }
}
