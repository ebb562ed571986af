import SQLCore

// Upserts that set only some columns, and clauses that handle every constraint.

extension Insert {
  /// Updates some columns of the existing row to the new values if the new row violates this unique
  /// constraint. A row that already has these values is not changed.
  ///
  /// ```swift
  /// Post.insert(post).onConflictUpdate(\.$url, setting: \.$title, \.$body)
  /// // INSERT INTO "Post" (…) VALUES (…) ON CONFLICT ("url") DO UPDATE
  /// //   SET "title" = excluded."title", "body" = excluded."body"
  /// //   WHERE "Post"."title" IS NOT excluded."title" COLLATE "BINARY" OR "Post"."body" IS NOT …
  /// ```
  /// If the new row violates another constraint, the insert throws, unless another clause handles
  /// that constraint.
  /// - Parameter condition: the condition of a partial index, as its `Index` declares it. Its
  ///   values are written as literals.
  /// - SeeAlso: <https://www.sqlite.org/lang_upsert.html>
  public consuming func onConflictUpdate<
    First: ColumnValue, each Value: ColumnValue, Setting: ColumnValue, each Other: ColumnValue
  >(
    _ first: KeyPath<M, ColumnReference<First>>,
    _ others: repeat KeyPath<M, ColumnReference<each Value>>,
    @PredicateBuilder matching condition: (Columns<M>) -> PredicateLines = { _ in [] },
    setting column: KeyPath<M, ColumnReference<Setting>>,
    _ moreColumns: repeat KeyPath<M, ColumnReference<each Other>>
  ) -> Self {
    add(
      clause(on: first, repeat each others, matching: condition),
      setting: column, repeat each moreColumns)
    return self
  }

  /// Updates some columns of the existing row to the new values if the new row violates a unique
  /// index over these terms. A row that already has these values is not changed.
  ///
  /// ```swift
  /// User.insert(user).onConflictUpdate(
  ///   on: { $0.$name.collated(.noCase) }, setting: \.$email)
  /// // … ON CONFLICT ("name" COLLATE NOCASE) DO UPDATE SET "email" = excluded."email"
  /// //   WHERE "User"."email" IS NOT excluded."email" COLLATE "BINARY"
  /// ```
  /// - Parameters:
  ///   - terms: the terms of the `Unique { … }` in the schema, one on each line; their direction
  ///     does not matter.
  ///   - condition: the condition of a partial index.
  public consuming func onConflictUpdate<Setting: ColumnValue, each Other: ColumnValue>(
    @IndexBuilder on terms: (Columns<M>) -> [IndexTerm],
    @PredicateBuilder matching condition: (Columns<M>) -> PredicateLines = { _ in [] },
    setting column: KeyPath<M, ColumnReference<Setting>>,
    _ moreColumns: repeat KeyPath<M, ColumnReference<each Other>>
  ) -> Self {
    add(
      Self.clause(on: terms, matching: condition), setting: column, repeat each moreColumns)
    return self
  }

  /// Updates the existing row to the values of the new row, except the key, if the new row violates
  /// any unique constraint. A row that already has the values is not changed.
  ///
  /// ```swift
  /// Post.insert(post).onConflictUpdate()
  /// // INSERT INTO "Post" (…) VALUES (…) ON CONFLICT DO UPDATE
  /// //   SET …, "title" = excluded."title", …
  /// //   WHERE … OR "Post"."title" IS NOT excluded."title" COLLATE "BINARY" OR …
  /// ```
  /// If the new row conflicts with two existing rows because of two constraints, SQLite tries to
  /// update one of these rows. The insert then throws because of the other constraint. Clauses that
  /// name a constraint must come before this clause.
  public consuming func onConflictUpdate() -> Self {
    var clause = ConflictClause(excluded: Columns<M>().table)
    clause.updateAll(of: columns.table, written: writtenColumns)
    add(clause)
    return self
  }

  /// Updates some columns of the existing row to the new values if the new row violates any unique
  /// constraint. A row that already has these values is not changed.
  /// SQL: `ON CONFLICT DO UPDATE SET "title" = excluded."title" WHERE …`
  public consuming func onConflictUpdate<Setting: ColumnValue, each Other: ColumnValue>(
    setting column: KeyPath<M, ColumnReference<Setting>>,
    _ moreColumns: repeat KeyPath<M, ColumnReference<each Other>>
  ) -> Self {
    add(
      ConflictClause(excluded: Columns<M>().table), setting: column, repeat each moreColumns)
    return self
  }

  /// Updates the existing row if the new row violates any unique constraint.
  /// SQL: `ON CONFLICT DO UPDATE SET "views" = "Post"."views" + ?`
  public consuming func onConflictUpdate(
    set assign: (inout Assignments<M>) -> Void,
    @PredicateBuilder where predicates: (ConflictColumns<M>) -> PredicateLines = { _ in [] }
  ) -> Self {
    append(ConflictClause(excluded: Columns<M>().table), assign, predicates)
    return self
  }

  /// Adds a clause that sets columns to the values of the new row.
  private mutating func add<Setting: ColumnValue, each Other: ColumnValue>(
    _ clause: consuming ConflictClause, setting column: KeyPath<M, ColumnReference<Setting>>,
    _ others: repeat KeyPath<M, ColumnReference<each Other>>
  ) {
    var nodes = [columns[dynamicMember: column].node]
    for other in repeat each others { nodes.append(columns[dynamicMember: other].node) }
    var indices: [UInt16] = []
    for node in nodes {
      if case .invalid(let error) = node { problem = problem ?? error }
      guard let index = node.columnID?.index else { continue }
      if indices.contains(index) {
        problem = problem ?? QueryError("the upsert of \(M.tableName) sets a column twice")
      }
      indices.append(index)
    }
    clause.update(indices, of: columns.table)
    add(clause)
  }
}

// A unique index may have expressions, or its own collation: `Unique { … }`. The clause names the
// same terms, written as in the index, so that SQLite recognises the index.

extension Insert {
  /// Keeps the existing row if the new row violates a unique index over these terms.
  ///
  /// ```swift
  /// User.insert(user).onConflictDoNothing(on: { $0.$email.lower() })
  /// // INSERT INTO "User" (…) VALUES (…) ON CONFLICT ((lower("email"))) DO NOTHING
  /// ```
  /// - Parameters:
  ///   - terms: the terms of the `Unique { … }` in the schema, one on each line; their direction
  ///     does not matter.
  ///   - condition: the condition of a partial index.
  public consuming func onConflictDoNothing(
    @IndexBuilder on terms: (Columns<M>) -> [IndexTerm],
    @PredicateBuilder matching condition: (Columns<M>) -> PredicateLines = { _ in [] }
  ) -> Self {
    add(Self.clause(on: terms, matching: condition))
    return self
  }

  /// Updates the existing row if the new row violates a unique index over these terms.
  ///
  /// ```swift
  /// User.insert(user).onConflictUpdate(on: { $0.$name.collated(.noCase) }) {
  ///   $0.$email = $0.new.$email            // `new` is the row that was to be inserted
  /// }
  /// // … ON CONFLICT ("name" COLLATE NOCASE) DO UPDATE SET "email" = excluded."email"
  /// ```
  /// - Parameters:
  ///   - terms: the terms of the `Unique { … }` in the schema, one on each line; their direction
  ///     does not matter.
  ///   - condition: the condition of a partial index.
  /// - SeeAlso: <https://www.sqlite.org/lang_upsert.html>
  public consuming func onConflictUpdate(
    @IndexBuilder on terms: (Columns<M>) -> [IndexTerm],
    @PredicateBuilder matching condition: (Columns<M>) -> PredicateLines = { _ in [] },
    set assign: (inout Assignments<M>) -> Void,
    @PredicateBuilder where predicates: (ConflictColumns<M>) -> PredicateLines = { _ in [] }
  ) -> Self {
    append(Self.clause(on: terms, matching: condition), assign, predicates)
    return self
  }

  static func clause(
    on terms: (Columns<M>) -> [IndexTerm], matching condition: (Columns<M>) -> PredicateLines
  ) -> ConflictClause {
    var clause = ConflictClause(excluded: Columns<M>().table)
    let (terms, predicates) = (terms(.declared), condition(.declared))
    clause.terms = declared { layout in
      guard !terms.isEmpty else {
        throw QueryError("ON CONFLICT of \(M.tableName) has no terms; name those of a unique index")
      }
      return try terms.map { try layout.declaration(of: $0) }
    }
    clause.condition = declared { try $0.declaration(of: predicates) }
    return clause
  }
}
