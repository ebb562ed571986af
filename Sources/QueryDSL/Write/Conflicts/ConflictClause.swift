import SQLCore

/// An ON CONFLICT clause. It says what an insert does if the new row would violate a unique
/// constraint.
struct ConflictClause: Sendable {
  /// The columns of the constraint; empty if the clause is for any unique constraint.
  var target: [ExpressionNode] = []
  /// The terms of an index over expressions, as the index declares them. If they are set, they are
  /// used instead of `target`.
  var terms: Result<[String], QueryError>?
  /// The condition of the index, if the clause is for a partial index, as the index declares it.
  /// Nil for any other index.
  var condition: Result<String?, QueryError> = .success(nil)
  /// The row that would have been inserted.
  let excluded: TableID
  /// The assignments of DO UPDATE; nil for DO NOTHING.
  var assignments: [Assignment]?
  var predicates: ShortList<PredicateNode> = .none
}

/// The columns of the existing row, as the `where` closure of an upsert receives them. The closure
/// returns the conditions under which the row is updated.
///
/// ```swift
/// Post.insert(post).onConflictUpdate(\.$url) { $0.$title = $0.new.$title } where: {
///   $0.$isLocked.isFalse
///   $0.$createdAt < $0.new.$createdAt
/// }
/// // … WHERE "Post"."isLocked" = 0 AND "Post"."createdAt" < excluded."createdAt"
/// ```
@dynamicMemberLookup
public struct ConflictColumns<M: ResultRow> {
  let columns: Columns<M>
  /// The columns of the row that would have been inserted. SQL: `excluded`
  public let new: Columns<M>

  /// The column of the existing row, or the columns of a group.
  public subscript<Column: ColumnWithDollarSign>(
    dynamicMember path: KeyPath<M, Column>
  ) -> Column._InQuery {
    Column._member(path, of: columns)
  }
}

extension ConflictClause {
  func write(into table: TableID, to writer: inout ShapeWriter) throws {
    writer.openScope([(table, nil), (excluded, .row("excluded"))])
    writer.token(.onConflict)
    if !target.isEmpty || terms != nil {
      writer.token(.space)
      writer.token(.open)
      for (index, column) in target.enumerated() {
        if index > 0 { writer.token(.comma) }
        guard let id = column.columnID else { return column.write(to: &writer) }
        writer.columnName(id)
      }
      if let terms { writer.fragment(SQL(unsafe: try terms.get().joined(separator: ", "))) }
      writer.token(.close)
      if let condition = try condition.get() {
        writer.token(.where)
        writer.fragment(SQL(unsafe: condition))
      }
    }
    if let assignments {
      writer.token(.doUpdateSet)
      Assignment.write(assignments, to: &writer)
      SelectStatement.write(predicates, behind: .where, to: &writer)
    } else {
      writer.token(.doNothing)
    }
    writer.closeScope()
  }

  /// Whether the clause applies to any unique constraint, because it names no columns and no terms.
  var isForEveryConstraint: Bool { target.isEmpty && terms == nil }

  /// Whether the clause may update a row that has the same key as the new row. This is true if the
  /// clause names a key column, or no column.
  func updatesRow(withKeyOf layout: ModelLayout) -> Bool {
    guard assignments != nil else { return false }
    if let terms {
      let names = layout.keyColumns.map { layout.columns[$0].name.lowercasedASCII }
      return ((try? terms.get()) ?? []).contains { term in names.contains { term.mentions($0) } }
    }
    return target.isEmpty
      || target.contains { node in
        node.columnID.map { layout.keyColumns.contains(Int($0.index)) } ?? true
      }
  }

  /// The clause with DO NOTHING, which keeps the existing row.
  var doingNothing: ConflictClause {
    var clause = self
    clause.assignments = nil
    clause.predicates = .none
    return clause
  }
}

// A clause applies to the unique constraint that has exactly the clause's columns: a primary key, a
// UNIQUE constraint or a unique index. SQLite checks that such a constraint exists when it prepares
// the statement.

extension Insert {
  /// Keeps the existing row if the new row violates any unique constraint.
  /// SQL: `ON CONFLICT DO NOTHING`
  public consuming func onConflictDoNothing() -> Self {
    add(ConflictClause(excluded: Columns<M>().table))
    return self
  }

  /// Keeps the existing row if the new row violates this unique constraint.
  /// SQL: `ON CONFLICT ("url") DO NOTHING`
  ///
  /// - Parameter condition: the condition of a partial index, as its `Index` declares it. Its
  ///   values are written as literals.
  public consuming func onConflictDoNothing<First: ColumnValue, each Value: ColumnValue>(
    _ first: KeyPath<M, ColumnReference<First>>,
    _ others: repeat KeyPath<M, ColumnReference<each Value>>,
    @PredicateBuilder matching condition: (Columns<M>) -> PredicateLines = { _ in [] }
  ) -> Self {
    add(clause(on: first, repeat each others, matching: condition))
    return self
  }

  /// Updates the existing row if the new row violates this unique constraint: an upsert.
  ///
  /// ```swift
  /// Post.insert(post).onConflictUpdate(\.$url) {
  ///   $0.$title = $0.new.$title            // `new` is the row that was to be inserted
  ///   $0.$views += 1
  /// } where: {
  ///   $0.$createdAt < $0.new.$createdAt    // else the row stays as it is
  /// }
  /// // INSERT INTO "Post" (…) VALUES (…) ON CONFLICT ("url") DO UPDATE
  /// //   SET "title" = excluded."title", "views" = "Post"."views" + ?
  /// //   WHERE "Post"."createdAt" < excluded."createdAt"
  /// ```
  /// If the new row violates another constraint, the insert throws, unless another clause handles
  /// that constraint.
  /// - Parameter condition: the condition of a partial index, as its `Index` declares it. Its
  ///   values are written as literals.
  /// - SeeAlso: <https://www.sqlite.org/lang_upsert.html>
  public consuming func onConflictUpdate<First: ColumnValue, each Value: ColumnValue>(
    _ first: KeyPath<M, ColumnReference<First>>,
    _ others: repeat KeyPath<M, ColumnReference<each Value>>,
    @PredicateBuilder matching condition: (Columns<M>) -> PredicateLines = { _ in [] },
    set assign: (inout Assignments<M>) -> Void,
    @PredicateBuilder where predicates: (ConflictColumns<M>) -> PredicateLines = { _ in [] }
  ) -> Self {
    append(clause(on: first, repeat each others, matching: condition), assign, predicates)
    return self
  }

  /// Adds a clause that updates the existing row.
  mutating func append(
    _ clause: consuming ConflictClause, _ assign: (inout Assignments<M>) -> Void,
    _ predicates: (ConflictColumns<M>) -> PredicateLines
  ) {
    var assignments = Assignments(columns, excluded: clause.excluded)
    assign(&assignments)
    clause.assignments = assignments.list
    clause.predicates =
      predicates(ConflictColumns(columns: columns, new: Columns(clause.excluded))).nodes
    add(clause)
    if assignments.list.isEmpty {
      problem = problem ?? QueryError("the upsert of \(M.tableName) assigns no column")
    }
  }

  /// Updates the existing row to the values of the new row if the new row violates this unique
  /// constraint. Every column is updated, except the columns of the constraint and of the key. A
  /// row that already has the values is not changed.
  ///
  /// ```swift
  /// Post.insert(post).onConflictUpdate(\.$url)
  /// // INSERT INTO "Post" (…) VALUES (…) ON CONFLICT ("url") DO UPDATE
  /// //   SET …, "title" = excluded."title", …
  /// //   WHERE … OR "Post"."title" IS NOT excluded."title" COLLATE "BINARY" OR …
  /// ```
  public consuming func onConflictUpdate<First: ColumnValue, each Value: ColumnValue>(
    _ first: KeyPath<M, ColumnReference<First>>,
    _ others: repeat KeyPath<M, ColumnReference<each Value>>,
    @PredicateBuilder matching condition: (Columns<M>) -> PredicateLines = { _ in [] }
  ) -> Self {
    var clause = clause(on: first, repeat each others, matching: condition)
    clause.updateAll(of: columns.table, written: writtenColumns)
    add(clause)
    return self
  }

  /// Adds a clause. A clause that names no columns or terms handles every constraint, and SQLite
  /// requires that it is the last clause. If another clause is added after it, rendering the
  /// statement throws `QueryError`.
  mutating func add(_ clause: consuming ConflictClause) {
    if let last = conflicts.last, last.isForEveryConstraint {
      problem =
        problem
        ?? QueryError(
          "an ON CONFLICT clause without columns handles every constraint, so it must be the last "
            + "clause of the insert into \(M.tableName)")
    }
    conflicts.append(clause)
  }

  func clause<First: ColumnValue, each Value: ColumnValue>(
    on first: KeyPath<M, ColumnReference<First>>,
    _ others: repeat KeyPath<M, ColumnReference<each Value>>,
    matching condition: (Columns<M>) -> PredicateLines
  ) -> ConflictClause {
    var clause = ConflictClause(excluded: Columns<M>().table)
    clause.target = [columns[dynamicMember: first].node]
    for other in repeat each others { clause.target.append(columns[dynamicMember: other].node) }
    let predicates = condition(Columns<M>.declared)
    // SQLite recognises a partial index by the text of its condition, so the condition has literals
    // instead of parameters.
    clause.condition = Self.declared { try $0.declaration(of: predicates) }
    return clause
  }

  /// Returns the text that `body` makes from the layout of the table, or the error that `body`
  /// throws.
  static func declared<Text>(
    _ body: (ModelLayout) throws -> Text
  ) -> Result<Text, QueryError> {
    do {
      return .success(try body(try M.layout))
    } catch {
      return .failure(error as? QueryError ?? QueryError(String(describing: error)))
    }
  }

  /// The columns that the insert names; nil for all columns.
  var writtenColumns: [UInt16]? {
    switch source {
    case .models: nil
    case .values(let assignments): assignments.compactMap { $0.column.columnID?.index }
    case .rows(let rows): rows.columns.compactMap { $0.columnID?.index }
    case .query(let columns, _): columns.compactMap { $0.columnID?.index }
    }
  }
}

extension ConflictClause {
  /// Makes the clause assign every column that the insert writes, except the columns of the
  /// constraint and of the key. A row is updated only if any of these columns differs. If no column
  /// is left to assign, the clause becomes DO NOTHING.
  mutating func updateAll(of table: TableID, written: [UInt16]?) {
    guard let layout = LayoutRegistry.shared.layout(number: table.layout) else { return }
    let target = target.compactMap { $0.columnID?.index }
    let indices = layout.columns.indices.map { UInt16(truncatingIfNeeded: $0) }.filter { index in
      let column = layout.columns[Int(index)]
      return !column.isPrimaryKey && !column.isGenerated && !target.contains(index)
        && written?.contains(index) ?? true
    }
    update(indices, of: table)
  }

  /// Makes the clause assign the new values of some columns. A row is updated only if any of these
  /// columns differs.
  mutating func update(_ indices: [UInt16], of table: TableID) {
    guard !indices.isEmpty, let layout = LayoutRegistry.shared.layout(number: table.layout) else {
      return
    }
    func nodes(_ index: UInt16) -> (own: ExpressionNode, new: ExpressionNode) {
      (
        .column(ColumnID(table: table, index: index)),
        .column(ColumnID(table: excluded, index: index))
      )
    }
    assignments = indices.map { Assignment(column: nodes($0).own, value: nodes($0).new) }
    predicates = .one(
      .any(
        indices.map { index in
          let (own, new) = nodes(index)
          let isText = layout.columns[Int(index)].storageClass == .text
          // A collation may treat two texts as equal although their bytes differ.
          return .compare(.isNotSame, own, isText ? .collate(new, "BINARY") : new)
        }))
  }
}
