import SQLCore

/// The tables of an existing query. They become the parameters of a closure that adds clauses to
/// the query. Programs do not use this type directly.
///
/// A parameter gets the first table of its model that no earlier parameter has.
public final class _QueryTables {
  private struct Entry {
    let table: TableID
    /// Whether an outer join may find no row of the table.
    let isOptional: Bool
  }

  private var entries: [Entry]
  /// An error in the parameters of the closure, which is thrown when the query is rendered.
  private(set) var problem: QueryError?

  init(of statement: SelectStatement) {
    entries = zip(statement.tables, statement.areOptional).map(Entry.init)
    guard statement.extras?.content.compound != nil else { return }
    entries = []
    problem = QueryError(
      "a UNION, INTERSECT or EXCEPT has no tables of its own; narrow its queries, or use it as a "
        + "table: From(query.as(columns))")
  }

  /// Takes the first table of the given model among those that no earlier parameter has taken.
  ///
  /// - Parameter acceptsMissing: Whether to accept a table for which a join may find no row. True
  ///   for a parameter of the type `OptionalColumns`.
  func take<Row: ResultRow>(_ row: Row.Type, acceptsMissing: Bool) -> Columns<Row> {
    let fresh = Columns<Row>()
    guard let index = entries.firstIndex(where: { $0.table.layout == fresh.table.layout }) else {
      problem =
        problem
        ?? QueryError(
          "a closure has more parameters for \(Row.self) than the query has tables of it in its "
            + "From and joins")
      return fresh
    }
    let entry = entries.remove(at: index)
    if entry.isOptional, !acceptsMissing {
      problem =
        problem
        ?? QueryError(
          "a join of the query may find no row of \(Row.self): the parameter must be "
            + "OptionalColumns<\(Row.self)>")
    }
    return Columns(entry.table)
  }
}

@available(*, unavailable, message: "the tables are those of one call")
extension _QueryTables: Sendable {}

extension SelectStatement {
  /// A flag for each table in `tables`: whether an outer join may find no row of that table.
  var areOptional: [Bool] {
    var flags = [false]
    for join in joins {
      if join.kind == .right || join.kind == .full { flags = flags.map { _ in true } }
      flags.append(join.kind == .left || join.kind == .full)
    }
    return flags
  }

  /// Adds items after those that the statement already selects. Returns the functions that read the
  /// longer tuple.
  ///
  /// The old items are read together, as one part of the longer tuple. This is possible because the
  /// elements `a` and `b` have the same offsets in the memory of `(a, b, c)` as in the memory of
  /// `(a, b)`.
  mutating func selectAlso<Row, LongerRow>(
    _ items: ShortList<SelectItem>, after old: RowDecoding<Row>
  ) -> RowDecoding<LongerRow> {
    var terms: [SelectTerm] =
      switch selection {
      case .table(let table): [.table(table)]
      case .terms(let terms): terms
      }
    var parts = RowParts()
    var columns = [old.columns]
    parts.append(
      RowPart(of: Row.self) { reader, memory in
        memory.initializeMemory(as: Row.self, to: try old.one(&reader))
      })
    let count = terms.count
    for item in items {
      terms.append(item.term)
      parts.append(item.part)
      columns.append(item.columns)
    }
    selection = .terms(terms)
    if terms.count == count { note(Self.noItems) }
    if extras?.content.compound != nil {
      note(
        QueryError(
          "`selectAlso` adds no columns to a UNION, INTERSECT or EXCEPT; add them to its queries"))
    }
    let allColumns = columns
    return .parts(parts, isMapped: old.isMapped) { try allColumns.flatMap { try $0() } }
  }
}
