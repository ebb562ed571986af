import SQLCore

/// An order in which the rows of a table are read in pages. It consists of columns with directions,
/// and always contains the key, so that the position of each row is unique.
///
/// ```swift
/// let newest = PageOrder<Post>.descending(\.$createdAt)
/// let page = try db.fetch(Post.page(by: newest).limit(20))
/// let cursor = try page.last.map { try newest.cursor(after: $0) }
/// let next = try db.fetch(Post.page(after: cursor, by: newest).limit(20))
/// // SELECT … FROM "Post" WHERE ("createdAt", "id") < (?, ? COLLATE "BINARY")
/// //   ORDER BY "createdAt" DESC, "id" DESC LIMIT ?
/// ```
/// The key is sorted in the direction of the order's last column, unless the order itself names the
/// key.
public struct PageOrder<M: Model>: Sendable {
  /// A column of the order.
  struct Term: Sendable {
    let column: Int
    let isDescending: Bool
    let nulls: NullOrder?

    /// Whether NULL comes before all values.
    var hasNullFirst: Bool { nulls.map { $0 == .first } ?? !isDescending }
  }

  private var named: [Term] = []
  private var problem: QueryError?
  /// Whether the key is sorted in descending order. This property is used only if the order names
  /// no columns.
  private var isReversed = false

  /// The ascending order of the key.
  public static var key: PageOrder { PageOrder() }

  /// Orders by a column, from the least to the greatest. SQL: `ORDER BY a`
  public static func ascending<Value: ColumnValue>(
    _ column: KeyPath<M, ColumnReference<Value>>, nulls: NullOrder? = nil
  ) -> PageOrder {
    PageOrder().ascending(column, nulls: nulls)
  }

  /// Orders by a column, from the greatest to the least. SQL: `ORDER BY a DESC`
  public static func descending<Value: ColumnValue>(
    _ column: KeyPath<M, ColumnReference<Value>>, nulls: NullOrder? = nil
  ) -> PageOrder {
    PageOrder().descending(column, nulls: nulls)
  }

  /// Adds a column to the order. The rows that are equal in the earlier columns are ordered by the
  /// values of this column, from the least to the greatest.
  public consuming func ascending<Value: ColumnValue>(
    _ column: KeyPath<M, ColumnReference<Value>>, nulls: NullOrder? = nil
  ) -> PageOrder {
    append(column, isDescending: false, nulls)
    return self
  }

  /// Adds a column to the order. The rows that are equal in the earlier columns are ordered by the
  /// values of this column, from the greatest to the least.
  public consuming func descending<Value: ColumnValue>(
    _ column: KeyPath<M, ColumnReference<Value>>, nulls: NullOrder? = nil
  ) -> PageOrder {
    append(column, isDescending: true, nulls)
    return self
  }

  /// The opposite order, for the previous page. A page in the opposite order contains the rows
  /// before the cursor, the nearest first.
  public var reversed: PageOrder {
    var order = self
    order.isReversed.toggle()
    order.named = named.map { term in
      Term(
        column: term.column, isDescending: !term.isDescending,
        nulls: term.nulls.map { $0 == .first ? .last : .first })
    }
    return order
  }

  private mutating func append<Value: ColumnValue>(
    _ path: KeyPath<M, ColumnReference<Value>>, isDescending: Bool, _ nulls: NullOrder?
  ) {
    guard let column = (try? M.layout)?.index(of: path) else {
      problem = problem ?? Columns<M>.noColumn(path)
      return
    }
    // A second term for the same column would have no effect, because it would order only rows that
    // are equal in this column.
    guard !named.contains(where: { $0.column == column }) else { return }
    named.append(Term(column: column, isDescending: isDescending, nulls: nulls))
  }
}

extension PageOrder {
  /// The columns of the order, followed by the columns of the key. Throws `QueryError` if the model
  /// has no key.
  func terms(of layout: ModelLayout) throws -> [Term] {
    if let problem { throw problem }
    guard !layout.keyColumns.isEmpty else {
      throw QueryError(
        "\(layout.tableName) has no key; pages need one, because rows that are otherwise equal "
          + "are ordered by it")
    }
    let isDescending = named.last?.isDescending ?? isReversed
    let missing = layout.keyColumns.filter { key in !named.contains { $0.column == key } }
    return named + missing.map { Term(column: $0, isDescending: isDescending, nulls: nil) }
  }

  /// Returns a hash of the order, which is the same in each run of the program.
  func fingerprint(of layout: ModelLayout) throws -> UInt64 {
    var text = layout.tableName
    for term in try terms(of: layout) {
      text += "\0" + layout.columns[term.column].name + (term.isDescending ? "\0-" : "\0+")
      text += term.hasNullFirst ? "first" : "last"
    }
    return text.stableHash
  }

  /// Returns the cursor for the page that begins after a row.
  ///
  /// The row is a model, or a struct that has the columns of the order and of the key, with the
  /// same names. Throws `QueryError` if a column is missing, and `ColumnValueError` for a value
  /// that cannot be stored. The call runs no statement.
  public func cursor<Row: ResultRow>(after row: Row) throws -> PageCursor<M> {
    let (layout, own) = try (M.layout, Row.layout)
    let values = try terms(of: layout).map { term in
      let column = layout.columns[term.column]
      guard let index = own.index(named: column.name),
        own.columns[index].type.nonOptional == column.type.nonOptional,
        own.columns[index].form == column.form
      else {
        throw QueryError(
          "the order of the pages needs the column \(column.name), which \(Row.self) does not have "
            + "as \(layout.tableName) has it")
      }
      let slot = own.slots.slots[index]
      let value = try withUnsafeBytes(of: row) { memory -> DatabaseValue in
        guard let base = memory.baseAddress else { return .null }
        return try slot.type._databaseValue(ofColumnAt: base + Int(slot.offset), as: slot.form)
      }
      guard !value.isNull || column.mayBeNull else {
        throw QueryError(
          "a row of \(layout.tableName) without a value for \(column.name) is in no page; insert "
            + "it first")
      }
      return value
    }
    return PageCursor(order: try fingerprint(of: layout), values: values)
  }
}

extension ModelColumn {
  /// Whether a row of the table may have NULL in the column. A key is never NULL in the table, even
  /// if its property is optional until the row is inserted.
  var mayBeNull: Bool { isOptional && !isPrimaryKey }
}

/// The condition for the rows after a cursor.
///
/// Columns with the same direction are compared as a row value, because SQLite can seek a row value
/// in an index over the columns:
///
///     ("createdAt", "id") < (?, ? COLLATE "BINARY")
///
/// If the directions differ, or if a column may be NULL, columns are compared one by one. In this
/// example, the second line decides which rows match. The first line only limits the part of the
/// index that SQLite reads.
///
///     "rating" <= ?
///     AND ("rating" < ? OR "rating" = ? AND ("title", "id") > (?, ? COLLATE "BINARY"))
struct PageCondition {
  /// An ORDER BY expression with its collation, and the value that the cursor has for it.
  struct Term {
    let node: ExpressionNode
    let isDescending: Bool
    /// Whether the expression may be NULL in a row. `hasNullFirst` says where such rows come.
    let mayBeNull: Bool
    let hasNullFirst: Bool
    let value: DatabaseValue

    /// Whether a comparison with the cursor's value is enough to select the rows after the cursor.
    /// A comparison leaves out the rows with NULL. So it is enough only if there are no such rows,
    /// or if all of them come before the cursor's value.
    var isDecided: Bool { !mayBeNull || hasNullFirst && !value.isNull }
  }

  let terms: [Term]

  /// The condition as predicates, which must all hold.
  var predicates: [PredicateNode] {
    let run = leadingRun(from: 0)
    guard run < terms.count else { return [compare(terms[...], orEqual: false)] }
    // If the first term is not `isDecided`, there is no condition that limits the range of the
    // index, because no range of a comparison contains both NULL and other values.
    return (run > 0 ? [compare(terms[..<run], orEqual: true)] : []) + [after(from: 0)]
  }

  /// Returns the end of the run of terms that begins at an index. A run is a sequence of terms that
  /// can be compared as one row value: they have the same direction, and are all `isDecided`.
  private func leadingRun(from start: Int) -> Int {
    let isDescending = terms[start].isDescending
    return terms[start...].firstIndex { !$0.isDecided || $0.isDescending != isDescending }
      ?? terms.count
  }

  /// Returns the condition for the rows that come after the cursor, if only the terms from the
  /// index `start` on are compared.
  private func after(from start: Int) -> PredicateNode {
    if leadingRun(from: start) == terms.count { return compare(terms[start...], orEqual: false) }
    let term = terms[start]
    var choices: [PredicateNode] = []
    if !term.value.isNull {
      choices.append(compare(terms[start...start], orEqual: false))
      if term.mayBeNull, !term.hasNullFirst { choices.append(.isNull(term.node)) }
    } else if term.hasNullFirst {
      choices.append(.isNotNull(term.node))
    }
    if start + 1 < terms.count {
      let isSame: PredicateNode =
        term.value.isNull
        ? .isNull(term.node) : .compare(.equal, term.node, .value(.value(term.value)))
      choices.append(.and(isSame, after(from: start + 1)))
    }
    return .any(choices)
  }

  /// Returns the comparison of terms with their values. The terms must have the same direction.
  private func compare(_ terms: ArraySlice<Term>, orEqual: Bool) -> PredicateNode {
    let sign: SQLToken =
      switch (terms.first?.isDescending == true, orEqual) {
      case (true, false): .less
      case (true, true): .lessOrEqual
      case (false, false): .greater
      case (false, true): .greaterOrEqual
      }
    let nodes = terms.map(\.node)
    let values = terms.map { BoundValue.value($0.value) }
    return .compareRows(sign, nodes, values)
  }
}
