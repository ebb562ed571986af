import SQLCore

/// A relation between the tables of parents and children. Columns of the children (or of a join
/// table) hold the values of the parents' columns, usually of the parents' key.
package struct Relation: Sendable {
  /// A column of the children or of the join table, and the parents' column to which it refers.
  struct Pair: Sendable {
    let owner: Column
    let parent: Column
    /// The storage class in which the models store the values.
    let storageClass: StorageClass
  }

  struct Column: Sendable {
    let table: String
    let name: String
  }

  /// A join table, which assigns children to parents.
  package struct JoinTable: Sendable {
    package let table: TableID
    /// The columns of the join table that hold the values of `childColumns`.
    package let columns: [ColumnID]
    /// The columns of the children to which the join table refers. Each column is given by its
    /// index in the layout of the children.
    package let childColumns: [Int]
  }

  /// The columns of the parents to which `ownerColumns` refer. Each column is given by its index in
  /// the layout of the parents.
  package let parentColumns: [Int]
  /// The columns of the children or of the join table that hold the values of `parentColumns`, in
  /// the same order.
  package let ownerColumns: [ColumnID]
  /// The columns of `ownerColumns`, each with the parents' column to which it refers.
  let pairs: [Pair]
  /// The JOIN clause that connects the children with the join table; nil if the relation has no
  /// join table.
  var join: SelectStatement.Join?
  /// The join table of a many-to-many relation; nil if the children refer to the parents
  /// themselves.
  package fileprivate(set) var joinTable: JoinTable?

  /// The columns of `ownerColumns`, as expressions.
  var owners: [ExpressionNode] { ownerColumns.map { .column($0) } }
}

extension Relation {
  /// Makes the relation from parents to children. `columns` are the columns of the children that
  /// hold the parent's key, in the order of the key's columns.
  static func make<Parent: Model, Child: Model>(
    of _: Parent.Type, _ children: Columns<Child>, by columns: [PartialKeyPath<Child>]
  ) -> Result<Relation, QueryError> {
    catching {
      let (parent, child) = try (Parent.layout, Child.layout)
      let indices = columns.compactMap(child.index(ofColumn:))
      guard indices.count == columns.count else {
        throw QueryError("`by` must name only columns of \(child.tableName)")
      }
      return try relation(of: Parent.self, children, indices, to: parent.keyColumns)
    }
  }

  /// Makes the relation from parents to children by a foreign key of the children. The children
  /// must declare exactly one foreign key to the parents.
  static func make<Parent: Model, Child: Model>(
    of _: Parent.Type, _ children: Columns<Child>
  ) -> Result<Relation, QueryError> {
    catching {
      let key = try foreignKey(from: Child.self, to: Parent.self, "name its columns with `by`")
      return try relation(of: Parent.self, children, key.columns, to: key.targets)
    }
  }

  /// Makes the relation by a join table. Each row of the join table has the key of a parent and the
  /// key of a child.
  static func make<
    Parent: Model, Between: TableModel, Child: Model, From: ColumnValue, To: ColumnValue
  >(
    of _: Parent.Type, _ children: Columns<Child>, through _: Between.Type,
    from: KeyPath<Between, ColumnReference<From>>, to: KeyPath<Between, ColumnReference<To>>
  ) -> Result<Relation, QueryError> {
    catching {
      let layout = try Between.layout
      guard let from = layout.index(ofColumn: from), let to = layout.index(ofColumn: to) else {
        throw QueryError("`from` and `to` must name columns of \(layout.tableName)")
      }
      return try through(
        Columns<Between>(), children,
        from: ([from], Parent.layout.keyColumns), of: Parent.self,
        to: ([to], Child.layout.keyColumns))
    }
  }

  /// Makes the relation by the foreign keys of a join table. The join table must declare exactly
  /// one foreign key to the parents and one to the children.
  static func make<Parent: Model, Between: TableModel, Child: Model>(
    of _: Parent.Type, _ children: Columns<Child>, through _: Between.Type
  ) -> Result<Relation, QueryError> {
    catching {
      let advice = "name the columns with `from` and `to`"
      let from = try foreignKey(from: Between.self, to: Parent.self, advice)
      let to = try foreignKey(from: Between.self, to: Child.self, advice)
      return try through(
        Columns<Between>(), children, from: (from.columns, from.targets), of: Parent.self,
        to: (to.columns, to.targets))
    }
  }

  private static func through<Parent: Model, Between: TableModel, Child: Model>(
    _ between: Columns<Between>, _ children: Columns<Child>,
    from: (columns: [Int], targets: [Int]), of _: Parent.Type,
    to: (columns: [Int], targets: [Int])
  ) throws -> Relation {
    var made = try relation(of: Parent.self, between, from.columns, to: from.targets)
    let child = try relation(of: Child.self, between, to.columns, to: to.targets)
    let conditions = zip(child.owners, child.parentColumns).map { owner, index in
      PredicateNode.compare(.equal, owner, .column(children.column(at: index)))
    }
    made.join = SelectStatement.Join(
      kind: .inner, table: between.table,
      condition: conditions.count == 1 ? conditions[0] : .all(conditions))
    made.joinTable = JoinTable(
      table: between.table, columns: child.ownerColumns, childColumns: child.parentColumns)
    return made
  }

  private static func catching(
    _ body: () throws -> Relation
  ) -> Result<Relation, QueryError> {
    do {
      return .success(try body())
    } catch {
      return .failure(error as? QueryError ?? QueryError(String(describing: error)))
    }
  }

  /// Makes the relation between columns of a table and the key columns that they reference. Throws
  /// if the two lists of columns differ in their number, their types or their stored forms.
  private static func relation<Parent: Model, Child: TableModel>(
    of _: Parent.Type, _ children: Columns<Child>, _ columns: [Int], to keys: [Int]
  ) throws -> Relation {
    let (parent, child) = try (Parent.layout, Child.layout)
    guard columns.count == keys.count else {
      throw QueryError(
        "\(child.tableName) cannot refer to \(parent.tableName) by \(columns.count) "
          + "\(columns.count == 1 ? "column" : "columns"): the key has \(keys.count), "
          + "\(keys.map { parent.columns[$0].name }.joined(separator: ", ")); name one for each")
    }
    for (column, key) in zip(columns, keys) {
      let (from, to) = (child.columns[column], parent.columns[key])
      guard from.type.nonOptional == to.type.nonOptional, from.form == to.form else {
        throw QueryError(
          "\(child.tableName).\(from.name) is \(from.type) in the form .\(from.form), so it cannot "
            + "refer to \(parent.tableName).\(to.name), which is \(to.type) in the form "
            + ".\(to.form)")
      }
    }
    return Relation(
      parentColumns: keys, ownerColumns: columns.map { children.column(at: $0) },
      pairs: zip(columns, keys).map { column, key in
        Pair(
          owner: Column(table: child.tableName, name: child.columns[column].name),
          parent: Column(table: parent.tableName, name: parent.columns[key].name),
          storageClass: parent.columns[key].storageClass)
      })
  }

  /// Returns the only foreign key from one table to another. Throws if there is no such key, or if
  /// there are several.
  private static func foreignKey<Child: TableModel, Parent: Model>(
    from _: Child.Type, to _: Parent.Type, _ advice: String
  ) throws -> (columns: [Int], targets: [Int]) {
    let (parent, child) = try (Parent.layout, Child.layout)
    let keys = try Child.schema.elements.compactMap {
      element -> (columns: [Int], targets: [Int])? in
      guard case .foreignKey(let line) = element.kind else { return nil }
      let target = try line.target()
      guard target.table.isSame(as: parent.tableName) else { return nil }
      let columns = line.columns.compactMap(child.index(ofColumn:))
      let targets = target.columns.compactMap(parent.index(named:))
      guard columns.count == line.columns.count, targets.count == columns.count else { return nil }
      return (columns, targets)
    }
    guard keys.count == 1 else {
      throw QueryError(
        "\(child.tableName) has \(keys.isEmpty ? "no foreign key" : "several foreign keys") to "
          + "\(parent.tableName); \(advice)")
    }
    return keys[0]
  }
}

extension Columns {
  /// Returns the column with this index in the layout.
  fileprivate func column(at index: Int) -> ColumnID {
    ColumnID(table: table, index: UInt16(truncatingIfNeeded: index))
  }
}

extension Relation {
  /// Whether SQLite treats values of the children's and the parents' columns as equal only if they
  /// are identical. This is true if the columns compare text by bytes and store the values of Swift
  /// unchanged.
  ///
  /// The function examines the columns of the database file. The columns that the models declare
  /// may be different.
  package func comparesStoredValues(on core: ConnectionCore) -> Bool {
    pairs.allSatisfy { pair in
      [pair.owner, pair.parent].allSatisfy { column in
        guard let known = core.comparison(ofColumn: column.name, in: column.table) else {
          return false
        }
        return known.isBinary && known.storageClass == pair.storageClass
      }
    }
  }

  /// Finds the stored values by which children refer to the parents with these keys. Several
  /// values, such as `a` and `A`, may refer to one parent. Returns each value with the indices, in
  /// `keys`, of the parents to which it refers.
  ///
  /// SQLite finds the values by a join. Like a foreign key, the join compares by the collation of
  /// the parent's column. If that collation compares bytes, the join uses the collation of the
  /// child's column.
  /// - SeeAlso: <https://www.sqlite.org/foreignkeys.html>
  func matches(
    of keys: [RelationKey], on core: ConnectionCore
  ) throws -> [RelationKey: [Int]] {
    let arrays = pairs.indices.map { index in
      BoundValue.array(BoundArray(keys.map { $0.value(at: index) }))
    }
    let sql = SQL(text: matchingText(on: core), bindings: arrays)
    var matches: [RelationKey: [Int]] = [:]
    try core.lend().forEach(sql) { row in
      let index = try row.get(Int.self, at: 0)
      var values: [DatabaseValue] = []
      for place in pairs.indices { values.append(try row.databaseValue(at: place + 1)) }
      matches[RelationKey(values), default: []].append(index)
    }
    return matches
  }

  /// Returns the SQL of the join that `matches(of:on:)` runs.
  package func matchingText(on core: ConnectionCore) -> String {
    // DISTINCT would merge the values 1 and 1.0, and texts that are equal in the column's
    // collation. COLLATE BINARY and the additional columns with typeof keep such values apart.
    let columns =
      pairs.map { "child.\(Identifier($0.owner.name).quoted) COLLATE BINARY" }
      + pairs.map { "typeof(child.\(Identifier($0.owner.name).quoted))" }
    var text =
      "SELECT DISTINCT k0.rowid, \(columns.joined(separator: ", ")) FROM apus_array(?) AS k0"
    for index in pairs.indices.dropFirst() {
      text += " JOIN apus_array(?) AS k\(index) ON k\(index).rowid = k0.rowid"
    }
    text += " JOIN \(Identifier(pairs[0].parent.table).quoted) AS parent ON "
    text += pairs.enumerated().map { index, pair in
      "parent.\(Identifier(pair.parent.name).quoted) = k\(index).value"
    }.joined(separator: " AND ")
    text += " JOIN \(Identifier(pairs[0].owner.table).quoted) AS child ON "
    text += pairs.map { pair in
      let parent = "parent.\(Identifier(pair.parent.name).quoted)"
      let child = "child.\(Identifier(pair.owner.name).quoted)"
      // SQLite compares by the collation of the left operand.
      let known = core.comparison(ofColumn: pair.parent.name, in: pair.parent.table)
      return known?.isBinary == true ? "\(child) = \(parent)" : "\(parent) = \(child)"
    }.joined(separator: " AND ")
    return text
  }
}
