// Raw SQL as a stream of rows; `QueryDSL` streams the rows of typed queries.
extension Database {
  /// Returns the rows of a read statement one after another, from one snapshot.
  ///
  /// ```swift
  /// for try await row in db.stream("SELECT id, title FROM Post WHERE views > \(100)") {
  ///   print(try row["title", as: String.self])
  /// }
  /// ```
  ///
  /// Nothing runs before the first row is requested. See `RowStream` for the resources that it
  /// holds and the errors that it throws.
  public func stream(_ sql: SQL, deadline: Duration? = nil) -> RowStream<Row> {
    RowStream(
      database: self,
      source: RowSource(sql) { _, statement in
        try Row(copying: StatementRow(statement: statement))
      }, deadline: deadline)
  }

  /// Returns the rows of a read statement one after another, from one snapshot, as tuples of the
  /// given types. Values are taken by position.
  ///
  /// ```swift
  /// for try await (id, title) in db.stream((Int, String).self, "SELECT id, title FROM Post") {
  ///   print(id, title)
  /// }
  /// ```
  ///
  /// When it reaches the row, it throws `ColumnValueError` if a value has another type, and
  /// `DatabaseError` if the number of columns differs from the number of types.
  public func stream<each Value: ColumnValue>(
    _ type: (repeat each Value).Type, _ sql: SQL, deadline: Duration? = nil
  ) -> RowStream<(repeat each Value)> {
    RowStream(
      database: self,
      source: RowSource(sql) { _, statement in
        let row = StatementRow(statement: statement)
        try row.requireColumns(ofTypes: repeat (each Value).self)
        var index = -1
        func next<V: ColumnValue>(_: V.Type) throws -> V {
          index += 1
          return try StatementRow(statement: statement).get(V.self, at: index)
        }
        return (repeat try next((each Value).self))
      }, deadline: deadline)
  }
}
