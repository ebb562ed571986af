import SQLCore

extension SelectStatement {
  /// Selects several items after what is selected already, and returns the way to read the longer
  /// tuple.
  ///
  /// The first elements of a tuple have the same places in memory as a tuple of only these, so the
  /// old rows are read as one part.
  mutating func selectAlso<Row>(
    _ items: ShortList<SelectItem>, after old: RowDecoding<Row>
  ) -> (parts: RowParts, columns: @Sendable () throws -> [ResultColumn]) {
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
    return (parts, { try allColumns.flatMap { try $0() } })
  }
}
