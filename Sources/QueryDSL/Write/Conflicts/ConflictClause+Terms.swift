import SQLCore

// A unique index may have expressions, or a collation of its own: `Unique { … }`. The clause names
// the same terms, written as in the index, so that SQLite recognises it.

extension Insert {
  /// Keeps the existing row if the new one violates a unique index over these terms.
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

  /// Updates the existing row if the new one violates a unique index over these terms.
  ///
  /// ```swift
  /// User.insert(user).onConflictUpdate(on: { $0.$name.collated(.noCase) }) {
  ///   $0.$email = $1.$email            // `$1` is the row that was to be inserted
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
    set assign: (inout Assignments<M>, Columns<M>) -> Void,
    @PredicateBuilder where predicates: (Columns<M>, Columns<M>) -> PredicateLines = { _, _ in [] }
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
