import QueryDSL
import SQLCore

/// The links between the tables of a query and of its subqueries. A link is a pair of columns that
/// relates a row of one table to rows of another.
///
/// For example, a query of posts has the subquery `SELECT … FROM mark WHERE mark.post = post.id`.
/// Its value changes for a post only if a mark of this post changes. Such a mark has the key of the
/// post in `mark.post`, before or after the change. The equality `mark.post = post.id` therefore
/// leads from a changed mark to the posts that it affects: it is a link. In the same way, each
/// equality that must hold is a link. It leads from a table of one SELECT to another table of the
/// same SELECT or of an enclosing SELECT.
///
/// A chain of links leads from a table to the *root*, whose rows the plan evaluates again. The
/// chain begins with the old and the new values of the changed rows. The plan follows it in the
/// state after the commit. The commit may also have changed a row in the middle of the chain. This
/// is no problem, because the table of that row has its own chain, which begins with the row's old
/// values.
struct TableLinks {
  /// The kind of condition that relates two columns.
  enum Kind {
    /// The condition `a = b`. A row whose column is NULL is related to no row.
    case equal
    /// The condition `a IS b`, or an IN that treats NULL as equal to NULL, in the same way as
    /// Swift's `contains` treats nil.
    case same
    /// The condition `b IN (SELECT a …)` as SQL defines it. If the subquery selects a NULL, this
    /// NULL may change the result of IN for all rows. If the subquery selects any value, this value
    /// may change the result of IN for the rows whose `b` is NULL.
    case member
  }

  struct Link: Hashable {
    let from: ColumnID
    let to: ColumnID
    let kind: Kind
  }

  /// A column, and the value that a row must have in it to affect the query. Rows with other values
  /// are ignored.
  private struct Requirement: Hashable {
    let column: ColumnID
    let value: RequiredValue
  }

  private let tables: [TableID: PlannedTable]
  /// For each table, the links that lead from it.
  private var links: [TableID: Set<Link>] = [:]
  /// The reasons why equalities such as `a = b` could not become links, each with the table from
  /// which the link would have led.
  private var obstacles: [TableID: String] = [:]
  /// The left-joined tables. If the join finds no row of such a table, the columns of the table are
  /// NULL in the result.
  private var optional: Set<TableID> = []
  /// For each table, the values that a row must have in certain columns to affect the query.
  private var required: [TableID: Set<Requirement>] = [:]

  init(of scopes: [QueryScope], in tables: [PlannedTable]) {
    self.tables = Dictionary(tables.map { ($0.id, $0) }) { first, _ in first }
    var seen: Set<TableID> = []
    for scope in scopes {
      let (earlierLinks, earlierRequired) = (links, required)
      let own = Set(scope.statement.tables)
      for table in own { (links[table], required[table]) = (nil, nil) }
      add(scope)
      // A program may use the same Swift query, and so the same tables, in several subqueries with
      // different conditions. A row may then affect only one of these subqueries. So only the links
      // and the requirements that all these subqueries share are kept.
      for table in own where !seen.insert(table).inserted {
        links[table] = links[table, default: []].intersection(earlierLinks[table] ?? [])
        required[table] = required[table, default: []].intersection(earlierRequired[table] ?? [])
      }
    }
  }

  private mutating func add(_ scope: QueryScope) {
    let statement = scope.statement
    let own = Set(statement.tables)
    optional.formUnion(statement.joins.filter { $0.kind == .left }.map(\.table))
    for predicate in statement.predicates { add(predicate, of: own) }
    for join in statement.joins {
      guard let condition = join.condition else { continue }
      // The condition of a left join limits the rows of the joined table, but not the rows of the
      // tables before it.
      add(condition, of: join.kind == .left ? [join.table] : own, isOfLeftJoin: join.kind == .left)
    }
    // If this SELECT is the subquery after an IN, its selected column is linked with the operand
    // before the IN. There is no link if the selected column belongs to a left-joined table,
    // because the subquery may then return NULL for it.
    guard case .column(let subject)? = scope.subject, statement.hasAllRows,
      case .column(let column)? = statement.selectedNodes.first, own.contains(column.table),
      !optional.contains(column.table)
    else { return }
    // SQLite compares with the collation of the left operand.
    add(column, subject, scope.isOptional ? .same : .member, left: subject)
  }

  /// Adds each `a = b` in the condition as a link, and each `a = ?` as a requirement. All rows of
  /// the tables `own` must meet the condition.
  private mutating func add(
    _ condition: PredicateNode, of own: Set<TableID>, isOfLeftJoin: Bool = false
  ) {
    for part in condition.conjuncts {
      for (left, right, isSame) in part.equalities {
        for (from, to) in [(left, right), (right, left)] where own.contains(from.table) {
          // As long as a left join finds no row, the columns of its table are NULL, and IS may
          // relate these NULLs to other rows with NULL. When the first row is inserted, the result
          // changes for those other rows. A link from the inserted row does not lead to them, so
          // there must be no link.
          if isSame, !isOfLeftJoin, optional.contains(from.table) { continue }
          add(from, to, isSame ? .same : .equal, left: left)
        }
      }
      guard case .compareColumn(let sign, let column, let value) = part, sign.isEquality,
        own.contains(column.table), let value = RequiredValue(value)
      else { continue }
      required[column.table, default: []].insert(Requirement(column: column, value: value))
    }
  }

  private mutating func add(_ from: ColumnID, _ to: ColumnID, _ kind: Kind, left: ColumnID) {
    guard from.table != to.table, let own = tables[from.table], let other = tables[to.table] else {
      return
    }
    guard
      PlannedTable.haveSameKind(own, Int(from.index), other, Int(to.index)),
      let collation = try? other.collation(of: Int(to.index)),
      let used = try? (tables[left.table] ?? own).collation(of: Int(left.index)),
      used == collation || used == .binary
    else {
      obstacles[from.table] =
        "\(own.columnName(Int(from.index))) and \(other.columnName(Int(to.index))) may be equal "
        + "without being the same"
      return
    }
    // If a left join finds no row of a table, the column of the table is NULL. A query over the
    // table cannot find this NULL, because no row of the table contains it. So there is no link.
    if kind == .member, optional.contains(to.table) { return }
    links[from.table, default: []].insert(Link(from: from, to: to, kind: kind))
  }

  /// Returns whether a left join may find no row of a table.
  func isOptional(_ table: PlannedTable) -> Bool { optional.contains(table.id) }

  /// Returns whether a column can be NULL.
  func canBeNull(_ column: ColumnID) -> Bool {
    guard let table = tables[column.table], !optional.contains(column.table) else { return true }
    return !table.isNotNull(Int(column.index))
  }

  /// Returns the query in a form that SQLite runs faster if a condition selects only a few rows.
  func probing(_ statement: SelectStatement) -> SelectStatement {
    (try? statement.probing(canBeNull: canBeNull)) ?? statement
  }

  // MARK: Paths

  /// Returns the path that leads from changed rows of a table to rows of the root. The path finds
  /// these rows of the root, and returns their values in the given columns. Throws a `RerunReason`
  /// if there is no path.
  func path(
    from table: PlannedTable, to root: PlannedTable, selecting columns: [ColumnID]
  ) throws -> RowPath {
    let next = steps(to: root.id)
    var steps: [RowPath.Step] = []
    var place = table
    while place.id != root.id {
      guard let target = next[place.id].flatMap({ tables[$0] }) else {
        throw RerunReason(
          obstacles[table.id]
            ?? "no column of \(table.layout.tableName) says to which rows of "
            + "\(root.layout.tableName) its rows belong")
      }
      steps.append(
        RowPath.Step(
          from: place, to: target,
          links: links(from: place.id, to: target.id),
          isOptional: optional.contains(target.id),
          required: required[target.id, default: []].map { ($0.column, $0.value) }))
      place = target
    }
    let requirements = required[table.id, default: []].map { ($0.column, $0.value) }
    return RowPath(from: table, by: steps, selecting: columns, requiring: requirements)
  }

  /// Returns the links from one table to another, sorted by their columns. The order of the `Set`
  /// would differ between processes.
  private func links(from table: TableID, to other: TableID) -> [Link] {
    links[table, default: []].filter { $0.to.table == other }
      .sorted { ($0.from.index, $0.to.index) < ($1.from.index, $1.to.index) }
  }

  /// Returns, for each table from which links lead to the root, the next table on a shortest path.
  private func steps(to root: TableID) -> [TableID: TableID] {
    var next: [TableID: TableID] = [:]
    var reached: Set<TableID> = [root]
    while true {
      var found: [TableID: TableID] = [:]
      for link in links.values.joined()
      where reached.contains(link.to.table) && !reached.contains(link.from.table) {
        // If there are several shortest paths, the next table with the smallest `source` is chosen,
        // so that the choice is the same in every process.
        if let other = found[link.from.table], other.source < link.to.table.source { continue }
        found[link.from.table] = link.to.table
      }
      guard !found.isEmpty else { return next }
      next.merge(found) { first, _ in first }
      reached.formUnion(found.keys)
    }
  }
}

extension SelectStatement {
  /// Whether the result has exactly the rows that the conditions select, because the SELECT has no
  /// limit, no offset and no groups. If so, each row is independent of the other rows.
  fileprivate var hasAllRows: Bool { limit == nil && offset == nil && !isGrouped }

  /// The selected expressions. A table whose columns are all selected contributes one expression
  /// for each column.
  var selectedNodes: [ExpressionNode] {
    let terms: [SelectTerm] =
      switch selection {
      case .table(let table): [.table(table)]
      case .terms(let terms): terms
      }
    return terms.flatMap { term -> [ExpressionNode] in
      switch term {
      case .table(let table):
        let count = LayoutRegistry.shared.layout(number: table.layout)?.columns.count ?? 0
        return (0..<count).map {
          .column(ColumnID(table: table, index: UInt16(truncatingIfNeeded: $0)))
        }
      case .expression(let node), .aliased(let node, _): return [node]
      }
    }
  }
}
