import SQLCore

// A unique index may be over expressions, or with a collation of its own: `Unique { … }`. Its clause
// names the same terms, by the words of the index, so that SQLite knows it again.

extension Insert {
  /// Leaves the row that is there where the new one violates a unique index over these terms.
  ///
  /// ```swift
  /// User.insert(user).onConflictDoNothing(on: { $0.$email.lower() })
  /// // INSERT INTO "User" (…) VALUES (…) ON CONFLICT ((lower("email"))) DO NOTHING
  /// ```
  /// - Parameters:
  ///   - terms: those of the `Unique { … }` in the schema, one a line; their direction does not
  ///     matter.
  ///   - condition: that of a partial index.
  public consuming func onConflictDoNothing(
    @IndexBuilder on terms: (Columns<M>) -> [IndexTerm],
    @PredicateBuilder matching condition: (Columns<M>) -> PredicateLines = { _ in [] }
  ) -> Self {
    conflicts.append(Self.clause(on: terms, matching: condition))
    return self
  }

  /// Updates the row that is there where the new one violates a unique index over these terms.
  ///
  /// ```swift
  /// User.insert(user).onConflictUpdate(on: { $0.$name.collated(.noCase) }) {
  ///   $0.$email = $1.$email            // `$1` is the row that was to be inserted
  /// }
  /// // … ON CONFLICT ("name" COLLATE NOCASE) DO UPDATE SET "email" = excluded."email"
  /// ```
  /// - Parameters:
  ///   - terms: those of the `Unique { … }` in the schema, one a line; their direction does not
  ///     matter.
  ///   - condition: that of a partial index.
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

  private static func clause(
    on terms: (Columns<M>) -> [IndexTerm], matching condition: (Columns<M>) -> PredicateLines
  ) -> ConflictClause {
    var clause = ConflictClause(excluded: Columns<M>().table)
    let (terms, predicates) = (terms(.declared), condition(.declared))
    clause.terms = declared { layout in
      guard !terms.isEmpty else {
        throw QueryError("ON CONFLICT of \(M.tableName) has no term: name those of its index")
      }
      return try terms.map { try layout.declaration(of: $0) }
    }
    clause.condition = declared { try $0.declaration(of: predicates) }
    return clause
  }
}
