import QueryDSL
import SQLCore

/// A path from the changed rows of a table to rows of another table, which is called the root. It
/// finds the rows of the root to which the changed rows belong or belonged. Each step leads to the
/// next table, and needs at most one statement.
struct RowPath: Sendable {
  /// A step of the path, from one table to the next.
  struct Step: Sendable {
    let from: PlannedTable
    let to: PlannedTable
    fileprivate let links: [TableLinks.Link]
    /// Whether the next table is left-joined. Such a join may find no row of this table.
    fileprivate let isOptional: Bool
    /// Columns of the next table, each with the value that a row must have there. Rows with other
    /// values are ignored.
    private let required: [(column: ColumnID, value: RequiredValue)]

    init(
      from: PlannedTable, to: PlannedTable, links: [TableLinks.Link], isOptional: Bool,
      required: [(column: ColumnID, value: RequiredValue)]
    ) {
      (self.from, self.to, self.links, self.isOptional) = (from, to, links, isOptional)
      // The columns are sorted, so that their order is the same in every process. Otherwise, it
      // would depend on hashes, which differ between processes.
      self.required = required.sorted { $0.column.index < $1.column.index }
    }

    /// Adds the conditions of `required` to a statement that reads the next table.
    fileprivate func require(in statement: inout SelectStatement) {
      for (column, value) in required {
        statement.predicates.append(.compareColumn(.equal, column, value.bound))
      }
    }
  }

  let table: PlannedTable
  private let steps: [Step]
  /// The columns of the root whose values the path returns.
  private let selected: [ColumnID]
  /// The values that a changed row must have, each with the folded name of its column. A changed
  /// row with another value in one of these columns is ignored.
  private let required: [(column: String, value: RequiredValue)]
  /// For each selected column, the index of a link of the last step that gives its value. For
  /// example, the link `mark.post = post.id` gives the value of `post.id` from a row of `mark`, so
  /// the last step needs no statement. Nil if a selected column has no such link.
  private let direct: [Int]?

  init(
    from table: PlannedTable, by steps: [Step], selecting selected: [ColumnID],
    requiring required: [(column: ColumnID, value: RequiredValue)]
  ) {
    self.table = table
    self.steps = steps
    self.selected = selected
    self.required = required.compactMap { column, value in
      guard (try? table.collation(of: Int(column.index))) == .binary else { return nil }
      return (table.layout.columns[Int(column.index)].name.lowercasedASCII, value)
    }
    let places = steps.last.map { last in
      selected.compactMap { column in
        last.links.firstIndex { link in
          link.to == column && link.kind == .equal
            && PlannedTable.haveSameValues(
              last.from, Int(link.from.index), last.to, Int(link.to.index))
        }
      }
    }
    direct = places?.count == selected.count ? places : nil
  }

  /// Returns whether commits touched rows that may belong to rows of the root.
  ///
  /// - Parameter arguments: the values of the query's arguments.
  func isTouched(by commits: [Commit], _ arguments: [DatabaseValue]) -> Bool {
    startingValues(of: commits, arguments)?.isEmpty != true
  }

  /// Finds the rows of the root to which changed rows belong or belonged, and returns their values
  /// in the selected columns. Returns nil if the values are not known, or if there are more than
  /// `maximum`.
  func values(
    of commits: [Commit], _ arguments: [DatabaseValue], maximum: Int, on core: ConnectionCore
  ) throws -> KeySet? {
    guard var values = startingValues(of: commits, arguments) else { return nil }
    for (index, step) in steps.enumerated() {
      guard !values.isEmpty else { return [] }
      let isLast = index + 1 == steps.count
      if isLast, let direct {
        return KeySet(
          values.map { value in direct.map { value[$0] } }.filter { !$0.contains(.null) })
      }
      let columns = isLast ? selected : steps[index + 1].links.map(\.from)
      switch step.statement(for: values, selecting: columns, maximum: maximum) {
      case .none: return []
      case .unknown: return nil
      case .statement(let statement):
        guard let found = try core.keys(of: statement, maximum: maximum) else { return nil }
        values = found
      }
    }
    return values
  }

  /// Returns the values of the changed rows, before and after the commits, in the columns where the
  /// links of the first step begin. Returns nil if these values are not known exactly.
  private func startingValues(of commits: [Commit], _ arguments: [DatabaseValue]) -> KeySet? {
    let rows = Commit.nettedRows(commits, of: table)
    guard !rows.rows.isEmpty else { return [] }
    guard rows.isExact, let first = steps.first else { return nil }
    let columns = rows.columns.map(\.lowercasedASCII)
    let places = first.links.compactMap { link in
      columns.firstIndex(of: table.layout.columns[Int(link.from.index)].name.lowercasedASCII)
    }
    let tests = required.compactMap { required -> (place: Int, value: DatabaseValue)? in
      guard let place = columns.firstIndex(of: required.column),
        let value = required.value.value(arguments)
      else { return nil }
      return (place, value)
    }
    guard places.count == first.links.count else { return nil }
    var values: KeySet = []
    for row in rows.rows {
      for state in [row.old, row.new].compactMap(\.self) {
        let all = row.key.values + state
        guard tests.allSatisfy({ all[$0.place].mayEqual($0.value) }) else { continue }
        values.insert(places.map { all[$0] })
      }
    }
    return values
  }

  /// Returns the statements that the steps run. The statements run after each change, so they must
  /// find their rows by indexes.
  func statements() throws -> [RestrictedStatement] {
    var statements: [RestrictedStatement] = []
    for (index, step) in steps.enumerated() {
      let isLast = index + 1 == steps.count
      if isLast, direct != nil { continue }
      let columns = isLast ? selected : steps[index + 1].links.map(\.from)
      var samples = [KeySet.samples(of: step.links.count)]
      if step.links.contains(where: { $0.kind == .same }), !step.isOptional {
        samples.append(
          samples[0].union([step.links.map { $0.kind == .same ? .null : .integer(0) }]))
      }
      for sample in samples {
        guard case .statement(let statement) = step.statement(for: sample, selecting: columns)
        else { continue }
        statements.append(try RestrictedStatement(statement, after: table))
      }
    }
    return statements
  }
}

extension RowPath.Step {
  fileprivate enum Restricted {
    /// No row of the next table is related to the values.
    case none
    case statement(SelectStatement)
    /// There are too many values, or the statement would have to read all rows of the next table.
    case unknown
  }

  /// Returns the statement that this step runs for the given values, which come from rows of the
  /// table `from`. The statement finds the related rows of the table `to`, and selects the given
  /// columns of these rows.
  fileprivate func statement(
    for values: KeySet, selecting columns: [ColumnID], maximum: Int = .max
  ) -> Restricted {
    var values = values
    for (place, link) in links.enumerated() where link.kind == .equal {
      values = values.filter { $0[place] != .null }
    }
    guard !values.isEmpty else { return .none }
    guard values.seekCount <= maximum else { return .unknown }
    var statement = SelectStatement(
      selection: .terms(columns.map { .expression(.column($0)) }), from: to.id)
    var isRestricted = false
    for (place, link) in links.enumerated() {
      let column = Set(values.map { $0[place] })
      let hasNull = column.contains(.null)
      let orNull: Bool
      switch link.kind {
      case .equal: orNull = false
      case .same:
        if hasNull, isOptional { return .unknown }
        orNull = hasNull
      case .member:
        if hasNull { continue }
        orNull = !to.isNotNull(Int(link.to.index))
      }
      isRestricted = true
      statement.restrict(link.to, to: column.filter { $0 != .null }, orNull: orNull)
    }
    require(in: &statement)
    return isRestricted ? .statement(statement) : .unknown
  }
}

extension DatabaseValue {
  /// Returns whether SQLite may consider the two values equal. Returns false only if the values
  /// differ under every type conversion that SQLite may apply before the comparison.
  fileprivate func mayEqual(_ other: DatabaseValue) -> Bool {
    switch (self, other) {
    case (.null, _): false
    case (.integer(let own), .integer(let other)): own == other
    case (.text(let own), .text(let other)): own.utf8.elementsEqual(other.utf8)
    case (.blob(let own), .blob(let other)): own == other
    default: true
    }
  }
}
