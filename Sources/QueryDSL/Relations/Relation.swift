import SQLCore

/// How the rows of one table belong to those of another: which column of the children, or of the
/// table between, holds the value of which column of the parents.
struct Relation: Sendable {
  /// The index of the parents' column.
  let parentColumn: Int
  /// The column that holds its value.
  let owner: ExpressionNode
  /// The table between.
  var join: SelectStatement.Join?
}

extension Relation {
  /// Children whose column holds the parents' key.
  static func make<Parent: Model, Child: Model, Value: ColumnValue>(
    of _: Parent.Type, _ children: Columns<Child>,
    by column: KeyPath<Child, ColumnReference<Value>>
  ) -> Result<Relation, QueryError> {
    catching {
      let index = try Child.layout.index(of: column)
      return try relation(of: Parent.self, children, index, toColumns: nil)
    }
  }

  /// Children by the one foreign key that refers to the parents.
  static func make<Parent: Model, Child: Model>(
    of _: Parent.Type, _ children: Columns<Child>
  ) -> Result<Relation, QueryError> {
    catching {
      let keys = try foreignKeys(from: Child.self, to: Parent.self)
      guard keys.count == 1 else {
        throw QueryError(
          "\(Child.tableName) has \(keys.isEmpty ? "no foreign key" : "several foreign keys") of "
            + "one column to \(Parent.tableName): name the column with `by`")
      }
      return try relation(of: Parent.self, children, keys[0].column, toColumns: keys[0].target)
    }
  }

  /// Children by a table between, of which each row names a parent and a child by its key.
  static func make<Parent: Model, Between: Model, Child: Model, From: ColumnValue, To: ColumnValue>(
    of _: Parent.Type, _ children: Columns<Child>, through _: Between.Type,
    from: KeyPath<Between, ColumnReference<From>>, to: KeyPath<Between, ColumnReference<To>>
  ) -> Result<Relation, QueryError> {
    catching {
      let between = Columns<Between>()
      var made = try relation(
        of: Parent.self, between, Between.layout.index(of: from), toColumns: nil)
      let child = try relation(
        of: Child.self, between, Between.layout.index(of: to), toColumns: nil)
      let key = ColumnID(
        table: children.table, index: UInt16(truncatingIfNeeded: child.parentColumn))
      made.join = SelectStatement.Join(
        kind: .inner, table: between.table, condition: .compare(.equal, child.owner, .column(key)))
      return made
    }
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

  /// A column that refers to another; to the key where that is not said.
  private static func relation<Parent: Model, Child: Model>(
    of _: Parent.Type, _ children: Columns<Child>, _ index: Int?, toColumns target: String?
  ) throws -> Relation {
    let (parent, child) = try (Parent.layout, Child.layout)
    let key =
      target.flatMap(parent.index(named:))
      ?? (parent.keyColumns.count == 1 ? parent.keyColumns[0] : nil)
    guard let index, let key else {
      throw QueryError(
        "\(child.tableName) cannot refer to \(parent.tableName) by one column: the key has "
          + "\(parent.keyColumns.count) columns")
    }
    let (from, to) = (child.columns[index], parent.columns[key])
    guard wrapped(from.type) == wrapped(to.type), from.form == to.form else {
      throw QueryError(
        "\(child.tableName).\(from.name) is \(from.type), and \(parent.tableName).\(to.name), to "
          + "which it would refer, is \(to.type), or another stored form")
    }
    // Values are brought together by what is stored: a collation would take others for the same.
    try requireBinary(Child.self, index)
    try requireBinary(Parent.self, key)
    let column = ColumnID(table: children.table, index: UInt16(truncatingIfNeeded: index))
    return Relation(parentColumn: key, owner: .column(column))
  }

  private static func requireBinary<M: Model>(_: M.Type, _ index: Int) throws {
    let layout = try M.layout
    for element in M.schema.elements {
      guard case .collated(let path, let collation) = element.kind,
        layout.index(ofColumn: path) == index, collation != .binary
      else { continue }
      throw QueryError(
        "\(layout.tableName).\(layout.columns[index].name) is compared by the collation "
          + "\(collation.name), and `including` compares what is stored: join the tables instead")
    }
  }

  private static func wrapped(_ type: any ColumnValue.Type) -> any ColumnValue.Type {
    (type as? any OptionalColumnValue.Type)?.wrappedType ?? type
  }

  private static func foreignKeys<Child: Model, Parent: Model>(
    from _: Child.Type, to _: Parent.Type
  ) throws -> [(column: Int, target: String)] {
    let layout = try Child.layout
    return try Child.schema.elements.compactMap { element in
      guard case .foreignKey(let line) = element.kind, line.columns.count == 1,
        let column = layout.index(ofColumn: line.columns[0])
      else { return nil }
      let target = try line.target()
      guard target.table.lowercasedASCII == Parent.tableName.lowercasedASCII,
        let name = target.columns.first
      else { return nil }
      return (column, name)
    }
  }
}
