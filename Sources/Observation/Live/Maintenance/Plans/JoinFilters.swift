import QueryDSL
import SQLCore

/// The conditions of a join by which rows are left out: those of WHERE and of inner joins.
struct JoinFilters {
  private struct Filter {
    let condition: PredicateNode
    let tables: Set<TableID>
  }

  private let filters: [Filter]
  /// The parts of WHERE among them.
  private let whereFilters: [Filter]
  /// The left-joined tables that must have a row, since a condition rejects NULL.
  private let required: Set<TableID>

  /// Throws a `RerunReason` if a change of a left-joined table may have effects that its keys do not
  /// lead to.
  ///
  /// That is so if a condition may leave out a row of that table, but keep the row without it: then
  /// a row that is not part of the result decides what is.
  init(of select: SelectStatement) throws {
    func filters(_ conditions: [PredicateNode]) throws -> [Filter] {
      try conditions.map { Filter(condition: $0, tables: try $0.tables) }
    }
    let left = select.joins.filter { $0.kind == .left }
    whereFilters = try filters(select.predicates.flatMap(\.conjuncts))
    let inner = select.joins.filter { $0.kind != .left }
      .compactMap(\.condition).flatMap(\.conjuncts)
    self.filters = try whereFilters + filters(inner)
    // From the last, because a row of a table may be required by the condition of a later one.
    var required: Set<TableID> = []
    for (index, join) in left.enumerated().reversed() {
      let later = left[(index + 1)...].filter { required.contains($0.table) }
        .compactMap(\.condition).flatMap(\.conjuncts)
      if (self.filters.map(\.condition) + later).contains(where: {
        $0.rejectsNull(in: join.table)
      }) {
        required.insert(join.table)
      }
    }
    self.required = required
    for (index, join) in left.enumerated() where !required.contains(join.table) {
      var dependent: Set<TableID> = [join.table]
      for later in left[(index + 1)...] {
        guard let condition = later.condition else { continue }
        if try !condition.tables.isDisjoint(with: dependent) { dependent.insert(later.table) }
      }
      guard self.filters.allSatisfy({ $0.tables.isDisjoint(with: dependent) }) else {
        let name = LayoutRegistry.shared.layout(number: join.table.layout)?.tableName ?? ""
        throw RerunReason(
          "a condition may hold for rows to which the left join of \(name) finds no row, and not "
            + "for others")
      }
    }
  }

  /// Whether each row of the result has a row of a left-joined table.
  func require(_ table: TableID) -> Bool { required.contains(table) }

  /// Returns the statement that selects the keys of the roots to which the joins give a row of one
  /// joined table. It may select more roots, but no fewer.
  ///
  /// It has no conditions that depend on later tables, nor on this one if its row may be missing: a
  /// row that a condition leaves out may have taken the place of a held one without it.
  ///
  /// - Parameter index: the place of the table among those of the query.
  func roots(
    of select: SelectStatement, joining index: Int, keys: [ColumnID]
  ) throws -> SelectStatement {
    var statement = select
    let join = select.joins[index - 1]
    var known = Set(select.tables[..<index])
    if join.kind != .left || required.contains(join.table) { known.insert(join.table) }
    statement.selection = .terms(keys.map { .expression(.column($0)) })
    statement.predicates = ShortList(
      whereFilters.filter { $0.tables.isSubset(of: known) }.map(\.condition))
    (statement.order, statement.limit, statement.offset) = (.none, nil, nil)
    statement.endJoins(withInner: index - 1)
    return statement
  }
}
