import SQLCore

/// The functions by which a live query with `including` replaces only the changed children in its
/// result. The other children are not loaded again.
///
/// This is possible only if the changed children keep their keys, their parents, and their
/// positions in the order of their query.
package struct ChildReplacement: Sendable {
  /// A set of children, in the state that they had in the database at one moment.
  package struct Children: Sendable {
    fileprivate let rows: any Sendable
    fileprivate let places: [RelationKey: Int]
    fileprivate let fingerprints: [UInt64]
    /// For each child, the values of the columns that refer to its parent, such as its foreign key.
    package let owners: [[DatabaseValue]]
  }

  /// A row of the result after the replacement, and the difference between its new and its old
  /// fingerprint (`LoadedRows.fingerprints`).
  package struct Replaced {
    package let row: any Sendable
    package let fingerprintDifference: UInt64
  }

  /// Loads the children of the query that are in the tables of the given connection. The order and
  /// the limit of the query are ignored.
  package let load: @Sendable (ConnectionCore) throws -> Children
  /// Returns the given row of the result, after the children `new` have replaced the children `old`
  /// in it. Returns nil if the row does not consist of a parent and a single list of such children.
  /// The list of children in the row is copied.
  package let replace:
    @Sendable (_ row: any Sendable, _ old: Children, _ new: Children) throws -> Replaced?
}

extension _IncludedQuery {
  /// Returns the functions that replace single rows of this query in the rows of the parents that
  /// include them. Returns nil if the rows include other rows themselves, or if the relation has a
  /// join table.
  func replacement<Parent: Model>(
    in _: Parent.Type, by relation: Result<Relation, QueryError>
  ) -> ChildReplacement? {
    guard relations.isEmpty, let relation = try? relation.get(), relation.joinTable == nil else {
      return nil
    }
    let query = query
    return ChildReplacement(
      load: { core in
        var statement = query.select.statement
        statement.order = .none
        (statement.limit, statement.offset) = (nil, nil)
        statement.selection = .terms(
          [.table(query.columns.table)] + relation.owners.map { .expression($0) })
        let (models, owners) = try core.models(
          of: statement, query.select.decoding, owners: relation.owners.count, areLive: true)
        let keys = try Root.layout.keys(ofColumns: Root.layout.keyColumns, in: models.rows)
        return ChildReplacement.Children(
          rows: models.rows,
          places: Dictionary(zip(keys, keys.indices)) { first, _ in first },
          fingerprints: models.fingerprints ?? [],
          owners: owners.map { owner in relation.owners.indices.map(owner.value) })
      },
      replace: { row, old, new in
        guard let (parent, held) = row as? (Parent, [Root]), let models = new.rows as? [Root] else {
          return nil
        }
        var children = held
        var difference: UInt64 = 0
        let keys = try Root.layout.keys(ofColumns: Root.layout.keyColumns, in: held)
        for (index, key) in keys.enumerated() {
          guard let before = old.places[key], let after = new.places[key] else { continue }
          children[index] = models[after]
          difference &+= new.fingerprints[after] &- old.fingerprints[before]
        }
        return ChildReplacement.Replaced(
          row: (parent, children), fingerprintDifference: difference)
      })
  }
}
