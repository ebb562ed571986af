import QueryDSL
import SQLCore

/// The included rows of a query that a commit changed without moving them: each has the same key,
/// the same parent, and the same place among the children of that.
struct TouchedChildren: Sendable {
  let replacement: ChildReplacement
  private let table: PlannedTable
  /// The columns, folded, that say to which parent a child belongs, whether it is included, and at
  /// which place.
  private let deciding: Set<String>

  /// Returns nil if the children of the result cannot be replaced one by one.
  init?(
    _ relations: [IncludedRelation], _ traces: [InclusionTrace], of parent: PlannedTable
  ) throws {
    guard relations.count == 1, let replacement = relations[0].replacement,
      traces[0].holdsParentKeys
    else { return nil }
    let (table, relation) = (traces[0].table, try relations[0].relation.get())
    // Then the values are those of the parent's key.
    guard
      zip(relation.ownerColumns, relation.parentColumns).allSatisfy({ own, column in
        PlannedTable.haveSameValues(table, Int(own.index), parent, column)
      })
    else { return nil }
    self.table = table
    self.replacement = replacement
    deciding = table.names(
      of: try relations[0].children.decidingColumns.union(relation.ownerColumns))
  }

  /// Returns the touched children with their values before and after; nil if one of them appeared,
  /// vanished or may have another place, or if its values are not known exactly.
  func touched(
    by commits: [Commit], _ evaluators: RowEvaluators
  ) -> (old: ChildReplacement.Children, new: ChildReplacement.Children)? {
    let rows = Commit.nettedRows(commits, of: table)
    guard !rows.rows.isEmpty, rows.isExact else { return nil }
    let places = rows.columns.indices.filter { deciding.contains(rows.columns[$0].lowercasedASCII) }
    var before: [[DatabaseValue]] = []
    var after: [[DatabaseValue]] = []
    for row in rows.rows {
      guard let old = row.old, let new = row.new else { return nil }
      before.append(row.key.values + old)
      after.append(row.key.values + new)
    }
    guard zip(before, after).allSatisfy({ old, new in places.allSatisfy { old[$0] == new[$0] } })
    else { return nil }
    func children(_ states: [[DatabaseValue]]) -> ChildReplacement.Children? {
      try? evaluators.evaluating(states, columns: rows.columns, in: table.shadow) {
        try replacement.load($0)
      }
    }
    guard let old = children(before), let new = children(after) else { return nil }
    return (old, new)
  }
}
