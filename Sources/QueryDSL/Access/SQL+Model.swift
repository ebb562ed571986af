import SQLCore

extension SQL.StringInterpolation {
  /// The name of a model's table, quoted: `"UPDATE \(Post.self) SET …"`.
  public mutating func appendInterpolation<M: Model>(_ model: M.Type) {
    appendInterpolation(identifier: M.tableName)
  }

  /// The name of a column, quoted: `"SELECT \(\Post.$title) …"`.
  public mutating func appendInterpolation<M: Model, Value>(
    _ column: KeyPath<M, ColumnReference<Value>>
  ) {
    guard let layout = try? M.layout, let index = layout.index(of: column) else {
      // A name that no table has: the statement is refused when it is prepared.
      return appendInterpolation(identifier: "no column of \(M.tableName): \(column)")
    }
    appendInterpolation(identifier: layout.columns[index].name)
  }
}
