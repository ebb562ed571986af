// Raw SQL as a stream of rows; typed queries are streamed by `rows(_:)`.
extension Database {
  /// The rows of a statement that reads, one after another, in one snapshot.
  ///
  /// ```swift
  /// for try await row in db.stream("SELECT id, title FROM Post WHERE views > \(100)") {
  ///   print(try row["title", as: String.self])
  /// }
  /// ```
  ///
  /// Nothing runs before the first row is asked for; see `RowStream` for what it holds and throws.
  public func stream(_ sql: SQL, deadline: Duration? = nil) -> RowStream<Row> {
    RowStream(
      database: self,
      source: RowSource(sql) { _, statement in
        try Row(copying: StatementRow(statement: statement))
      }, deadline: deadline)
  }

  /// The rows of a statement that reads as tuples of the given types, by position, one after another
  /// in one snapshot.
  ///
  /// ```swift
  /// for try await (id, title) in db.stream((Int, String).self, "SELECT id, title FROM Post") { … }
  /// ```
  ///
  /// Throws at its place a `ColumnValueError` where a value is of another type, and `DatabaseError`
  /// where there are not as many columns as types.
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
