import QueryDSL
import SQLCore

/// The order of a maintained result, and the part of it that the query asks for.
struct ResultForm: Sendable {
  let order: RowOrder
  let limit: Int?
  let offset: Int
  /// The least number of rows to hold beyond the limit.
  let reserve: Int

  init(order: RowOrder, limit: Int?, offset: Int, reserve: Int) {
    (self.order, self.limit, self.offset, self.reserve) = (order, limit, offset, reserve)
  }

  /// Throws a `RerunReason` if a term of ORDER BY has a collation that is not one of SQLite's own.
  init(
    of select: SelectStatement, in tables: [PlannedTable], keyCollations: [BuiltInCollation],
    reserve: Int
  ) throws {
    let terms = try select.order.map { term in
      RowOrder.Term(
        isDescending: term.isDescending,
        collation: try term.expression.builtInCollation(in: tables), nulls: term.nulls)
    }
    self.init(
      order: RowOrder(terms: terms, keyCollations: keyCollations),
      limit: Self.number(select.limit), offset: Self.number(select.offset) ?? 0, reserve: reserve)
  }

  private static func number(_ count: RowCount?) -> Int? {
    if case .number(let number) = count { number } else { nil }
  }

  /// The number of rows that a fetch asks for; nil for all.
  var fetchCount: Int? {
    guard let limit else { return nil }
    let (needed, overflow) = limit.addingReportingOverflow(offset)
    guard !overflow, needed < Int.max / 4 else { return nil }
    return needed + max(reserve, needed / 2)
  }
}

extension ExpressionNode {
  /// Returns the collation by which SQLite compares the expression. Throws a `RerunReason` if it is
  /// not one of SQLite's own.
  func builtInCollation(in tables: [PlannedTable]) throws -> BuiltInCollation {
    if case .column(let column) = self {
      guard let table = tables.first(where: { $0.id == column.table }) else { return .binary }
      return try table.collation(of: Int(column.index))
    }
    return firstCollation.flatMap(BuiltInCollation.init(named:)) ?? .binary
  }
}
