import SQLCore

// This file finds the keys that together distinguish all rows of a query. The keys of all its
// tables always distinguish them, but not all of these keys may be needed. If the condition of a
// join compares the whole key of the joined table with columns of another table, the join finds at
// most one row of the joined table. The key of the joined table is then not needed.

extension SelectStatement {
  /// A table with its key.
  struct KeyedTable {
    typealias Key = (column: ColumnID, node: ExpressionNode, isText: Bool)

    let id: TableID
    let keys: [Key]
  }

  /// Returns the tables whose keys together identify a row of the query, in the order of FROM and
  /// the joins. Throws `QueryError` if a table has no key.
  func determiningTables() throws -> [KeyedTable] {
    guard !from.isNone else {
      throw QueryError("a query without a table has no pages")
    }
    let all = try tables.map(keyed)
    let links = links(among: all)
    var needed = all
    // The loop begins with the last table. So if each of two tables determines the row of the other
    // table, the key of the earlier table is kept.
    for table in all.reversed() {
      let others = needed.filter { $0.id != table.id }
      if Self.reach(from: others.map(\.id), by: links).contains(table.id) { needed = others }
    }
    return needed
  }

  private func keyed(_ table: TableID) throws -> KeyedTable {
    let layout = LayoutRegistry.shared.layout(number: table.layout)
    guard let layout, extras?.source(of: table) == nil, !layout.keyColumns.isEmpty else {
      throw QueryError(
        "\(layout?.tableName ?? "a table") has no key; pages need one, because rows that are "
          + "otherwise equal are ordered by it")
    }
    return KeyedTable(
      id: table,
      keys: layout.keyColumns.map { index in
        let id = ColumnID(table: table, index: UInt16(truncatingIfNeeded: index))
        let column = layout.columns[index]
        return (
          id, ExpressionNode.column(id).collated(as: column.type), column.storageClass == .text
        )
      })
  }

  /// Two tables of a join: each row of `from` is joined with at most one row of `to`.
  private typealias Link = (from: TableID, to: TableID)

  private func links(among tables: [KeyedTable]) -> [Link] {
    // In a result row of a RIGHT or FULL JOIN, the row of any of the tables may be missing. So no
    // table determines the row of another table.
    if joins.contains(where: { $0.kind == .right || $0.kind == .full }) { return [] }
    var links: [Link] = []
    for join in joins {
      let pairs = join.condition?.equalColumns ?? []
      // A left join keeps the rows of the earlier tables even if its condition holds for no row. So
      // the condition determines only the row of the joined table, and not of an earlier table.
      for table in tables where join.kind != .left || table.id == join.table {
        for other in tables where other.id != table.id {
          let isWhole = table.keys.allSatisfy { key in
            // A key that is a text is not accepted, because in the database file, its column may
            // have a collation that considers several keys equal.
            !key.isText && pairs.contains { $0 == key.column && $1.table == other.id }
          }
          if isWhole { links.append((other.id, table.id)) }
        }
      }
    }
    return links
  }

  private static func reach(from tables: [TableID], by links: [Link]) -> Set<TableID> {
    var reached = Set(tables)
    var isGrowing = true
    while isGrowing {
      isGrowing = false
      for link in links where reached.contains(link.from) {
        if reached.insert(link.to).inserted { isGrowing = true }
      }
    }
    return reached
  }
}
