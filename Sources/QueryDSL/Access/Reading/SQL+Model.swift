import SQLCore

extension SQL.StringInterpolation {
  /// Appends the name of a model's table, quoted: `"UPDATE \(Post.self) SET …"`.
  public mutating func appendInterpolation<M: TableModel>(_ model: M.Type) {
    appendInterpolation(identifier: M.tableName)
  }

  /// Appends the names of all columns of a model, with that of the table, quoted and separated by
  /// commas: `"SELECT \(columnsOf: Post.self) FROM Post"`.
  ///
  /// - Parameter tableAlias: the name that the statement gives to the table; nil for its own name.
  public mutating func appendInterpolation<M: TableModel>(
    columnsOf model: M.Type, tableAlias: String? = nil
  ) {
    let table = Identifier(tableAlias ?? M.tableName).quoted
    guard let layout = try? M.layout else {
      return appendInterpolation(identifier: "\(M.self), which is not a model")
    }
    appendInterpolation(
      unsafe: layout.columns.map { "\(table).\(Identifier($0.name).quoted)" }
        .joined(separator: ", "))
  }

  /// Appends the name of a column, quoted: `"SELECT \(\Post.$title) …"`.
  ///
  /// A key path that is not a column of the model makes the statement throw `DatabaseError` when it
  /// is prepared.
  public mutating func appendInterpolation<M: TableModel, Value>(
    _ column: KeyPath<M, ColumnReference<Value>>
  ) {
    guard let layout = try? M.layout, let index = layout.index(of: column) else {
      // No table has a column of this name, so preparing the statement fails.
      return appendInterpolation(identifier: "\(column), which is not a column of \(M.tableName)")
    }
    appendInterpolation(identifier: layout.columns[index].name)
  }
}
