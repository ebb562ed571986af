import SQLCore

/// A relation of a query with `including`, as a live query needs it to find the parents that a
/// change of the included rows concerns.
package struct IncludedRelation: Sendable {
  package let relation: Result<Relation, QueryError>
  /// The query of the children, before it is restricted to those of some parents.
  package let children: SelectStatement
  /// The table of the children.
  package let table: TableID
  /// The relations by which the children include other rows.
  package let relations: [IncludedRelation]
  /// Returns the SQL that loads the children of the parents with some values in their columns.
  package let loadingText: @Sendable ([[DatabaseValue]]) throws -> String
  /// How single children are replaced, if that is possible in the rows of the result.
  package var replacement: ChildReplacement?
}
