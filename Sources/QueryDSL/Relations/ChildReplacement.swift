import SQLCore

/// The way to give some children in the rows of a live query with `including` new values. The other
/// children stay unchanged.
///
/// The changed children must keep their keys, their parents, and their places in the order of their
/// query.
package struct ChildReplacement: Sendable {
  /// Children with the values that they had at one moment.
  package struct Children: Sendable {
    fileprivate let rows: any Sendable
    fileprivate let places: [RelationKey: Int]
    fileprivate let fingerprints: [UInt64]
    /// For each child, the values with which it refers to its parent.
    package let owners: [[DatabaseValue]]
  }

  /// A row of the result with the new values of its children, and the change of its fingerprint.
  package struct Replaced {
    package let row: any Sendable
    package let fingerprintDifference: UInt64
  }

  /// Loads the children from the tables of a connection.
  package let load: @Sendable (ConnectionCore) throws -> Children
  /// Returns the row with the new values of its children in place of the old values; nil if the row
  /// has another type. Costs a copy of the row's list of children.
  package let replace:
    @Sendable (_ row: any Sendable, _ old: Children, _ new: Children) throws -> Replaced?
}

extension _IncludedQuery {
  /// Returns the way to replace the rows of this query where a parent includes them. Returns nil if
  /// the rows include other rows, or if the relation has a join table.
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
