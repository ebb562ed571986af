import QueryDSL
import SQLCore

/// The plan for UNION and UNION ALL. In addition to the result, the plan holds the rows of each
/// SELECT and maintains them like the rows of a join.
///
/// For a UNION, the plan counts, for each row of the result, the equal rows in all SELECTs. The row
/// appears when the count becomes 1, and disappears when the count becomes 0.
final class CompoundPlan<Row: Sendable>: SnapshotPlan {
  let arrangement: ResultArrangement
  private let parts: [JoinPlan<Row>]
  /// Whether equal rows are shown only once, as in a UNION.
  private let isDistinct: Bool
  /// The number of selected columns.
  private let columnCount: Int
  /// For each ORDER BY term, the index of the selected column that it names.
  private let orderPlaces: [Int]

  var explanation: String {
    parts[0].explanation + (parts.count > 1 ? ", and so on for the other SELECTs" : "")
  }

  init(_ query: Query<Row>, of compound: CompoundNode, in context: PlanningContext) throws {
    let select = query.statement
    let operations = Set(compound.others.map(\.operation))
    guard operations == [.union] || operations == [.unionAll] else {
      throw RerunReason("it is an INTERSECT or EXCEPT, or has both UNION and UNION ALL")
    }
    for case .expression? in [select.limit, select.offset] {
      throw RerunReason("its limit is an expression")
    }
    isDistinct = operations == [.union]
    var parts: [JoinPlan<Row>] = []
    var collations: [[BuiltInCollation]] = []
    for statement in [compound.first] + compound.others.map(\.statement) {
      var part = query
      part.statement = statement
      guard !statement.isGrouped, !statement.isDistinct, statement.order.isEmpty,
        statement.limit == nil, statement.offset == nil
      else { throw RerunReason("a SELECT of a UNION has groups, DISTINCT, an order or a limit") }
      let (scopes, all) = try Planning.scopes(of: statement, in: context, partly: true)
      let tables = Array(all.prefix(statement.tables.count))
      let nodes = statement.selectedNodes
      collations.append(try nodes.map { try $0.builtInCollation(in: tables) })
      parts.append(
        try JoinPlan(
          part, of: tables, scopes, scoped: Array(all.dropFirst(tables.count)), selecting: nodes,
          in: context))
    }
    let first = collations[0]
    guard collations.allSatisfy({ $0 == first }), !isDistinct || first.allSatisfy({ $0 == .binary })
    else {
      throw RerunReason("the columns of a UNION have different collations, or NOCASE or RTRIM")
    }
    let names = compound.first.selectedNames
    var places: [Int] = []
    let terms = try select.order.map { term in
      guard case .resultColumn(let name) = term.expression,
        let place = names.firstIndex(where: { $0?.isSame(as: name) ?? false })
      else { throw RerunReason("it is ordered by something other than a selected column") }
      places.append(place)
      return RowOrder.Term(
        isDescending: term.isDescending, collation: first[place], nulls: term.nulls)
    }
    self.parts = parts
    (orderPlaces, columnCount) = (places, first.count)
    let keyCount = isDistinct ? first.count : 1 + (parts.map(\.keyCount).max() ?? 0)
    // The plan always holds all rows of the compound, because the reserve is larger than any
    // result. So if a row of one SELECT changes, the plan finds the corresponding row of the
    // result.
    arrangement = ResultArrangement(
      order: RowOrder(terms: terms, keyCollations: (0..<keyCount).map { _ in .binary }),
      limit: ResultArrangement.number(select.limit),
      offset: ResultArrangement.number(select.offset) ?? 0,
      reserve: Int.max / 8)
  }

  func isTouched(by commits: [Commit], _ values: [DatabaseValue]) -> Bool {
    parts.contains { $0.isTouched(by: commits, values) }
  }

  func fetch(on core: ConnectionCore) throws -> [ResultEntry] {
    Array(try window(on: core).entries.run(from: 0) { _ in true })
  }

  func window(on core: ConnectionCore) throws -> ResultWindow {
    let windows = try parts.map { try $0.window(on: core) }
    var change = ResultChange(of: ResultWindow([], in: arrangement))
    add(
      windows.map { window in window.entries.run(from: 0) { _ in true }.map { (nil, $0) } },
      to: &change)
    change.keep(windows)
    return change.after
  }

  func change(
    of window: ResultWindow, by commits: [Commit], with means: MaintenanceMeans,
    on core: ConnectionCore
  ) throws -> ResultChange? {
    var change = ResultChange(of: window)
    var windows: [ResultWindow] = []
    var touched: [[ResultChange.Row]] = []
    for (part, held) in zip(parts, window.parts) {
      guard let changed = try part.change(of: held, by: commits, with: means, on: core) else {
        return nil
      }
      windows.append(changed.after)
      touched.append(changed.touchedRows)
    }
    add(touched, to: &change)
    change.keep(windows)
    return change
  }

  /// Applies the changed rows of each SELECT to the result.
  private func add(_ touched: [[ResultChange.Row]], to change: inout ResultChange) {
    guard isDistinct else {
      // Each key is set only once, so that a row that disappears and appears again is one change.
      var set: [RowKey: ResultEntry?] = [:]
      for (part, rows) in touched.enumerated() {
        for case (let old?, _) in rows { set[key(of: old, in: part)] = .some(nil) }
        for case (_, let new?) in rows {
          let key = key(of: new, in: part)
          set[key] = entry(of: new, key, count: 1)
        }
      }
      for (key, entry) in set { change.set(key, to: entry) }
      return
    }
    var counts: [RowKey: (count: Int64, row: ResultEntry)] = [:]
    for (old, new) in touched.joined() {
      if let old { counts[valueKey(of: old), default: (0, old)].count -= 1 }
      if let new { counts[valueKey(of: new), default: (0, new)].count += 1 }
    }
    for (key, (difference, row)) in counts where difference != 0 {
      var count = difference
      if case .integer(let held)? = change.after.entry(of: key)?.aggregates.first { count += held }
      change.set(key, to: count > 0 ? entry(of: row, key, count: count) : nil)
    }
  }

  /// Returns the key that a row of one SELECT has in the result of a UNION ALL. The key begins with
  /// the index of the SELECT, and is padded with NULLs, so that all keys have the same number of
  /// values.
  private func key(of row: ResultEntry, in part: Int) -> RowKey {
    let values = [.integer(Int64(part))] + row.key.values
    let missing = arrangement.order.keyCollations.count - values.count
    return .values(values + Array(repeating: .null, count: max(0, missing)))
  }

  private func valueKey(of row: ResultEntry) -> RowKey {
    .values(row.aggregates.map(\.asGroupKey))
  }

  private func entry(of row: ResultEntry, _ key: RowKey, count: Int64) -> ResultEntry {
    ResultRowEntry(
      key: key, order: orderPlaces.map { row.aggregates[$0] }, aggregates: [.integer(count)],
      fingerprint: row.fingerprint, row: row.row(as: Row.self))
  }
}

extension SelectStatement {
  /// The names of the selected columns; nil for an expression without a name.
  fileprivate var selectedNames: [String?] {
    let nodes = selectedNodes
    guard case .terms(let terms) = selection, terms.count == nodes.count else {
      return nodes.map(Self.name)
    }
    return zip(terms, nodes).map { term, node in
      if case .aliased(_, let name) = term { name } else { Self.name(of: node) }
    }
  }

  private static func name(of node: ExpressionNode) -> String? {
    guard let column = node.columnID else { return nil }
    return LayoutRegistry.shared.layout(number: column.table.layout)?
      .columns[Int(column.index)].name
  }
}
